"""Checks at the start of a process, which ends with a sentence instead of a traceback."""

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
"""The exit code of a process that must not be restarted as it is configured (EX_CONFIG)."""


def load_settings() -> None:
    """Load the settings; end this process with a message about an invalid one."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
    try:
        _any = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        refuse(str(error))


def refuse(reason: str) -> NoReturn:
    """End this process with a sentence, in the log's format."""
    _report(reason)
    sys.exit(REFUSED)


def _report(line: str) -> None:
    if apps.ready and settings.LOG_FORMAT == "json":
        logging.getLogger(__name__).error("%s", line)
    else:
        print(line, file=sys.stderr)


_OF_FILES: Final = frozenset((errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT))


@contextmanager
def exit_on_known_errors() -> Iterator[None]:
    """End this process with a sentence if the block fails because of a file that cannot be written, a full
    disk, or a database that cannot be reached or has no tables."""
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
    """Print the messages of the checks with these tags; end this process if one is serious."""
    from django.core.checks import run_checks

    messages = run_checks(tags=list(tags))
    for message in messages:
        _report(f"{message.id}: {message.msg}" + (f"; {message.hint}" if message.hint else ""))
    if any(message.is_serious() for message in messages):
        sys.exit(REFUSED)


def refuse_other_tables() -> None:
    """End this process if another version created the tables; go on if the database does not answer."""
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
    """Return the applied migrations of the archive that this version lacks, in order."""
    from django.db.migrations.recorder import MigrationRecorder

    own = {path.stem for path in (Path(__file__).parents[1] / "migrations").glob("0*.py")}
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(name for app, name in applied if app == "archive" and name not in own)
