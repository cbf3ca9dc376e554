"""Fill an archive with made-up games through its own store, from several processes, and time it.

The limit of writing is measured as well: the same rows of the index by COPY or `executemany` alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.pool import Pool
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import uuid4

from benchmarks import population

if TYPE_CHECKING:
    from archive.derive.game import DerivedEntry
    from archive.index.schema import IndexRow

BATCHES: Final = {"postgresql": 200, "sqlite": 300}
"""Games in a transaction, about as many as in a worker's."""

BARE_EVERY: Final = 4
"""The rows of one batch in so many are also written bare, to measure the limit at that moment."""

BARE_ROWS: Final = 500_000
ROWS_A_GAME: Final = 50
"""A lower bound: games have about twice as many."""

_COLUMNS: Final = "key, played, slot, ply, move, flags, result"
_TABLE: Final = """
    CREATE TABLE {name} (key bigint NOT NULL, played integer NOT NULL, slot integer NOT NULL,
    ply smallint NOT NULL, move smallint NOT NULL, flags smallint NOT NULL, result smallint NOT NULL)
"""
_INDEX: Final = "CREATE UNIQUE INDEX {name}_key ON {name} (key, played, slot, ply, move)"


class StoredBatch(NamedTuple):
    """A stored batch: games, rows, elapsed and processor seconds of storing it. `bare` are the seconds of
    then writing the same rows bare, None without that."""

    games: int
    rows: int
    seconds: float
    cpu: float
    bare: float | None


@dataclass(slots=True)
class FillTotals:
    """Sums over batches.

    `seconds` are those of storing, `wall` includes making the games and is shared by all writers.
    `bare_rows` rows were also written bare, in `bare_seconds`; storing them took `store_seconds`.
    """

    games: int = 0
    rows: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    wall: float = 0.0
    bare_rows: int = 0
    bare_seconds: float = 0.0
    store_seconds: float = 0.0

    def add(self, batch: StoredBatch) -> None:
        self.games += batch.games
        self.rows += batch.rows
        self.seconds += batch.seconds
        self.cpu += batch.cpu
        if batch.bare is not None:
            self.bare_rows += batch.rows
            self.bare_seconds += batch.bare
            self.store_seconds += batch.seconds

    @property
    def rate(self) -> float:
        """Return games a second of one writer while it stores."""
        return self.games / self.seconds if self.seconds else 0.0

    @property
    def times_bare(self) -> float:
        """Return the time of storing games over that of writing their rows bare: a ratio that is also valid
        on a busy machine."""
        return self.store_seconds / self.bare_seconds if self.bare_seconds else 0.0


def batch_size() -> int:
    """Return the number of games in a transaction on this database."""
    from django.db import connection

    return BATCHES[connection.vendor]


@contextmanager
def writers(processes: int) -> Iterator[Pool]:
    """Start processes that write."""
    with get_context("spawn").Pool(processes, _set_up) as pool:
        yield pool


def fill(pool: Pool, first: int, last: int, steps: int = 10) -> Iterator[FillTotals]:
    """Store the games with these numbers; yield the sums of each of `steps` equal parts as it ends."""
    size = batch_size()
    batches = [range(start, min(start + size, last)) for start in range(first, last, size)]
    each = max(1, -(-len(batches) // steps))
    part, began = FillTotals(), time.perf_counter()
    for number, batch in enumerate(pool.imap_unordered(_store, batches), start=1):
        part.add(batch)
        if number % each == 0 or number == len(batches):
            now = time.perf_counter()
            part.wall, began = now - began, now
            yield part
            part = FillTotals()


def _set_up() -> None:
    import django

    from archive.serving.child import WORKER_NICENESS

    os.nice(WORKER_NICENESS)
    django.setup()


def _store(numbers: range) -> StoredBatch:
    """Make games and store them as one upload; also write the rows of some batches bare."""
    from archive import store
    from archive.derive.game import DerivedEntry

    entries = [DerivedEntry(seq, population.game(number)) for seq, number in enumerate(numbers)]
    begun, cpu = time.perf_counter(), time.process_time()
    upload, _ = store.create_upload("bench.csa", [uuid4().bytes], source="command")
    token = uuid4().hex
    if not store.claim(upload.pk, token):
        raise RuntimeError("another process has claimed this upload")
    store.store_batches([store.ReadBatch(upload.pk, entries)], token)
    store.finish(upload.pk, token)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    rows = sum(len(entry.game.rows) for entry in entries if entry.game)
    bare = _bare_seconds(entries) if numbers.start // batch_size() % BARE_EVERY == 0 else None
    return StoredBatch(len(entries), rows, seconds, cpu, bare)


# --- the limit -------------------------------------------------------------------------------------------


def bare_rates() -> dict[str, float]:
    """Return rows a second of writing up to `BARE_ROWS` rows of the archive, without and with the index."""
    from django.db import connection

    from archive.index.schema import IndexRow

    with connection.cursor() as cursor:
        # In the order of games, as a bare writer would get them.
        cursor.execute(
            f"SELECT {_COLUMNS} FROM archive_occurrence WHERE slot < {BARE_ROWS // ROWS_A_GAME} "
            f"ORDER BY slot, ply LIMIT {BARE_ROWS}"
        )
        rows = [IndexRow(*row) for row in cursor.fetchall()]
    return {
        "bare, no index": len(rows) / write_bare(rows),
        "bare, with the index": len(rows) / write_bare(rows, indexed=True),
    }


def write_bare(rows: Sequence[IndexRow], *, indexed: bool = False) -> float:
    """Write rows into an empty table and commit; return the seconds."""
    from django.db import connection, transaction

    from archive.index import postgresql

    name = f"bench_bare_{os.getpid()}"
    with connection.cursor() as cursor:
        for statement in (_TABLE, _INDEX) if indexed else (_TABLE,):
            cursor.execute(statement.format(name=name))
        begun = time.perf_counter()
        with transaction.atomic():
            if connection.vendor == "postgresql":
                postgresql.insert(cursor, rows, name)
            else:
                places = ", ".join(["%s"] * 7)
                cursor.executemany(f"INSERT INTO {name} ({_COLUMNS}) VALUES ({places})", rows)
        seconds = time.perf_counter() - begun
        cursor.execute(f"DROP TABLE {name}")
    return seconds


def _bare_seconds(entries: Sequence[DerivedEntry]) -> float:
    """Return the seconds of writing the rows of games bare, in the order of the store."""
    from archive.index.schema import IndexRow

    games = enumerate(entry.game for entry in entries if entry.game)
    return write_bare(
        sorted(
            IndexRow(row.key, game.played, slot, row.ply, row.move, row.flags, game.result)
            for slot, game in games
            for row in game.rows
        )
    )
