"""From files on disk to committed, searchable games, beside the bare insertion of the same rows.

    python -m benchmarks.ingest [--engine sqlite|postgresql] [--games 2000] [--workers 2] [--json]
    python -m benchmarks.ingest --columns [--engine sqlite|postgresql] [--games 2000] [--rounds 3] [--json]
    python -m benchmarks.ingest --served [--games 2000] [--workers 1,2,4] [--broker rabbitmq] [--json]
    python -m benchmarks.ingest --corpus [--page] [--json]
    python -m benchmarks.ingest --paste [--games 10000] [--json]

For each engine an empty archive in a temporary folder takes in files of games (CSA, and KIF in two encodings)
as `manage.py import_kifu` does: first with one process, then on PostgreSQL other games with several. Then the
resulting rows of the position index are put into an empty table of the same shape by nothing but COPY
(PostgreSQL) or executemany (SQLite), in sorted batches of the same size: that is the limit. A few
games come in first and load what all need; then the steps of one process are timed one by one, in processor
time, and `other` is the rest.

`--columns` (`support.column_costs`) takes in, each round, so many games without columns and tags of castles
and openings, and as many others with them: read, derived and stored, then written as columns. It prints the
processor time a game (medians of the rounds), on PostgreSQL with that of the server's process, and what it
costs to merge files, as happens once to small ones. The target is at most 15 % more than without.

`--served` (`support.many_workers`) starts archives on PostgreSQL with so many worker processes, one after the
other, each with an empty database, and sends the games to their API in files of 100. It measures the time
until all are stored, and the processor time of web, workers, scheduler and database (and Redis) meanwhile.
The broker is a Redis of its own, or with `--broker` a virtual host of this machine's RabbitMQ or the folder.

`--corpus` (`support.corpus_upload`) sends all files of the corpus beside the checkout in one ZIP through the
API of a running archive, and prints the outcome of its entries, the time and the worker's largest memory;
with `--page` it uses the upload page in a headless Chromium.

`--paste` (`support.pastes`) sends a file of so many games to a running archive as `make run` starts it, on
SQLite with one worker. While that is imported, it pastes one game after the other, and measures the seconds
from the request until the paste's last position is found, asking every 20 ms.

How to read it: games a second on a shared machine mean little by themselves; compare the share of the limit
and the shares of the steps within one run.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from benchmarks.support import interpreter
from benchmarks.support.column_costs import TARGET_PERCENT, measure_columns, show_columns
from benchmarks.support.corpus_upload import corpus, show_corpus
from benchmarks.support.importing import ENGINES, empty_archive, run_on_each_engine, take_in, write_files
from benchmarks.support.many_workers import BROKERS, served, show_served
from benchmarks.support.pastes import PASTE_SECONDS, pastes, show_pastes
from benchmarks.support.processes import server_seconds
from benchmarks.support.steps import Steps
from benchmarks.support.targets import Target, verdict

BATCH_ROWS = 10_000
WARMING = 40
"""Games imported before the clock starts: they load modules and make tables."""


def expect(games: int, kind: str, start: str) -> None:
    """Raises RuntimeError unless so many games of a kind can be found by the code of their start."""
    from archive.queries.explorer import explore
    from archive.queries.scope import PUBLIC

    found = explore(PUBLIC, kind, start).total
    if found != games:
        raise RuntimeError(f"{found} games of {games} are found")


def bare_rows() -> tuple[int, float]:
    """Put all rows of the index into an empty table of its shape; how many, and the seconds."""
    from django.db import connection, transaction

    from archive.index import postgresql
    from archive.index.schema import IndexRow

    columns = ", ".join(IndexRow._fields)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM archive_occurrence ORDER BY slot")
        rows = [IndexRow(*row) for row in cursor.fetchall()]
        _empty_table(cursor)
    batches = [sorted(rows[start : start + BATCH_ROWS]) for start in range(0, len(rows), BATCH_ROWS)]
    places = ", ".join(["%s"] * len(IndexRow._fields))
    began = time.perf_counter()
    for batch in batches:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.executemany(f"INSERT INTO bare_occurrence ({columns}) VALUES ({places})", batch)
            else:
                postgresql.insert(cursor, batch, "bare_occurrence")
    return len(rows), time.perf_counter() - began


def _empty_table(cursor: Any) -> None:
    """A table of the index's shape, `bare_occurrence`."""
    from django.db import connection

    from archive.index import sqlite

    if connection.vendor == "sqlite":
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [sqlite.RECENT])
        (statement,) = cursor.fetchone()
        cursor.execute(statement.replace(sqlite.RECENT, "bare_occurrence"))
    else:
        cursor.execute("CREATE TABLE bare_occurrence (LIKE archive_occurrence INCLUDING ALL)")


def measure(engine: str, games: int, workers: int) -> dict[str, Any]:
    """One engine's table."""
    from kifu_core import Position, shogi64

    start = shogi64.encode(Position.initial())
    with empty_archive(engine) as folder:
        take_in(write_files(folder / "first", range(2 * games, 2 * games + WARMING)), 1)
        files = write_files(folder / "one", range(games))
        began, server = time.process_time(), server_seconds()
        with Steps() as steps:
            seconds = take_in(files, 1)
        busy, server = time.process_time() - began, server_seconds() - server
        expect(games + WARMING, "shogi", start)
        found: dict[str, Any] = {
            "engine": engine,
            "games": games,
            "files": len(files),
            "one": {
                "seconds": seconds,
                "games_a_second": games / seconds,
                "processor_seconds": busy,
                "server_seconds": server,
            },
            "steps": dict(steps.seconds) | {"other": busy - sum(steps.seconds.values())},
        }
        if engine == "postgresql" and workers > 1:
            more = write_files(folder / "several", range(games, 2 * games))
            seconds = take_in(more, workers)
            expect(2 * games + WARMING, "shogi", start)
            found["several"] = {"workers": workers, "seconds": seconds, "games_a_second": games / seconds}
        rows, seconds = bare_rows()
        stored = (2 * games if "several" in found else games) + WARMING
        found["bare"] = {"rows": rows, "seconds": seconds, "games_a_second": stored / seconds}
    return found


def show(found: dict[str, Any]) -> None:
    """The table of one engine."""
    print(f"{found['engine']}: {found['games']} games in {found['files']} files")
    bare = found["bare"]["games_a_second"]
    for name in ("one", "several"):
        if name in found:
            rate = found[name]["games_a_second"]
            processes = found[name].get("workers", 1)
            print(
                f"  {processes} process(es)      {rate:8.0f} games/s   1/{bare / rate:.1f} of the bare rows"
            )
    print(f"  bare rows          {bare:8.0f} games/s   ({found['bare']['rows']} rows)")
    total = found["one"]["processor_seconds"]
    print(f"  processor time of one process: {total:.1f} s, {1000 * total / found['games']:.2f} ms a game")
    if server := found["one"]["server_seconds"]:
        print(f"  of the server's process for it: {1000 * server / found['games']:.2f} ms a game")
    for step, seconds in sorted(found["steps"].items(), key=lambda item: -item[1]):
        print(f"    {step:<26}{seconds / total:6.0%}   {seconds / found['games'] * 1000:6.2f} ms a game")


def _numbers(written: str) -> list[int]:
    return [int(word) for word in written.split(",")]


def main() -> None:
    """Print tables, or JSON; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--games", type=int, help="2,000; beside pastes 10,000")
    parser.add_argument("--workers", type=_numbers, help="2; with --served 1,2,4")
    parser.add_argument("--columns", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--served", action="store_true")
    parser.add_argument("--broker", choices=BROKERS, default="redis")
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--paste", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.engine or options.corpus or options.served or options.paste:
        interpreter.announce(only_json=options.json)
    if options.corpus:
        found = corpus(options.page)
        print(interpreter.as_json(found)) if options.json else show_corpus(found)
    elif options.served:
        found = served(options.games or 2_000, options.workers or [1, 2, 4], options.broker)
        print(interpreter.as_json(found)) if options.json else show_served(found)
    elif options.paste:
        found = pastes(options.games or 10_000)
        print(interpreter.as_json(found)) if options.json else show_pastes(found)
        slowest = max(found["pastes"], default=None)
        sys.exit(verdict([Target("the slowest paste is searchable", slowest, PASTE_SECONDS, " s")]))
    elif options.engine and options.columns:
        found = measure_columns(options.engine, options.games or 2_000, options.rounds)
        print(interpreter.as_json(found)) if options.json else show_columns(found)
        sys.exit(verdict([Target("more with columns and tags", 100 * found["more"], TARGET_PERCENT, " %")]))
    elif options.engine:
        found = measure(options.engine, options.games or 2_000, (options.workers or [2])[-1])
        print(interpreter.as_json(found)) if options.json else show(found)
    else:
        sys.exit(run_on_each_engine("benchmarks.ingest"))


if __name__ == "__main__":
    main()
