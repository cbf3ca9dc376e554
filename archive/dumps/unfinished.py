"""An unfinished dump. Its state is stored in its folder, so that any process can continue it.

Only the process that holds the lock works on it, in a folder whose name no dump has; a complete dump is
renamed. What a killed process leaves behind is continued or deleted by the next one.
"""

from __future__ import annotations

import fcntl
import json
import logging
import math
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Final

from django.utils import timezone

from archive.dumps.offered import DELETING, dumps_folder, name_of
from archive.dumps.parts import DumpPart, lines_file, remove_games, rows_file, unpublished_games, write_part
from archive.index.changes import public_revision
from archive.queries.games.dump_marks import last_game
from archive.queries.scope import PUBLIC

MOST_HOURS: Final = 24
"""A dump that was begun earlier is begun anew, since its first games are out of date."""

_UNFINISHED: Final = ".making"
_STATE: Final = "state.json"
_LAST: Final = ".last"

log = logging.getLogger(__name__)


class DumpInProgressError(RuntimeError):
    """Another process is making a dump."""


@contextmanager
def dump_lock() -> Iterator[None]:
    """Keep other processes from making a dump. Raises DumpInProgressError if one does."""
    folder = dumps_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DumpInProgressError("another process is making a dump") from None
        yield


def is_begun() -> bool:
    """Return whether there is an unfinished dump."""
    return (dumps_folder() / _UNFINISHED / _STATE).exists()


@dataclass(slots=True)
class UnfinishedDump:
    """A dump that has the games with ids up to `after`, of those up to `until`."""

    began: datetime
    until: int
    revision: str
    after: int = 0
    complete: bool = False
    parts: list[DumpPart] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return dumps_folder() / _UNFINISHED

    @property
    def name(self) -> str:
        return name_of(self.began)

    @property
    def games(self) -> int:
        return sum(part.games for part in self.parts)

    @property
    def rows(self) -> list[Path]:
        """Return the files of rows, in the order of the games."""
        return [rows_file(self.folder, part.number) for part in self.parts]

    def write(self, deadline: float = math.inf) -> None:
        """Write the next part, until a time of the monotonic clock."""
        number = len(self.parts) + 1
        part, self.after, self.complete = write_part(self.folder, number, self.after, self.until, deadline)
        # A part that ended early may have had the last games: then the next one is empty.
        if part.games or not self.parts:
            self.parts.append(part)
        self.save()

    def remove_unpublished(self, deadline: float = math.inf) -> bool:
        """Remove the games that are no longer public; return whether there were none.

        After the deadline no second part is rewritten.
        """
        none = True
        for at, part in enumerate(self.parts):
            if games := unpublished_games(self.folder, part.number):
                none = False
                self.parts[at] = remove_games(self.folder, part, games)
                self.save()
                if monotonic() > deadline:
                    return False
        return none

    def save(self) -> None:
        """Store the state."""
        state = asdict(self) | {"began": self.began.isoformat()}
        new = self.folder / "state.new"
        new.write_text(json.dumps(state))
        new.replace(self.folder / _STATE)

    def delete_state(self) -> None:
        """Keep other processes from continuing this dump."""
        (self.folder / _STATE).unlink()

    @classmethod
    def resume(cls) -> UnfinishedDump | None:
        """Return the unfinished dump; None if there is none that can be continued."""
        folder = dumps_folder() / _UNFINISHED
        try:
            state = json.loads((folder / _STATE).read_text())
            parts = [DumpPart(**part) for part in state.pop("parts")]
            dump = cls(datetime.fromisoformat(state.pop("began")), parts=parts, **state)
            intact = all(lines_file(folder, part.number).stat().st_size == part.size for part in parts)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        old = timezone.now() - dump.began > timedelta(hours=MOST_HOURS)
        return dump if intact and not old and _rows_agree(dump) else None

    @classmethod
    def begin(cls) -> UnfinishedDump:
        """Delete the rest of an earlier dump, and begin a new one."""
        clean()
        revision = sha256(repr(public_revision()).encode()).hexdigest()
        dump = cls(_unused_moment(), last_game(PUBLIC), revision)
        dump.folder.mkdir()
        dump.save()
        return dump


def _rows_agree(dump: UnfinishedDump) -> bool:
    """Return whether each part has a row for each line: a process may have been killed while it rewrote
    them."""
    for part in dump.parts:
        with rows_file(dump.folder, part.number).open("rb") as rows:
            if sum(1 for _row in rows) != part.games:
                return False
    return True


def _unused_moment() -> datetime:
    """Return the current second, or the first one later that gives a name that no dump has ever had.

    Names of deleted dumps are not used again, since caches rely on files that never change.
    """
    now, last_file = timezone.now().replace(microsecond=0), dumps_folder() / _LAST
    last = last_file.read_text() if last_file.exists() else ""
    while name_of(now) <= last:
        now += timedelta(seconds=1)
    last_file.write_text(name_of(now))
    return now


def clean() -> None:
    """Delete what remains of dumps that were not finished or not completely deleted."""
    for path in dumps_folder().iterdir():
        if path.name == _UNFINISHED or path.name.startswith(DELETING):
            log.warning("what is left of a dump is deleted: %s", path.name)
            shutil.rmtree(path)
