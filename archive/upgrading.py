"""The versions of the tables from which an archive can be brought up to date."""

from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

OLDEST: Final = "0006_recent_rows"
"""The last of the migrations that are one by now: archives that have it can be brought up to date."""

_FIRST: Final = "0001_initial"


def is_too_old(connection: BaseDatabaseWrapper) -> bool:
    """Return whether a database has some of the migrations that are one by now, and not all of them."""
    applied = MigrationRecorder(connection).applied_migrations()
    return ("archive", _FIRST) in applied and ("archive", OLDEST) not in applied
