"""Authentication of programs: with a token, or with HTTP Basic if `ARCHIVE_BASIC_AUTH` is on."""

import hashlib
import hmac
import secrets
from typing import Any, Final

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, BasicAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from archive.accounts import tokens
from archive.accounts.names import account_of
from archive.api.problems import TOKEN
from archive.http.limits.signing_in import count_failure
from archive.intake.permissions import comes_from_elsewhere
from archive.models import Token, User

CACHE_SECONDS: Final = 300
"""A password is hashed again after this time. Hashing takes a third of a second."""
_MOST: Final = 1000
"""Passwords in the cache; the least recently used one is dropped."""

_REALM: Final = "kifu-archive"


class PasswordCache:
    """The passwords that this process has recently verified, as keyed digests.

    A digest is made from the user, the stored hash and the password that was sent, so it does not match after
    the password is changed.
    """

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        options = {"MAX_ENTRIES": _MOST, "CULL_FREQUENCY": _MOST}
        self.digests = LocMemCache("passwords", {"OPTIONS": options})

    def has(self, user: Any, password: str) -> bool:
        return self.digests.get(self._digest(user, password)) is not None

    def add(self, user: Any, password: str) -> None:
        self.digests.set(self._digest(user, password), True, CACHE_SECONDS)

    def _digest(self, user: Any, password: str) -> str:
        text = f"{user.pk}\0{user.password}\0{password}"
        return hmac.digest(self.key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()


verified_passwords = PasswordCache()


class Bearer(BaseAuthentication):
    """`Authorization: Bearer` with the key of a token.

    It is the first of the classes, so its challenge is that of every 401.
    """

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        scheme, _blank, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = tokens.find(key.strip())
        if token is None:
            count_failure(request._request)
            raise AuthenticationFailed("this token is wrong, expired or revoked", TOKEN)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401 (RFC 9110, 15.5.2), with that of Basic if it is on."""
        bearer = f'Bearer realm="{_REALM}"'
        return f'{bearer}, Basic realm="{_REALM}", charset="UTF-8"' if settings.ARCHIVE_BASIC_AUTH else bearer


class Basic(BasicAuthentication):
    """Name and password, if the archive allows them; otherwise the header is ignored."""

    www_authenticate_realm = _REALM

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        if not settings.ARCHIVE_BASIC_AUTH:
            return None
        user_and_nothing: tuple[Any, None] | None = super().authenticate(request)
        return user_and_nothing

    def authenticate_credentials(
        self, userid: str, password: str, request: Request | None = None
    ) -> tuple[Any, None]:
        """Return the user. A recently verified password is not hashed again.

        Raises PermissionDenied if a page of another site made the browser send its stored password.
        """
        if request is not None and comes_from_elsewhere(request):
            raise PermissionDenied(_("Pages of other sites cannot sign in with a name and a password."))
        user = account_of(userid)
        if user is None or not user.is_active or not verified_passwords.has(user, password):
            user, _nothing = super().authenticate_credentials(userid, password, request)
            verified_passwords.add(user, password)
        if is_mfa_enabled(user):
            raise PermissionDenied("this account has a second factor: use a token")
        return user, None
