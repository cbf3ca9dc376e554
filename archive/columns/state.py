"""What there is to ask: the files in use, what is gone of them, and how much is in none yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from django.conf import settings
from django.db import connection

from archive.columns.duck import Asked, asking
from archive.columns.folder import columns_folder, is_here, place

T = TypeVar("T")

TRIES: Final = 3
"""Looks at what is in use where a file of it is not there: it may just have been put together with others."""

# One statement, so of one moment: a file that takes the place of others has none of what is gone.
_STATE: Final = """
    SELECT 0, space, name FROM archive_columnsegment WHERE retired IS NULL AND space IN ({spaces})
    UNION ALL SELECT 1, slot, '' FROM archive_columngone WHERE NOT waited
    UNION ALL SELECT 2, count(*), '' FROM archive_columnwaiting WHERE space IN ({spaces})
"""


class MissingFilesError(Exception):
    """This machine does not have a file of columns that is in use."""


class State(NamedTuple):
    """What there is of some spaces: files, slots in them that are no game's any more, games in no file."""

    files: tuple[Path, ...]
    gone: tuple[int, ...]
    waiting: int


def state(spaces: Sequence[int]) -> State:
    """Return what there is of spaces, as the first database has it at this moment."""
    places = ", ".join(str(int(space)) for space in spaces)
    with connection.cursor() as cursor:
        cursor.execute(_STATE.format(spaces=places))
        rows = cursor.fetchall()
    files = sorted(place(space, name) for what, space, name in rows if what == 0)
    gone = tuple(slot for what, slot, _ in rows if what == 1)
    return State(tuple(files), gone, sum(n for what, n, _ in rows if what == 2))


def asked(spaces: Sequence[int], ask: Callable[[Asked, State], T]) -> T:
    """Return what `ask` makes of the files of spaces; where one of them is not there any more, of those that
    took its place. Raises BusyError, TimeoutError after ARCHIVE_SEARCH_SECONDS, MissingFilesError."""
    with asking(settings.ARCHIVE_SEARCH_SECONDS) as question:
        for _ in range(TRIES):
            found = state(spaces)
            if not all(map(is_here, found.files)):
                continue
            try:
                return ask(question, found)
            except FileNotFoundError:
                if all(map(is_here, found.files)):
                    raise
    raise MissingFilesError(f"a file in {columns_folder()} is not there")
