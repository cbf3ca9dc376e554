"""How programs sign in with each request: with a token, or with HTTP Basic if `ARCHIVE_BASIC_AUTH` is on."""

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from typing import Any, Final

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
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

KEPT_SECONDS: Final = 300
"""After so long a password is hashed again, which takes a third of a second."""
_MOST: Final = 1000
"""Passwords that are kept; the one that was not used for longest goes."""

_REALM: Final = "kifu-archive"


class KnownPasswords:
    """The passwords that this process has recently found right; it keeps only keyed digests of them.

    A digest is made from the user, the stored hash and the password that was sent. So a password is forgotten
    as soon as it is changed.
    """

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self.until: OrderedDict[bytes, float] = OrderedDict()
        self.lock = threading.Lock()

    def knows(self, user: Any, password: str) -> bool:
        digest = self._digest(user, password)
        with self.lock:
            if self.until.get(digest, 0.0) <= time.monotonic():
                self.until.pop(digest, None)
                return False
            self.until.move_to_end(digest)
            return True

    def remember(self, user: Any, password: str) -> None:
        with self.lock:
            self.until[self._digest(user, password)] = time.monotonic() + KEPT_SECONDS
            while len(self.until) > _MOST:
                self.until.popitem(last=False)

    def _digest(self, user: Any, password: str) -> bytes:
        text = f"{user.pk}\0{user.password}\0{password}"
        return hmac.digest(self.key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)


known_passwords = KnownPasswords()


class Bearer(BaseAuthentication):
    """`Authorization: Bearer` and the key of a token.

    It is the first of the classes, so every 401 has its challenge.
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
        found = f'Bearer realm="{_REALM}"'
        return f'{found}, Basic realm="{_REALM}", charset="UTF-8"' if settings.ARCHIVE_BASIC_AUTH else found


class Basic(BasicAuthentication):
    """Name and password, where they are allowed; elsewhere the request is a stranger's."""

    www_authenticate_realm = _REALM

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        if not settings.ARCHIVE_BASIC_AUTH:
            return None
        found: tuple[Any, None] | None = super().authenticate(request)
        return found

    def authenticate_credentials(
        self, userid: str, password: str, request: Request | None = None
    ) -> tuple[Any, None]:
        """Return the user. A password that was right a moment ago is not hashed again.

        Raises PermissionDenied if a page of another site made the browser send a password that it remembers.
        """
        if request is not None and comes_from_elsewhere(request):
            raise PermissionDenied(_("Pages of other sites cannot sign in with a name and a password."))
        found = account_of(userid)
        if found is None or not found.is_active or not known_passwords.knows(found, password):
            found, _nothing = super().authenticate_credentials(userid, password, request)
            known_passwords.remember(found, password)
        if is_mfa_enabled(found):
            raise PermissionDenied("this account has a second factor: use a token")
        return found, None
