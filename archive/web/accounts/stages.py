"""The steps between a right password and being signed in, besides the second factor."""

from __future__ import annotations

from typing import Any

from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage


class Confirmed(EmailVerificationStage):
    """Who registered by mail confirms the address before they sign in for the first time.

    An account that somebody was invited to, or that an administrator made, needs no mail.
    """

    def handle(self) -> tuple[Any, bool]:
        demanded = EmailVerificationMethod.MANDATORY if self._is_needed() else EmailVerificationMethod.NONE
        self.login.email_verification = demanded
        found: tuple[Any, bool] = super().handle()
        return found

    def _is_needed(self) -> bool:
        user = self.login.user
        # Nobody is who registers an address that has an account: they get the same answer.
        if user is None:
            return True
        return user.last_login is None and EmailAddress.objects.filter(user=user).exists()
