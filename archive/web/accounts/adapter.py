"""The adapter of django-allauth: texts of errors, links in mails, who may register."""

from __future__ import annotations

import logging
import time
from typing import Any, Final

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive.accounts.names import check_new_name, normal_name
from archive.accounts.roles import Role
from archive.http.limits.addresses import client_address
from archive.http.limits.mails import charge_mail
from archive.models import User
from archive.names.name_scripts import check_script
from archive.project.site_address import public_address
from archive.web.accounts import invited
from archive.web.accounts.relying import passkeys_work
from archive.web.pages import joining

log = logging.getLogger(__name__)

_WRONG_CREDENTIALS: Final = gettext_lazy("The name or the password is wrong.")

ERRORS: Final = {
    "cannot_remove_primary_email": gettext_lazy("Make another address the main one first."),
    "duplicate_email": gettext_lazy("This address is yours already."),
    "email_password_mismatch": _WRONG_CREDENTIALS,
    "username_password_mismatch": _WRONG_CREDENTIALS,
    "email_taken": gettext_lazy("This address cannot be used."),
    "enter_current_password": gettext_lazy("The password is wrong."),
    "incorrect_code": gettext_lazy("The code is wrong."),
    "incorrect_password": gettext_lazy("The password is wrong."),
    "invalid_password_reset": gettext_lazy("This link is not valid."),
    "max_email_addresses": gettext_lazy("An account has at most %d addresses."),
    "username_blacklisted": gettext_lazy("This name cannot be used."),
    "username_taken": gettext_lazy("This name is taken."),
}
"""Texts that replace allauth's own, by its codes of errors."""

NOT_SENT: Final = gettext_lazy("The mail could not be sent. Please try again later.")
_OF_SIGN_UP: Final = ("account/email/email_confirmation_signup", "account/email/account_already_exists")
_SIGNED_IN: Final = "signed_in"
"""Key of the session for the time of signing in, in seconds since 1970."""


class MailError(Exception):
    """The confirmation mail of a new account could not be sent."""


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | ERRORS

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return invited.may_register(request)

    def new_user(self, request: HttpRequest) -> User:
        return User(role=Role(settings.ARCHIVE_NEW_ROLE))

    def clean_username(self, username: str, shallow: bool = False) -> str:
        name = normal_name(username)
        check_script(name)  # before allauth, whose message is about other characters
        name = str(super().clean_username(name, shallow))
        check_new_name(name)
        return name

    def get_login_stages(self) -> list[str]:
        return ["archive.web.accounts.stages.Confirmed", "allauth.mfa.stages.AuthenticateStage"]

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return the methods of allauth; that of passkeys has our text, and is left out where none work."""
        methods = {method["id"]: method for method in super().get_reauthentication_methods(user)}
        passkey = "mfa_reauthenticate:webauthn"
        if not passkeys_work(self.request):
            methods.pop(passkey, None)
        elif passkey in methods:
            methods[passkey] |= {"description": _("Use a passkey")}
        return [*methods.values()]

    def reauthenticate(self, user: AbstractBaseUser, password: str) -> bool:
        """Return whether the password is this user's.

        `account` is passed since the name may be the address of another account.
        """
        credentials = {"username": user.get_username(), "account": user, "password": password}
        return self.authenticate(current.request, **credentials) is not None

    def login(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        super().login(request, user)
        request.session[_SIGNED_IN] = time.time()

    def post_login(self, request: HttpRequest, user: AbstractBaseUser, **more: Any) -> HttpResponse:
        """Return allauth's redirect, or one to the invitation into a group that the visitor accepted before.
        Signing in ends the invitations of the session."""
        response: HttpResponse = super().post_login(request, user, **more)
        invited.forget(request)
        key = joining.take(request)
        return redirect("join", key) if key else response

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Return allauth's answer, except that nobody has to reauthenticate soon after signing in."""
        since = time.time() - current.request.session.get(_SIGNED_IN, 0.0)
        if since < app_settings.REAUTHENTICATION_TIMEOUT:
            return False
        return bool(super().is_reauthentication_required(app=app, **more))

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def is_safe_url(self, url: str) -> bool:
        """Return whether an address has the host of the request, not merely one of `ALLOWED_HOSTS`."""
        request = current.request
        return url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def should_send_confirmation_mail(self, request: HttpRequest, email_address: Any, signup: bool) -> bool:
        """Charge the mail that is sent at signing in with an unconfirmed address."""
        if not signup:
            charge_mail(request, email_address.email)
        return True

    def get_reset_password_from_key_url(self, key: str) -> str:
        return public_address(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return public_address(super().get_email_confirmation_url(request, emailconfirmation))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail; log a failure and show a message. Raises MailError for mails of a registration."""
        try:
            super().send_mail(template_prefix, email, context)
        except Exception as error:  # of servers, the network or the parser of addresses
            log.exception("a mail was not sent: %s", template_prefix)
            if template_prefix in _OF_SIGN_UP:
                raise MailError from error
            messages.error(current.request, NOT_SENT)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: AbstractBaseUser,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Add the name of the account to the mail: several accounts may share a mailbox."""
        context = {"name": user.get_username()} | (context or {})
        super().send_notification_mail(template_prefix, user, context, email)
