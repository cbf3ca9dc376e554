"""The second factor: codes of an authenticator app, and recovery codes. Passkeys are in `passkeys`."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, ClassVar, Final

from allauth.account.utils import user_pk_to_url_str
from allauth.core import context as current
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base import forms as mfa_forms
from allauth.mfa.totp.forms import ActivateTOTPForm
from cryptography.fernet import Fernet
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from archive.http.limits.counting import counter, key_of
from archive.web.accounts.forms import CodeForm
from archive.web.accounts.relying import relying_party

_USED_SECONDS: Final = 120
"""How long used codes are remembered: longer than a code of an app is valid."""
_CODE_LABELS: Final = {"code": gettext_lazy("Code of the app, or one of your recovery codes")}


class MFAAdapter(DefaultMFAAdapter):
    """Stores second factors encrypted with the archive's secret key."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": gettext_lazy("The code is wrong."),
    }

    def get_totp_issuer(self) -> str:
        return gettext("Kifu Archive")

    def get_totp_label(self, user: Any) -> str:
        return str(user.get_username())

    def generate_authenticator_name(self, user: Any, type: Any) -> str:
        number = user.authenticator_set.filter(type=type).count() + 1
        return gettext("Passkey %(number)d") % {"number": number}

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {"id": relying_party(current.request), "name": gettext("Kifu Archive")}

    def get_public_key_credential_user_entity(self, user: Any) -> dict[str, Any]:
        name = str(user.get_username())
        return {"id": user_pk_to_url_str(user).encode(), "display_name": name, "name": name}

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()


def _cipher() -> Fernet:
    secret = hashlib.sha256(b"second factor\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(secret))


class _SingleUseCodeForm(CodeForm):
    """Accepts a code once in all processes; allauth remembers used codes in its own process only."""

    def clean_code(self) -> str:
        code = super().clean_code()
        used = key_of("second factor", str(self.user.pk), code.strip().casefold())
        if counter().add(used, 1, _USED_SECONDS).total > 1:
            raise mfa_forms.get_adapter().validation_error("incorrect_code")
        return code


class AuthenticateForm(_SingleUseCodeForm, mfa_forms.AuthenticateForm):
    labels: ClassVar = _CODE_LABELS


class ReauthenticateCodeForm(_SingleUseCodeForm, mfa_forms.ReauthenticateForm):
    labels: ClassVar = _CODE_LABELS


class ActivateForm(_SingleUseCodeForm, ActivateTOTPForm):
    labels: ClassVar = {"code": gettext_lazy("Code that the app shows")}
