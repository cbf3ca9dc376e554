"""Fills an archive with made-up games through its own store, from several processes, and times it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.pool import Pool
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import uuid4

from benchmarks.support import bare, population

if TYPE_CHECKING:
    from archive.derive.game import DerivedEntry

BATCHES: Final = {"postgresql": 200, "sqlite": 300}
"""Games in a transaction, about as a worker takes them."""

BARE_EVERY = 4
"""The rows of one batch in so many are written once more, bare: the limit at this moment."""


class Written(NamedTuple):
    """A batch: games, rows, the seconds it took to store it, those of this process's processor, and those of
    writing the same rows bare right afterwards (None where that was not done)."""

    games: int
    rows: int
    seconds: float
    cpu: float
    bare: float | None


@dataclass(slots=True)
class Filled:
    """What was written so far. `rate` is what one process writes while it writes, `wall` all of it together
    with the making of the games. `bare_rows` were also written bare, in `bare_seconds`; storing these games
    took `beside_seconds`."""

    games: int = 0
    rows: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    wall: float = 0.0
    bare_rows: int = 0
    bare_seconds: float = 0.0
    beside_seconds: float = 0.0

    def add(self, written: Written) -> None:
        self.games += written.games
        self.rows += written.rows
        self.seconds += written.seconds
        self.cpu += written.cpu
        if written.bare is not None:
            self.bare_rows += written.rows
            self.bare_seconds += written.bare
            self.beside_seconds += written.seconds

    @property
    def rate(self) -> float:
        return self.games / self.seconds if self.seconds else 0.0

    @property
    def times_bare(self) -> float:
        """How many times as long as the bare writing of the same rows it took to store games: the growth
        curve that does not depend on what else the machine does."""
        return self.beside_seconds / self.bare_seconds if self.bare_seconds else 0.0


def _begin() -> None:
    import django

    from archive.serving.child import BEHIND_READERS

    os.nice(BEHIND_READERS)

    django.setup()


def _write(numbers: range, space: int = 0) -> Written:
    """Make games and store them as one upload for a space; sometimes write their rows bare too."""
    from archive import store
    from archive.derive.game import DerivedEntry

    entries = [DerivedEntry(seq, population.game(number, space)) for seq, number in enumerate(numbers)]
    begun, cpu = time.perf_counter(), time.process_time()
    upload, _ = store.create_upload("bench.csa", [uuid4().bytes], source="command", space=space)
    token = uuid4().hex
    if not store.claim(upload.pk, token):
        raise RuntimeError("nobody else should have claimed this upload")
    store.store_batches([store.ReadBatch(upload.pk, entries)], token)
    store.finish(upload.pk, token)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    rows = sum(len(entry.game.rows) for entry in entries if entry.game)
    limit = _bare(entries) if numbers.start // batch() % BARE_EVERY == 0 else None
    return Written(len(entries), rows, seconds, cpu, limit)


def _bare(entries: Sequence[DerivedEntry]) -> float:
    """The seconds it takes to write the rows of games bare, sorted as the store sorts them."""
    from archive.index.schema import IndexRow

    games = enumerate(entry.game for entry in entries if entry.game)
    return bare.seconds_of(
        sorted(
            IndexRow(row.key, game.played, slot, row.ply, row.move, row.flags, game.result)
            for slot, game in games
            for row in game.rows
        )
    )


def batch() -> int:
    """Games in a transaction on this database."""
    from django.db import connection

    return BATCHES[connection.vendor]


@contextmanager
def writers(processes: int) -> Iterator[Pool]:
    """Processes that write; they are gone afterwards."""
    with get_context("spawn").Pool(processes, _begin) as pool:
        yield pool


def fill(pool: Pool, first: int, last: int, steps: int = 10, space: int = 0) -> Iterator[Filled]:
    """Write the games of these numbers into a space; how it went, for each of `steps` equal parts, while it
    goes."""
    parts = list(population.batches(first, last, batch()))
    each = max(1, -(-len(parts) // steps))
    part, begun = Filled(), time.perf_counter()
    for number, written in enumerate(pool.imap_unordered(partial(_write, space=space), parts), start=1):
        part.add(written)
        if number % each == 0 or number == len(parts):
            now = time.perf_counter()
            part.wall, begun = now - begun, now
            yield part
            part = Filled()
