"""User names that somebody tries: so many that nobody has, and not more, so that they are not guessed."""

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
def naming(user: User, name: str) -> Iterator[None]:
    """Count that an account names somebody, unless that succeeds: what raises stays counted, and so does an
    address of mail, of which success tells that it has an account.

    As many may fail as wrong passwords of an address. Raises LimitReachedError before anything is answered.
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
