"""Passwords: every way to sign in comes through here, and so many wrong ones are tried, not more.

Only failures count. An attempt is counted before the password is looked at, so that a thousand at once are no
more than one after the other, and taken back when it was right. One address has few failures, one account
several times as many from all addresses: a guesser with many addresses is stopped as well, and one with a
single address cannot keep the owner of an account out.
"""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest
from django.utils.translation import gettext as _

from archive.limits.addresses import client_address, neighbourhood
from archive.limits.counting import counter, key_of
from archive.limits.rules import SIGN_INS
from archive.limits.throttling import LimitReachedError
from archive.models import User

ACCOUNT_FACTOR: Final = 5
"""How many times as many failures an account may have as an address."""


class CountedBackend(ModelBackend):
    """Django's users; raises LimitReachedError after too many wrong passwords."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **other: Any,
    ) -> User | None:
        if username is None or password is None:
            return None
        counted = _counted(request, username)
        # No name has a NUL, which PostgreSQL refuses to look for.
        user = None if "\0" in username else super().authenticate(request, username, password, **other)
        if user is not None:
            for key in counted:
                counter().take_back(key, 1)
        return user


def _counted(request: HttpRequest | None, name: str) -> list[bytes]:
    """Count an attempt for its address and its account; return the counters."""
    quota = SIGN_INS.quota
    # Without a request nobody signs in from elsewhere: a command on this machine.
    if request is None or not settings.ARCHIVE_THROTTLE or not quota:
        return []
    address = key_of(SIGN_INS.name, "address", neighbourhood(client_address(request)))
    account = key_of(SIGN_INS.name, "account", name.casefold())
    for key, most in ((address, quota), (account, quota * ACCOUNT_FACTOR)):
        count = counter().add(key, 1, SIGN_INS.seconds)
        if count.total > most:
            text = _("Too many attempts to sign in. Try again in %(seconds)s seconds.")
            raise LimitReachedError(count.seconds, text)
    return [address, account]
