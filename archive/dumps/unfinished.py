"""A dump on its way: what is done of it stands in its folder, so that any process can go on with it.

Nobody but who holds the lock does. Everything is made in a folder of a name that no dump has; what is renamed
in the end is whole. What a process that was killed leaves behind the next one goes on with, or deletes.
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

from archive.dumps.offered import GONE, dumps_folder, name_of, offered
from archive.dumps.parts import Part, gone_of, lines_file, rows_file, without, write_part
from archive.index.changes import public_revision
from archive.queries.games.dump_marks import last_game
from archive.queries.scope import PUBLIC

MOST_HOURS: Final = 24
"""A dump that was begun before is begun anew: what it has of its first games is old."""

_MAKING: Final = ".making"
_STATE: Final = "state.json"
_LAST: Final = ".last"

log = logging.getLogger(__name__)


class DumpIsMadeError(RuntimeError):
    """Another process is making a dump."""


@contextmanager
def alone() -> Iterator[None]:
    """Keep all other processes from making a dump. Raises DumpIsMadeError where one does."""
    folder = dumps_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DumpIsMadeError("another process is making a dump") from None
        yield


def is_begun() -> bool:
    """Tell whether there is a dump to go on with."""
    return (dumps_folder() / _MAKING / _STATE).exists()


@dataclass(slots=True)
class Making:
    """A dump that is being made: it has the games up to `after` of those up to `until`."""

    began: datetime
    until: int
    revision: str
    after: int = 0
    complete: bool = False
    parts: list[Part] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return dumps_folder() / _MAKING

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
        """Write the next part, up to a time of the monotonic clock."""
        number = len(self.parts) + 1
        part, reach = write_part(self.folder, number, self.after, self.until, deadline)
        # One that ended because it had enough may have had all.
        if part.games or not self.parts:
            self.parts.append(part)
        self.after, self.complete = reach.after, reach.complete
        self.save()

    def take_out(self, deadline: float = math.inf) -> bool:
        """Take out the games that are public no more; return whether there were none. Beyond the deadline no
        second part is written again."""
        none = True
        for at, part in enumerate(self.parts):
            if gone := gone_of(self.folder, part.number):
                none = False
                self.parts[at] = without(self.folder, part, gone)
                self.save()
                if monotonic() > deadline:
                    return False
        return none

    def save(self) -> None:
        """Keep what is done."""
        state = asdict(self) | {"began": self.began.isoformat()}
        new = self.folder / "state.new"
        new.write_text(json.dumps(state))
        new.replace(self.folder / _STATE)

    def forget(self) -> None:
        """Let nobody go on with this."""
        (self.folder / _STATE).unlink()

    @classmethod
    def resumed(cls) -> Making | None:
        """Return the dump that was begun; None where there is none that can be gone on with."""
        folder = dumps_folder() / _MAKING
        try:
            state = json.loads((folder / _STATE).read_text())
            parts = [Part(**part) for part in state.pop("parts")]
            made = cls(datetime.fromisoformat(state.pop("began")), parts=parts, **state)
            whole = all(lines_file(folder, one.number).stat().st_size == one.size for one in parts)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        old = timezone.now() - made.began > timedelta(hours=MOST_HOURS)
        return made if whole and not old and _rows_agree(made) else None

    @classmethod
    def begun(cls) -> Making:
        """Begin a dump, after what is left of an earlier one is deleted."""
        clean()
        revision = sha256(repr(public_revision()).encode()).hexdigest()
        making = cls(_moment(), last_game(PUBLIC), revision)
        making.folder.mkdir()
        making.save()
        return making


def _rows_agree(making: Making) -> bool:
    """Tell whether there is a row for each line: a process may have been killed while it wrote them again."""
    for part in making.parts:
        with rows_file(making.folder, part.number).open("rb") as rows:
            if sum(1 for _row in rows) != part.games:
                return False
    return True


def _moment() -> datetime:
    """Return the moment that a dump is begun; a second after the last one where that is not over yet. Also of
    a dump that was deleted nobody has the name again: what caches keep of it never changes."""
    now, kept = timezone.now().replace(microsecond=0), dumps_folder() / _LAST
    last = kept.read_text() if kept.exists() else ""
    while name_of(now) <= last:
        now += timedelta(seconds=1)
    kept.write_text(name_of(now))
    return now


def clean() -> None:
    """Delete what is left of dumps that were not finished, or were being deleted."""
    for path in dumps_folder().iterdir():
        if path.name == _MAKING or path.name.startswith(GONE):
            log.warning("what is left of a dump is deleted: %s", path.name)
            shutil.rmtree(path)


def newest() -> datetime | None:
    """Return when the newest dump was made; None without any."""
    return max((dump.made for dump in offered()), default=None)
