"""The start of a process: wrong settings, a database that does not answer and tables of another version end
it with a sentence."""

import errno
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

REFUSED: Final = 78
"""How a process ends that must not run as things are: to start it again is of no use (EX_CONFIG)."""


def load_settings() -> None:
    """Load the archive's settings. Where one of them is wrong, end with a line that says which."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
    try:
        _any = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        refuse(str(error))


def refuse(why: str) -> NoReturn:
    """End this process with a sentence, in the log's form."""
    _report(why)
    sys.exit(REFUSED)


def _report(line: str) -> None:
    if apps.ready and settings.LOG_FORMAT == "json":
        logging.getLogger(__name__).error("%s", line)
    else:
        print(line, file=sys.stderr)


_OF_FILES: Final = frozenset((errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT))


@contextmanager
def faults_in_a_sentence() -> Iterator[None]:
    """End with a sentence where the body fails at a database that cannot be reached or has no tables, or at a
    file that cannot be written."""
    from django.db import DatabaseError, connection

    from archive.project.disk import is_full

    try:
        yield
    except OSError as error:
        if error.errno not in _OF_FILES:
            raise
        refuse(f"{error.filename or 'a file'} cannot be read or written: {error.strerror}")
    except DatabaseError as error:
        if is_full(error):
            refuse(f"a disk is full, nothing of this was stored: {error}")
        try:
            tables = connection.introspection.table_names()
        except DatabaseError:
            refuse(f"the database of the settings cannot be reached: {' '.join(str(error).split())}")
        if "archive_game" not in tables:
            refuse("the database has no tables of an archive yet: run manage.py migrate")
        raise


def refuse_contradictions(tags: Iterable[str]) -> None:
    """Tell what the checks of these tags find, a line each; end this process if that is serious."""
    from django.core.checks import run_checks

    found = run_checks(tags=list(tags))
    for one in found:
        _report(f"{one.id}: {one.msg}" + (f"; {one.hint}" if one.hint else ""))
    if any(one.is_serious() for one in found):
        sys.exit(REFUSED)


def refuse_other_tables() -> None:
    """End this process if another version made the tables of the database. A database that does not answer is
    no reason to end."""
    from django.db import DatabaseError, connection

    try:
        others = other_migrations(connection)
    except DatabaseError:
        return
    if others:
        refuse(
            f"another version made the tables of this archive ({others[-1]}): run that version, or make a "
            "backup with it and import it into a new archive (docs/backup.md)"
        )


def other_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the applied migrations of the archive that this version does not have, in order."""
    from django.db.migrations.recorder import MigrationRecorder

    own = {path.stem for path in (Path(__file__).parents[1] / "migrations").glob("0*.py")}
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(name for app, name in applied if app == "archive" and name not in own)
