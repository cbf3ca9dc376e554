"""The position index at a size: the time to fill it, its bytes, and the time of its answers.

    python -m benchmarks.index [--engine postgresql|sqlite] [--games 5000] [--lookups 200] [--keep DIR]
        [--json]

Makes a database of its own (PostgreSQL from the development dependency, with the settings of a durable
server; SQLite as the embedded default has it), fills it with made-up games through the archive's own store,
and queries it. Each figure has its limit, measured in the same run: the same rows by a bare COPY, a SELECT by
primary key, a view that does nothing.

The figures of the API are of uncached answers: the process's cache is cleared before each request.
`cached answer` is the same request once more, answered from the cache.

`games a second` of the growth are those of one writing process while it stores; making the games is not
included. A million games take about 70 minutes on two idle cores, most of it the making of the games, and
16 GB. With `--keep` the archive stays in a folder; the next run fills it further or only measures.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, Final

from benchmarks import lookups, population
from benchmarks.filling import FillTotals, bare_rates, batch_size, fill, writers
from benchmarks.support import Target, announce, as_json, database, options_of, percentile, verdict

SHARES_OF: Final = 1000
FILES: Final = 4
GAMES_A_FILE: Final = 250
"""Fewer in a small archive."""

ROW_BYTES: Final = "bytes a row"
ROW_BYTES_TARGET: Final = "bytes a row, target"
ROW_BYTES_LIMIT: Final = "bytes a row, limit"


def stored_games() -> int:
    """Return the number of games in the archive, which have the numbers below it."""
    from archive.models import Game

    return Game.objects.count()


def grow(games: int, processes: int) -> list[FillTotals]:
    """Fill the archive up to so many games, and print each part."""
    done = stored_games()
    parts = list[FillTotals]()
    if done >= games:
        return parts
    with writers(processes) as pool:
        for part in fill(pool, done, games):
            parts.append(part)
            done += part.games
            print(
                f"  {done:>9,} games  {part.rate:>7,.0f} games/s a writer"
                f"  {part.rows / part.seconds:>9,.0f} rows/s"
                f"{_bare_ratio(part)}"
                f"  {1000 * part.cpu / part.games:5.2f} ms processor a game"
                f"  {part.games / part.wall:>7,.0f} games/s with making them",
                flush=True,
            )
    return parts


def _bare_ratio(part: FillTotals) -> str:
    """Return the ratio to bare writing; empty for a small part without bare batches."""
    return f"  {part.times_bare:5.1f} times as long as bare" if part.bare_rows else ""


def during_ingest(codes: lookups.Codes, first: int, count: int, processes: int) -> lookups.Times:
    """Time the usual answer while other processes write."""
    from archive.queries.positions.explorer import explore
    from archive.queries.positions.position_games import games_through
    from archive.queries.scope import PUBLIC

    ended, begun = Event(), Event()

    def write() -> None:
        with writers(processes) as pool:
            for number, _ in enumerate(fill(pool, first, first + 40 * batch_size(), steps=40)):
                if number:
                    begun.set()
                if ended.is_set():
                    pool.terminate()
                    break
        begun.set()

    writer = Thread(target=write)
    writer.start()
    begun.wait()

    def answer(code: str) -> None:
        explore(PUBLIC, "shogi", code)
        games_through(PUBLIC, "shogi", code, limit=25)

    chosen = [*codes.middle, *codes.hot]
    calls = (lambda code=code: answer(code) for code in lookups.repeated(chosen, 3 * count))
    times = lookups.timed_sql(
        "any, while others write: statistics, 25 games", lookups.Bounds(None, 6), calls, again=1
    )
    ended.set()
    writer.join()
    return times


def files_to_committed(first: int, size: int) -> float:
    """Return games a second of one process from the bytes of CSA files to committed, indexed games."""
    from archive import store
    from archive.intake import worker
    from benchmarks import generate

    files = [
        generate.csa_file(range(first + at * size, first + (at + 1) * size)).encode() for at in range(FILES)
    ]
    begun = time.perf_counter()
    for data in files:
        upload, _ = store.create_upload("bench.csa", [data], source="command")
        worker.work_off(upload.pk)
    return FILES * size / (time.perf_counter() - begun)


def table(rows: Iterable[lookups.Times]) -> list[dict[str, Any]]:
    """Print each row once it is measured; return all as JSON objects."""
    printed = []
    for row in rows:
        if not row.values:
            continue
        p50, p99 = percentile(row.values, 0.5), percentile(row.values, 0.99)
        target = f"  target {row.target}" if any(row.target) else ""
        cached = row.cached_median
        cached_text = "" if cached is None else f"  cached answer p50 {cached:8.2f} ms"
        print(f"  {row.name:<62} p50 {p50:8.2f} ms  p99 {p99:8.2f} ms{cached_text}{target}", flush=True)
        printed.append(
            {"name": row.name, "p50": p50, "p99": p99, "cached_p50": cached, "target": row.target,
             "n": len(row.values)}
        )  # fmt: skip
    return printed


def _print_figures(figures: dict[str, float], form: str, unit: str = "") -> dict[str, float]:
    """Print figures by name and return them."""
    for name, value in figures.items():
        print(f"  {name:<40} {value:>16{form}}{unit}")
    return figures


def measure(engine: str, games: int, times: int, processes: int, folder: Path) -> dict[str, Any]:
    """Measure everything and print each figure at once."""
    shares = population.shares(range(min(games, SHARES_OF)))
    print(
        f"{shares.games:,} such games: {shares.distinct:.1%} of rows are distinct positions, "
        f"{shares.transposed:.2%} of positions are reached in several ways, {shares.forked:.2%} of rows "
        f"are in variations, {shares.repeated:.2%} of nodes repeat one of their game"
    )
    print(f"filling, {processes} writer(s), {batch_size()} games a transaction")
    parts = grow(games, processes)
    from django.db import connection

    with connection.cursor() as cursor:
        # As autovacuum would do later: index-only scans need it.
        cursor.execute("VACUUM (ANALYZE)" if connection.vendor == "postgresql" else "ANALYZE")
    print("room")
    room = _print_figures(sizes(folder), ",.1f")
    print("limits of writing")
    limits = _print_figures(bare_rates(), ",.0f", " rows/s")
    for last in parts[-1:]:
        print(f"  {'a writer, over the last tenth':<40} {last.rows / last.seconds:>16,.0f} rows/s")
    codes = lookups.sample_codes(games, times)
    print(
        f"SQL ({len(codes.hot)} hot, {len(codes.middle)} with 20-999 games, {len(codes.rare)} rare positions)"
    )
    sql = table(lookups.of_database(codes, times))
    sql += table([during_ingest(codes, games, times, processes)])
    print("API, each answer made anew")
    api = table(lookups.of_api(codes, times))
    rate = files_to_committed(10**7 + stored_games(), max(1, min(GAMES_A_FILE, games // 20)))
    print(f"files to committed games, one process: {rate:,.0f} games/s")
    return {
        "engine": engine, "games": games, "room": room, "limits": limits,
        "sql": sql, "api": api, "files_games_per_second": rate,
        "growth": [asdict(part) | {"times_bare": part.times_bare} for part in parts],
    }  # fmt: skip


# --- bytes ----------------------------------------------------------------------------------------------


def sizes(folder: Path) -> dict[str, float]:
    """Return bytes of the index by row and of the database by game."""
    from django.db import connection

    from archive.models import Game, Occurrence

    rows, games = Occurrence.objects.count(), Game.objects.count()
    if connection.vendor == "sqlite":
        return _sqlite_sizes(folder, rows, games)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(pg_table_size(inhrelid)), 0), coalesce(sum(pg_indexes_size(inhrelid)), 0), "
            "count(*) FROM pg_inherits WHERE inhparent = 'archive_occurrence'::regclass"
        )
        heap, indexes, segments = (int(value) for value in cursor.fetchone())
        cursor.execute("SELECT pg_database_size(current_database())")
        database_bytes = int(cursor.fetchone()[0])
        cursor.execute(
            "SELECT pg_total_relation_size('archive_gamerecord'), (SELECT count(*) FROM archive_hotposition)"
        )
        records, hot = cursor.fetchone()
    return {
        "games": games, "rows": rows, "segments": segments, "hot positions": hot,
        ROW_BYTES: (heap + indexes) / rows, ROW_BYTES_TARGET: 110, ROW_BYTES_LIMIT: 16,
        "of these heap": heap / rows, "of these index": indexes / rows,
        "bytes a game, everything": database_bytes / games, "of these records": records / games,
        "GB": database_bytes / 1e9,
    }  # fmt: skip


def _sqlite_sizes(folder: Path, rows: int, games: int) -> dict[str, float]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.fetchall()
        cursor.execute("SELECT count(*) FROM archive_hotposition")
        hot = cursor.fetchone()[0]
        index = _index_bytes(cursor)
    database_bytes = (folder / "archive.sqlite3").stat().st_size
    return {
        "games": games, "rows": rows, "hot positions": hot,
        ROW_BYTES: index / rows, ROW_BYTES_TARGET: 35, ROW_BYTES_LIMIT: 16,
        "bytes a game, everything": database_bytes / games,
        "GB": database_bytes / 1e9,
    }  # fmt: skip


def _index_bytes(cursor: Any) -> float:
    """Return the bytes of the tables' copies in a file of their own."""
    from archive.index import sqlite

    with TemporaryDirectory(prefix="kifu-bench-") as folder:
        name = Path(folder) / "copy.sqlite3"
        cursor.execute(f"ATTACH '{name}' AS copy")
        cursor.execute("PRAGMA copy.page_size = 16384")
        for table in (sqlite.RECENT, sqlite.SETTLED):
            cursor.execute("SELECT sql FROM main.sqlite_master WHERE name = %s", [table])
            cursor.execute(re.sub(rf'"?{table}"?', f"copy.{table}", cursor.fetchone()[0], count=1))
            cursor.execute(f"INSERT INTO copy.{table} SELECT * FROM main.{table}")
        cursor.execute("DETACH copy")
        return float(name.stat().st_size)


def targets_of(figures: dict[str, Any]) -> Iterator[Target]:
    """Yield the targets for bytes a row and for each query."""
    yield Target(ROW_BYTES, figures["room"][ROW_BYTES], figures["room"][ROW_BYTES_TARGET])
    for kind in ("sql", "api"):
        for row in figures[kind]:
            for share, bound in row["target"]._asdict().items():
                if bound is not None:
                    yield Target(f"{kind}: {row['name']}, {share}", row[share], bound, " ms")


def main() -> None:
    """Run it; exit with 1 if a target is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--engine", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--lookups", type=int, default=200, help="questions of each kind")
    parser.add_argument("--writers", type=int, help="writing processes; 1 on SQLite, else 2")
    parser.add_argument("--keep", type=Path, help="a folder where the archive stays")
    options = parser.parse_args()
    announce()
    processes = options.writers or (1 if options.engine == "sqlite" else 2)
    with database(options.engine, options.keep) as folder:
        load = os.getloadavg()[0]
        print(f"{options.engine}, {options.games:,} games; load of the machine before: {load:.1f}")
        figures = measure(options.engine, options.games, options.lookups, processes, folder)
    if options.json:
        print(as_json(figures))
    sys.exit(verdict(targets_of(figures)))


if __name__ == "__main__":
    main()
