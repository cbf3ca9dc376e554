"""Fills an archive with made-up games through its own store, from several processes, and times it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.pool import Pool
from typing import NamedTuple
from uuid import uuid4

from benchmarks.support import population

BATCH = 200
"""Games in a transaction, as the worker takes them."""


class Written(NamedTuple):
    """A batch: games, rows, the seconds it took to store it, and those of this process's processor."""

    games: int
    rows: int
    seconds: float
    cpu: float


@dataclass(slots=True)
class Filled:
    """What was written so far. `rate` is what one process writes while it writes, `wall` all of it together
    with the making of the games."""

    games: int = 0
    rows: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    wall: float = 0.0

    def add(self, written: Written) -> None:
        self.games += written.games
        self.rows += written.rows
        self.seconds += written.seconds
        self.cpu += written.cpu

    @property
    def rate(self) -> float:
        return self.games / self.seconds if self.seconds else 0.0


def _begin() -> None:
    import django

    django.setup()


def _write(numbers: range) -> Written:
    """Make games and store them as one upload."""
    from archive.ingest import store
    from archive.ingest.ready import ReadyEntry

    entries = [ReadyEntry(seq, population.game(number)) for seq, number in enumerate(numbers)]
    begun, cpu = time.perf_counter(), time.process_time()
    upload, _ = store.create_upload("bench.csa", [uuid4().bytes], source="command")
    token = uuid4().hex
    if not store.claim(upload.pk, token):
        raise RuntimeError("nobody else should have claimed this upload")
    store.ingest(upload.pk, token, entries)
    store.finish(upload.pk, token)
    rows = sum(len(entry.game.rows) for entry in entries if entry.game)
    return Written(len(entries), rows, time.perf_counter() - begun, time.process_time() - cpu)


@contextmanager
def writers(processes: int) -> Iterator[Pool]:
    """Processes that write; they are gone afterwards."""
    with get_context("spawn").Pool(processes, _begin) as pool:
        yield pool


def fill(pool: Pool, first: int, last: int, steps: int = 10) -> Iterator[Filled]:
    """Write the games of these numbers; how it went, for each of `steps` equal parts, while it goes."""
    parts = list(population.batches(first, last, BATCH))
    each = max(1, -(-len(parts) // steps))
    part, begun = Filled(), time.perf_counter()
    for number, written in enumerate(pool.imap_unordered(_write, parts), start=1):
        part.add(written)
        if number % each == 0 or number == len(parts):
            now = time.perf_counter()
            part.wall, begun = now - begun, now
            yield part
            part = Filled()
