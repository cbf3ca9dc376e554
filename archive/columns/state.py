"""The column files in use, the deleted games in them, and the number of games that are in no file yet."""

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

# One statement, so one snapshot: a merged file has none of the deleted games.
_STATE: Final = """
    SELECT 0, space, name FROM archive_columnsegment WHERE retired IS NULL AND space IN ({spaces})
    UNION ALL SELECT 1, slot, '' FROM archive_columngone WHERE NOT waited
    UNION ALL SELECT 2, count(*), '' FROM archive_columnwaiting WHERE space IN ({spaces})
"""


class MissingFilesError(Exception):
    """A column file in use is missing on this machine."""


class ColumnState(NamedTuple):
    """The columns of some spaces: files, slots in them whose games are deleted, number of games in no
    file."""

    files: tuple[Path, ...]
    deleted: tuple[int, ...]
    waiting: int


def column_state(spaces: Sequence[int]) -> ColumnState:
    """Return the state of the columns of spaces, from the primary database."""
    places = ", ".join(str(int(space)) for space in spaces)
    with connection.cursor() as cursor:
        cursor.execute(_STATE.format(spaces=places))
        rows = cursor.fetchall()
    files = sorted(column_path(space, name) for part, space, name in rows if part == 0)
    deleted = tuple(slot for part, slot, _ in rows if part == 1)
    return ColumnState(tuple(files), deleted, sum(n for part, n, _ in rows if part == 2))


def with_columns(spaces: Sequence[int], search: Callable[[DuckQuery, ColumnState], T]) -> T:
    """Return the result of `search` on the files of spaces; if a file was just merged, on the merged file.
    Raises BusyError, TimeoutError after ARCHIVE_SEARCH_SECONDS, MissingFilesError."""
    with duck_query(settings.ARCHIVE_SEARCH_SECONDS) as query:
        for _ in range(TRIES):
            state = column_state(spaces)
            if not all(map(is_complete, state.files)):
                continue
            try:
                return search(query, state)
            except FileNotFoundError:
                if all(map(is_complete, state.files)):
                    raise
    raise MissingFilesError(f"a file in {columns_folder()} is missing")
