"""The files of columns in use, the removed games in them, and the number of games not in a file yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from django.conf import settings
from django.db import connection

from archive.columns.duck import DuckQuery, duck_query
from archive.columns.folder import column_path, columns_folder, is_complete

T = TypeVar("T")

TRIES: Final = 3
"""How often the list of files is read again if a file is missing: it may just have been merged."""

# One statement, so one snapshot: a merged file has none of the removed games.
_STATE: Final = """
    SELECT 0, space, name FROM archive_columnsegment WHERE retired IS NULL AND space IN ({spaces})
    UNION ALL SELECT 1, slot, '' FROM archive_columngone WHERE NOT waited
    UNION ALL SELECT 2, count(*), '' FROM archive_columnwaiting WHERE space IN ({spaces})
"""


class MissingFilesError(Exception):
    """A file of columns in use is missing on this machine."""


class ColumnState(NamedTuple):
    """The columns of some spaces: files, slots in them whose games are gone, number of games in no file."""

    files: tuple[Path, ...]
    gone: tuple[int, ...]
    waiting: int


def column_state(spaces: Sequence[int]) -> ColumnState:
    """Return the state of the columns of spaces, from the primary database."""
    places = ", ".join(str(int(space)) for space in spaces)
    with connection.cursor() as cursor:
        cursor.execute(_STATE.format(spaces=places))
        rows = cursor.fetchall()
    files = sorted(column_path(space, name) for what, space, name in rows if what == 0)
    gone = tuple(slot for what, slot, _ in rows if what == 1)
    return ColumnState(tuple(files), gone, sum(n for what, n, _ in rows if what == 2))


def with_columns(spaces: Sequence[int], ask: Callable[[DuckQuery, ColumnState], T]) -> T:
    """Return the result of `ask` on the files of spaces; if a file was just merged, on the merged file.
    Raises BusyError, TimeoutError after ARCHIVE_SEARCH_SECONDS, MissingFilesError."""
    with duck_query(settings.ARCHIVE_SEARCH_SECONDS) as query:
        for _ in range(TRIES):
            found = column_state(spaces)
            if not all(map(is_complete, found.files)):
                continue
            try:
                return ask(query, found)
            except FileNotFoundError:
                if all(map(is_complete, found.files)):
                    raise
    raise MissingFilesError(f"a file in {columns_folder()} is not there")
