"""django-allauth's forms with our labels and limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from allauth.account import forms as allauth_forms
from allauth.account.adapter import get_adapter
from allauth.core import context as current
from django import forms
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from archive.accounts import invitations
from archive.accounts.audit import note
from archive.accounts.names import account_of, normal_address
from archive.http.limits.mails import charge_mail
from archive.http.limits.signing_in import Attempt, attempt
from archive.models import AuditEvent, User
from archive.web.accounts import invited
from archive.web.pages import joining

_NAME = _("Name")
_PASSWORD = _("Password")
_AGAIN = _("The same password again")
_NEW = _("New password")
_MAIL = _("E-mail address")


class PlainForm(forms.Form):
    """A form with labels of our own, without placeholders and help texts."""

    labels: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.help_text = ""
            field.label = self.labels.get(name, field.label)


class MailField(forms.EmailField):
    """An e-mail address, cleaned to the form in which it is stored."""

    def __init__(self) -> None:
        super().__init__(label=_MAIL, widget=forms.EmailInput(attrs={"autocomplete": "email"}))

    def clean(self, value: Any) -> str:
        return normal_address(super().clean(value))


class MailForm(PlainForm):
    """A form that sends a mail, which is charged."""

    labels: ClassVar = {"email": _MAIL}
    email = MailField()

    def clean_email(self) -> str:
        charge_mail(current.request, self.cleaned_data["email"])
        return str(super().clean_email())  # type: ignore[misc]  # of the form that this is mixed into


class SignInForm(PlainForm, allauth_forms.LoginForm):
    """Name or confirmed address, and password. The backend counts attempts
    (`archive.http.limits.signing_in`)."""

    labels: ClassVar = {"login": _("Name or e-mail address"), "password": _PASSWORD}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autocomplete"] = "username"

    def clean_login(self) -> str:
        """Return the user name, also for an address: allauth would add the address as it was typed to the
        account."""
        login = str(super().clean_login())
        self.account = account_of(login)
        return self.account.username if self.account else login

    def user_credentials(self) -> dict[str, Any]:
        """Add the account to the credentials: its name may be the address of another account, which allauth
        would then confirm."""
        data = self.cleaned_data
        return {"username": data["login"], "account": self.account, "password": data["password"]}


class SignUpForm(MailForm, allauth_forms.SignupForm):
    """Name, password and, without an invitation, an address."""

    labels: ClassVar = {"username": _NAME, "email": _MAIL, "password1": _PASSWORD, "password2": _AGAIN}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invitation = invited.invitation_of(current.request)
        if self.invitation:
            del self.fields["email"]

    def save(self, request: HttpRequest) -> User:
        """Create the account. Raises TakenError if the name or the invitation has been taken meanwhile."""
        try:
            with transaction.atomic():
                user: User = super().save(request)
                if self.invitation and not invitations.use(self.invitation, user):
                    raise TakenError
                if self.invitation:
                    joining.admit(request, user, self.invitation)
        except IntegrityError as error:
            raise TakenError from error
        invited.forget(request)
        return user


class TakenError(Exception):
    """The name or the invitation has been taken by another request."""


class AddMailForm(MailForm, allauth_forms.AddEmailForm):
    pass


class ChangePasswordForm(PlainForm, allauth_forms.ChangePasswordForm):
    """A wrong current password counts as a failed attempt to sign in."""

    labels: ClassVar = {"oldpassword": _("Current password"), "password1": _NEW, "password2": _AGAIN}

    def clean_oldpassword(self) -> str:
        password = self.cleaned_data.get("oldpassword", "")
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        return str(password)


class SetPasswordForm(PlainForm, allauth_forms.SetPasswordForm):
    labels: ClassVar = {"password1": _NEW, "password2": _AGAIN}


class ResetPasswordForm(MailForm, allauth_forms.ResetPasswordForm):
    pass


class NewPasswordForm(PlainForm, allauth_forms.ResetPasswordKeyForm):
    labels: ClassVar = {"password1": _NEW, "password2": _AGAIN}


class ReauthenticateForm(PlainForm, allauth_forms.ReauthenticateForm):
    labels: ClassVar = {"password": _PASSWORD}


@contextmanager
def second_attempt(user: User | None) -> Iterator[Attempt]:
    """Count an attempt with a second factor like one with a password, and log a failure.

    `user` is None if only the factor identifies the account. Raises LimitReachedError.
    """
    with attempt(current.request, user.get_username() if user else None) as tried:
        try:
            yield tried
        finally:
            if not tried.succeeded:
                note(AuditEvent.SIGN_IN_FAILED, user, "second factor")


class CodeForm(PlainForm):
    """A code of the second factor; a wrong one counts as a failed attempt to sign in."""

    labels: ClassVar = {"code": _("Code")}
    user: User

    def clean_code(self) -> str:
        with second_attempt(self.user) as tried:
            code = str(super().clean_code())  # type: ignore[misc]  # of the form that this is mixed into
            tried.succeeded = True
        return code
