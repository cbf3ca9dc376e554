"""Passwords: every way to sign in comes through here, and so many wrong ones are tried, not more.

Codes of second factors, passkeys and keys of tokens come here too. Only failures count. An attempt is counted
before it is looked at, so that a thousand at once are no more than one after the other, and taken back when
it was right. One address has few failures, one account several times as many from all addresses: a guesser
with many addresses is stopped as well, and one with a single address cannot keep the owner of an account out.
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
from archive.http.limits.addresses import client_address, neighbourhood
from archive.http.limits.counting import counter, key_of
from archive.http.limits.rules import SIGN_INS
from archive.http.limits.throttling import LimitReachedError
from archive.models import User

ACCOUNT_FACTOR: Final = 5
"""How many times as many failures an account may have as an address."""


class CountedBackend(ModelBackend):
    """Django's users, by a confirmed address of mail or by name; raises LimitReachedError after too many
    wrong passwords."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        email: str | None = None,
        account: User | None = None,
        **other: Any,
    ) -> User | None:
        """Return the user whose password it is: `account` where it is known who is meant, else whom the
        name or the address means."""
        given = username or email
        if given is None or password is None:
            return None
        # Nothing has a NUL, which PostgreSQL refuses to look for; the name stays one that nobody has.
        name = given.replace("\0", "\ufffd")
        meant = account or account_of(name)
        name = meant.username if meant else normal_name(name)
        with attempt(request, name) as tried:
            user = super().authenticate(request, name, password, **other)
            tried.succeeded = user is not None
        return user


@dataclass(slots=True)
class Attempt:
    """One attempt to sign in; what does not succeed stays counted."""

    succeeded: bool = False


@contextmanager
def attempt(request: HttpRequest | None, name: str | None) -> Iterator[Attempt]:
    """Count an attempt for its address and the account of that name, unless it succeeds; without a name
    for its address alone.

    Raises LimitReachedError where there were too many.
    """
    counted = _counted(request, name)
    tried = Attempt()
    yield tried
    if tried.succeeded:
        for key in counted:
            counter().take_back(key, 1)


def count_failure(request: HttpRequest) -> None:
    """Count a failure that is no account's for its address. Raises LimitReachedError."""
    _counted(request, None)


def _counted(request: HttpRequest | None, name: str | None) -> list[bytes]:
    """Count an attempt for its address and its account; return the counters."""
    quota = SIGN_INS.quota
    # Without a request nobody signs in from elsewhere: a command on this machine.
    if request is None or not settings.ARCHIVE_THROTTLE or not quota:
        return []
    address = key_of(SIGN_INS.name, "address", neighbourhood(client_address(request)))
    counted = [(address, quota)]
    if name is not None:
        counted.append((key_of(SIGN_INS.name, "account", name.casefold()), quota * ACCOUNT_FACTOR))
    for key, most in counted:
        count = counter().add(key, 1, SIGN_INS.seconds)
        if count.total > most:
            text = _("Too many attempts to sign in. Try again in %(seconds)s seconds.")
            raise LimitReachedError(count.seconds, text)
    return [key for key, _most in counted]
