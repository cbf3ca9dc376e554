"""django-allauth's forms in our words, with our limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from allauth.account import forms as theirs
from allauth.account.adapter import get_adapter
from allauth.core import context as current
from django import forms
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from archive.accounts import invitations
from archive.accounts.audit import AuditEvent, note
from archive.accounts.names import account_of, normal_address
from archive.http.limits.mails import charge_mail
from archive.http.limits.signing_in import Attempt, attempt
from archive.models import User
from archive.web.accounts import invited
from archive.web.pages import joining

_NAME = _("Name")
_PASSWORD = _("Password")
_AGAIN = _("The same password again")
_NEW = _("New password")
_MAIL = _("E-mail address")


class Plain(forms.Form):
    """A form with our labels, and without hints that vanish when one types."""

    labels: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.help_text = ""
            field.label = self.labels.get(name, field.label)


class MailField(forms.EmailField):
    """An address of mail that a mail can be sent to, as it is stored."""

    def __init__(self) -> None:
        super().__init__(label=_MAIL, widget=forms.EmailInput(attrs={"autocomplete": "email"}))

    def clean(self, value: Any) -> str:
        return normal_address(super().clean(value))


class WithMail(Plain):
    """A form with an address that a mail is sent to, which counts."""

    labels: ClassVar = {"email": _MAIL}
    email = MailField()

    def clean_email(self) -> str:
        charge_mail(current.request, self.cleaned_data["email"])
        return str(super().clean_email())  # type: ignore[misc]  # of the form that this is mixed into


class SignIn(Plain, theirs.LoginForm):
    """Name, or a confirmed address, and password. The backend counts (`archive.http.limits.signing_in`)."""

    labels: ClassVar = {"login": _("Name or e-mail address"), "password": _PASSWORD}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autocomplete"] = "username"

    def clean_login(self) -> str:
        """Return the user name, also of who gave an address, which the library would add to the account in
        the spelling that was typed."""
        login = str(super().clean_login())
        self.meant = account_of(login)
        return self.meant.username if self.meant else login

    def user_credentials(self) -> dict[str, Any]:
        """Return name and password, and the account that is meant: its name may be somebody's address, which
        the library would have confirmed."""
        given = self.cleaned_data
        return {"username": given["login"], "account": self.meant, "password": given["password"]}


class SignUp(WithMail, theirs.SignupForm):
    """A name and a password; an address too from who was not invited."""

    labels: ClassVar = {"username": _NAME, "email": _MAIL, "password1": _PASSWORD, "password2": _AGAIN}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invitation = invited.invitation_of(current.request)
        if self.invitation:
            del self.fields["email"]

    def save(self, request: HttpRequest) -> User:
        """Make the account. Raises TakenError where somebody else was faster, with the name or the
        invitation."""
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
    """Somebody else was faster."""


class AddMail(WithMail, theirs.AddEmailForm):
    """One more address of an account."""


class ChangePassword(Plain, theirs.ChangePasswordForm):
    """The present password and a new one; wrong ones count as at signing in."""

    labels: ClassVar = {"oldpassword": _("Current password"), "password1": _NEW, "password2": _AGAIN}

    def clean_oldpassword(self) -> str:
        password = self.cleaned_data.get("oldpassword", "")
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        return str(password)


class SetPassword(Plain, theirs.SetPasswordForm):
    labels: ClassVar = {"password1": _NEW, "password2": _AGAIN}


class ResetPassword(WithMail, theirs.ResetPasswordForm):
    """The address that the link for a new password is sent to."""


class NewPassword(Plain, theirs.ResetPasswordKeyForm):
    labels: ClassVar = {"password1": _NEW, "password2": _AGAIN}


class Reauthenticate(Plain, theirs.ReauthenticateForm):
    labels: ClassVar = {"password": _PASSWORD}


@contextmanager
def second_attempt(user: User | None) -> Iterator[Attempt]:
    """Count an attempt with a second factor as one with a password is counted, and note it where it fails;
    `user` is None where only the factor tells who it is. Raises LimitReachedError."""
    with attempt(current.request, user.get_username() if user else None) as tried:
        try:
            yield tried
        finally:
            if not tried.succeeded:
                note(AuditEvent.SIGN_IN_FAILED, user, "second factor")


class Code(Plain):
    """A field for a code of the second factor; wrong ones count as wrong passwords do."""

    labels: ClassVar = {"code": _("Code")}
    user: User

    def clean_code(self) -> str:
        with second_attempt(self.user) as tried:
            code = str(super().clean_code())  # type: ignore[misc]  # of the form that this is mixed into
            tried.succeeded = True
        return code
