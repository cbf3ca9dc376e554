"""Limits on wrong passwords, codes of second factors, passkeys and tokens: every way to sign in.

Only failures count. An attempt is counted before it is checked, so that parallel guesses gain nothing, and
uncounted if it succeeds. The limit of an account is several times that of an address: a guesser with many
addresses is stopped, and one with a single address cannot lock the owner out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest
from django.utils.translation import gettext as _

from archive.accounts.names import account_of, normal_name
from archive.http.limits.addresses import client_address, client_network
from archive.http.limits.counting import counter, key_of
from archive.http.limits.rules import SIGN_INS
from archive.http.limits.throttling import LimitReachedError
from archive.models import User

ACCOUNT_FACTOR: Final = 5
"""The limit of failures of an account, as a multiple of that of an address."""


class CountedBackend(ModelBackend):
    """Django's users by confirmed mail address or name. Raises LimitReachedError after too many wrong
    passwords."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        email: str | None = None,
        account: User | None = None,
        **other: Any,
    ) -> User | None:
        """Return the user with this password: `account`, or the account with that name or address."""
        identifier = username or email
        if identifier is None or password is None:
            return None
        # PostgreSQL refuses to search for a NUL; no name has U+FFFD either.
        name = identifier.replace("\0", "\ufffd")
        user = account or account_of(name)
        name = user.username if user else normal_name(name)
        with attempt(request, name) as tried:
            authenticated = super().authenticate(request, name, password, **other)
            tried.succeeded = authenticated is not None
        return authenticated


@dataclass(slots=True)
class Attempt:
    """The outcome of an attempt to sign in."""

    succeeded: bool = False


@contextmanager
def attempt(request: HttpRequest | None, name: str | None) -> Iterator[Attempt]:
    """Count an attempt against its address and the account with a name, if any, unless it succeeds. Raises
    LimitReachedError."""
    keys = _count(request, name)
    tried = Attempt()
    yield tried
    if tried.succeeded:
        for key in keys:
            counter().take_back(key, 1)


def count_failure(request: HttpRequest) -> None:
    """Count a failure of no known account against its address. Raises LimitReachedError."""
    _count(request, None)


def _count(request: HttpRequest | None, name: str | None) -> list[bytes]:
    """Count an attempt against its address and its account; return the keys of the counters."""
    quota = SIGN_INS.quota
    # Commands on this machine have no request.
    if request is None or not settings.ARCHIVE_THROTTLE or not quota:
        return []
    limits = {key_of(SIGN_INS.name, "address", client_network(client_address(request))): quota}
    if name is not None:
        limits[key_of(SIGN_INS.name, "account", name.casefold())] = quota * ACCOUNT_FACTOR
    for key, limit in limits.items():
        count = counter().add(key, 1, SIGN_INS.seconds)
        if count.total > limit:
            text = _("Too many attempts to sign in. Try again in %(seconds)s seconds.")
            raise LimitReachedError(count.seconds, text)
    return [*limits]
