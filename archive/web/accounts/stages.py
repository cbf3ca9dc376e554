"""The stage of signing in that confirms the address of a new account."""

from __future__ import annotations

from typing import Any

from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage


class Confirmed(EmailVerificationStage):
    """Requires a confirmed address before the first sign-in of an account that has an address.

    Accounts of invited people, and those that administrators made, have none.
    """

    def handle(self) -> tuple[Any, bool]:
        demanded = EmailVerificationMethod.MANDATORY if self._is_needed() else EmailVerificationMethod.NONE
        self.login.email_verification = demanded
        result: tuple[Any, bool] = super().handle()
        return result

    def _is_needed(self) -> bool:
        user = self.login.user
        if user is None:  # registration of an address that has an account: the response must be the same
            return True
        return user.last_login is None and EmailAddress.objects.filter(user=user).exists()
