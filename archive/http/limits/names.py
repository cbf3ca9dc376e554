"""A limit on unknown user names that an account tries, so that it cannot guess names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from archive.accounts.names import normal_name
from archive.http.limits.counting import counter, key_of
from archive.http.limits.rules import SIGN_INS
from archive.http.limits.throttling import LimitReachedError
from archive.models import User


@contextmanager
def count_unknown_name(user: User, name: str) -> Iterator[None]:
    """Count an attempt of an account to name another one, unless the body succeeds with a user name. Mail
    addresses always count, because success reveals that the address has an account.

    The limit is that of wrong passwords from one address. Raises LimitReachedError before the body runs.
    """
    quota = SIGN_INS.quota
    if not settings.ARCHIVE_THROTTLE or not quota:
        yield
        return
    key = key_of("names", "account", str(user.pk))
    count = counter().add(key, 1, SIGN_INS.seconds)
    if count.total > quota:
        raise LimitReachedError(
            count.seconds, _("Too many unknown user names. Try again in %(seconds)s seconds.")
        )
    yield
    if "@" not in normal_name(name):
        counter().take_back(key, 1)
