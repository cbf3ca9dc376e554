"""The versions of the tables from which an archive can be brought up to date."""

from pathlib import Path
from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

OLDEST: Final = "0006_recent_rows"
"""The last of the migrations that are one by now: archives that have it can be brought up to date."""

READING: Final = 1
"""Which reading of records this version has: counted up when uploads should be read again."""

_FIRST: Final = "0001_initial"


def is_too_old(connection: BaseDatabaseWrapper) -> bool:
    """Return whether a database has some of the migrations that are one by now, and not all of them."""
    applied = MigrationRecorder(connection).applied_migrations()
    return ("archive", _FIRST) in applied and ("archive", OLDEST) not in applied


def later_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the migrations of a database that this version does not know, in their order."""
    known = {path.stem for path in (Path(__file__).parents[1] / "migrations").glob("*.py")}
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(name for app, name in applied if app == "archive" and name > OLDEST and name not in known)
