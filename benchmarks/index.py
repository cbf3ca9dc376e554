"""The position index at a size: what it takes to fill it, how much room it needs, how fast it answers.

    python -m benchmarks.index [--engine postgresql|sqlite] [--games 5000] [--times 1] [--lookups 200]
        [--keep DIR] [--json]

Makes a database of its own (PostgreSQL from the development dependency, with the settings of a server that
must not lose anything; SQLite as the embedded default has it), fills it with made-up games through the
archive's own store, and asks. Next to each figure stands what nobody can be faster than, measured in the same
run: the same rows by a bare COPY, a SELECT by primary key, a view that does nothing.

The figures of the API are of uncached answers: the process's cache is cleared before each request.
`kept answer` is the same request once more, answered from the cache.

`games a second` of the growth are those of one writing process while it writes; making the games is not in
it. A million games take about 70 minutes on two idle cores, most of it the making of the games, and 16 GB.
With `--times 4` each game's rows are copied three times inside PostgreSQL (`benchmarks.support.copies`): a
quarter of the games makes an archive of the same size, for questions. Writing goes on behind it.
With `--keep` the archive stays in a folder; the next run fills it further, or only asks where it has them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Any

from benchmarks.support import bare, copies, interpreter, lookups, population
from benchmarks.support.databases import database
from benchmarks.support.filling import Filled, batch, fill, writers
from benchmarks.support.sizes import ROW_BYTES, ROW_BYTES_TARGET, shares, sizes
from benchmarks.support.targets import Target, verdict

SHARES_OF = 1000
FILES = 4
GAMES_A_FILE = 250
"""At most; less in a small archive."""


def games_there() -> int:
    """How many games the archive has been filled with: all numbers below."""
    from archive.models import Game

    return Game.objects.count()


def grow(games: int, processes: int) -> list[Filled]:
    """Fill the archive up to so many games; the parts, as they come."""
    done = games_there()
    parts = list[Filled]()
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


def _bare_ratio(part: Filled) -> str:
    """Small parts may have no batch that was written bare too."""
    return f"  {part.times_bare:5.1f} times as long as bare" if part.bare_rows else ""


def during_ingest(codes: lookups.Codes, first: int, times: int, processes: int) -> lookups.Times:
    """The usual answer while others write."""
    from archive.queries.explorer import explore
    from archive.queries.position_games import games_through
    from archive.queries.scope import PUBLIC

    ended, begun = Event(), Event()

    def write() -> None:
        with writers(processes) as pool:
            for number, _ in enumerate(fill(pool, first, first + 40 * batch(), steps=40)):
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
    asks = (lambda code=code: answer(code) for code in lookups.repeated(chosen, 3 * times))
    found = lookups.timed_sql(
        "any, while others write: statistics, 25 games", lookups.Bounds(None, 6), asks, again=1
    )
    ended.set()
    writer.join()
    return found


def files_to_committed(first: int, size: int) -> float:
    """Games a second of one process from the bytes of CSA files to committed, indexed games."""
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


def table(rows: Iterator[lookups.Times] | list[lookups.Times]) -> list[dict[str, Any]]:
    """Print each row once it is measured; return all as JSON objects."""
    found = []
    for row in rows:
        if not row.values:
            continue
        p50, p99 = row.percentile(0.5), row.percentile(0.99)
        target = f"  target {row.target}" if any(row.target) else ""
        cached = row.cached_median
        cached_text = "" if cached is None else f"  kept answer p50 {cached:8.2f} ms"
        print(f"  {row.name:<62} p50 {p50:8.2f} ms  p99 {p99:8.2f} ms{cached_text}{target}", flush=True)
        found.append(
            {"name": row.name, "p50": p50, "p99": p99, "kept_p50": cached, "target": row.target,
             "n": len(row.values)}
        )  # fmt: skip
    return found


def compare_samples(codes: lookups.Codes) -> list[dict[str, Any]]:
    """Print how far samples are from exact answers."""
    print("samples beside exact answers (a minimum rating), the hottest positions")
    found = list(lookups.deviations(codes))
    for row in found:
        print(
            f"  {row.read:,} of {row.of:,} games: shares of moves differ by {row.moves:.2%} at most, "
            f"of results by {row.results:.2%}; {row.sampled_ms:,.0f} ms, exact {row.exact_ms:,.0f} ms"
        )
    if not found:
        print("  no position has more games than are counted exactly")
    return [asdict(row) for row in found]


def _shown(figures: dict[str, float], form: str, unit: str = "") -> dict[str, float]:
    """Print figures by name; return them."""
    for name, value in figures.items():
        print(f"  {name:<40} {value:>16{form}}{unit}")
    return figures


def measure(engine: str, games: int, copied: int, times: int, processes: int, folder: Path) -> dict[str, Any]:
    """Everything, printed as it is found."""
    made = population.shares(range(min(games, SHARES_OF)))
    print(
        f"games like these ({made.games:,} of them): {made.distinct:.1%} of rows are distinct positions, "
        f"{made.transposed:.2%} of positions are reached in several ways, {made.forked:.2%} of rows are in "
        f"variations, {made.repeated:.2%} of nodes repeat one of their game"
    )
    print(f"filling, {processes} writer(s), {batch()} games a transaction")
    parts = grow(games, processes)
    if games_there() < games * copied:
        copies.copy_games(copied)
    from django.db import connection

    with connection.cursor() as cursor:
        # What autovacuum does by and by; until then what an index holds is looked up in the table too.
        cursor.execute("VACUUM (ANALYZE)" if connection.vendor == "postgresql" else "ANALYZE")
    print("room")
    room = _shown(sizes(folder), ",.1f")
    of_rows = _shown(shares(), ",.1f")
    print("limits of writing")
    limits = _shown(bare.rates(), ",.0f", " rows/s")
    for last in parts[-1:]:
        print(f"  {'a writer, over the last tenth':<40} {last.rows / last.seconds:>16,.0f} rows/s")
    codes = lookups.sample_codes(games, times)
    print(
        f"SQL ({len(codes.hot)} hot, {len(codes.middle)} with 20-999 games, {len(codes.rare)} rare positions)"
    )
    sql = table(lookups.of_database(codes, times))
    sql += table([during_ingest(codes, games, times, processes)])
    samples = compare_samples(codes)
    print("API, each answer made anew")
    api = table(lookups.of_api(codes, times))
    rate = files_to_committed(10**7 + games_there(), max(1, min(GAMES_A_FILE, games // 20)))
    print(f"files to committed games, one process: {rate:,.0f} games/s")
    return {
        "engine": engine, "games": games, "copied": copied, "room": room, "shares": of_rows, "limits": limits,
        "sql": sql, "samples": samples, "api": api, "files_games_per_second": rate,
        "growth": [asdict(part) | {"times_bare": part.times_bare} for part in parts],
    }  # fmt: skip


def targets_of(figures: dict[str, Any]) -> Iterator[Target]:
    """The targets for bytes a row and for each question."""
    yield Target(ROW_BYTES, figures["room"][ROW_BYTES], figures["room"][ROW_BYTES_TARGET])
    for kind in ("sql", "api"):
        for row in figures[kind]:
            for share, bound in row["target"]._asdict().items():
                if bound is not None:
                    yield Target(f"{kind}: {row['name']}, {share}", row[share], bound, " ms")


def main() -> None:
    """Run it; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--times", type=int, default=1, help="PostgreSQL: as often is each game there")
    parser.add_argument("--lookups", type=int, default=200, help="questions of each kind")
    parser.add_argument("--writers", type=int, help="writing processes; 1 on SQLite, else 2")
    parser.add_argument("--keep", type=Path, help="a folder where the archive stays")
    parser.add_argument("--json", action="store_true", help="the figures once more, as one line of JSON")
    options = parser.parse_args()
    interpreter.announce()
    processes = options.writers or (1 if options.engine == "sqlite" else 2)
    with database(options.engine, options.keep) as folder:
        load = os.getloadavg()[0]
        games = f"{options.games:,} games" + (f" {options.times} times" if options.times > 1 else "")
        print(f"{options.engine}, {games}; load of the machine before: {load:.1f}")
        found = measure(options.engine, options.games, options.times, options.lookups, processes, folder)
    if options.json:
        print(interpreter.as_json(found))
    sys.exit(verdict(targets_of(found)))


if __name__ == "__main__":
    main()
