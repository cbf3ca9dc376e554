"""Deleting an upload: how soon its games are gone, and how fast the rest of the work is done.

    python -m benchmarks.deletion [--engine sqlite|postgresql] [--games 1000] [--json]

For each engine an empty archive in a temporary folder takes in one upload of so many games and deletes it,
three times: nobody else has sent the games (`alone`); another upload has all of them, at one with them
(`shared`); the other upload has none of their comments, so that every game changes (`changed`).

`gone` is the time from the request until no list has a game of the upload that nobody else has sent; `all`
the entries a second until nothing is left of it; `read` the same of taking the upload in, in the same run.
Seconds are those of the processor of this process and, for PostgreSQL, of the clock: the server works in
processes of its own. The targets: 1,000 games are gone within a second, and 500 entries a second.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import generate
from benchmarks.support import interpreter
from benchmarks.support.importing import ENGINES, empty_archive, run_on_each_engine
from benchmarks.support.targets import Target, verdict

CASES = ("alone", "shared", "changed")
REMOVAL_SECONDS = 1.0
"""The target for removing 1,000 games from all lists."""
ENTRIES_A_SECOND = 500
COMMENTED = 10
"""In a game with comments there is one at every so many plies."""


def text_of(numbers: range, *, commented: bool) -> bytes:
    """KIF of games with these numbers, with comments or without."""
    from kifu_core import dump

    made = []
    for number in numbers:
        record = generate.record(number)
        if commented:
            for entry in record["moves"][COMMENTED:-1:COMMENTED]:
                entry["comments"] = [f"第{number}局の研究"]
        made.append(dump(record, "kif"))
    return "\n".join(made).encode()


def measure(case: str, games: int, first: int) -> dict[str, Any]:
    """One case with games from a number on."""
    numbers = range(first, first + games)
    if case != "alone":
        send(text_of(numbers, commented=False) + b"\n")
    doomed, reading = timed(lambda: send(text_of(numbers, commented=case == "changed")))
    figures = delete(doomed, games if case == "alone" else 0)
    return {"case": case, "games": games, "read": round(games / reading), **figures}


def send(data: bytes) -> int:
    """Store and read an upload; its id. Raises RuntimeError unless all of it was read."""
    from archive import store
    from archive.intake import worker
    from archive.models import Upload

    made, _ = store.create_upload("games.kif", [data], source="command")
    worker.work_off(made.pk)
    if Upload.objects.get(pk=made.pk).state != Upload.State.DONE:
        raise RuntimeError("the upload was not read")
    return made.pk


def delete(upload: int, games: int) -> dict[str, Any]:
    """Delete an upload of so many games that nobody else has; the figures."""
    from archive.models import Game, Upload
    from archive.store import deletion

    left = Game.objects.count() - games
    entries = Upload.objects.get(pk=upload).entries.count()
    clock, began = time.perf_counter(), clock_of_engine()
    deletion.begin_deletion(upload)
    work = deletion.Deletion(upload, "benchmark")
    work.claim()
    gone = None
    for _ in work.steps():
        if gone is None and games and Game.objects.count() == left:
            gone = time.perf_counter() - clock
    if Upload.objects.filter(pk=upload).exists() or Game.objects.count() != left:
        raise RuntimeError("the upload is not deleted")
    taken = clock_of_engine() - began
    return {"gone": gone and round(gone, 2), "all": round(entries / taken), "seconds": round(taken, 2)}


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """Return the result of a call and its seconds."""
    began = clock_of_engine()
    result = work()
    return result, clock_of_engine() - began


def clock_of_engine() -> float:
    """Seconds: of the processor where the database is in this process."""
    from django.db import connection

    return time.process_time() if connection.vendor == "sqlite" else time.perf_counter()


def targets_of(figures: dict[str, Any]) -> Iterator[Target]:
    """The targets of a case; `gone` is None where another upload has the games."""
    if figures["gone"] is not None:
        seconds = figures["gone"] * 1000 / figures["games"]
        yield Target(f"{figures['case']}: 1,000 games are gone", seconds, REMOVAL_SECONDS, " s")
    yield Target(f"{figures['case']}: entries a second", figures["all"], ENTRIES_A_SECOND, least=True)


def main() -> None:
    """Measure and print; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.engine is None:
        sys.exit(run_on_each_engine("benchmarks.deletion"))
    interpreter.announce(only_json=options.json)
    targets = list[Target]()
    with empty_archive(options.engine):
        for number, case in enumerate(CASES):
            figures = measure(case, options.games, number * options.games)
            row = {"engine": options.engine} | figures
            print(interpreter.as_json(row) if options.json else f"{options.engine}: {figures}", flush=True)
            targets += targets_of(figures)
    sys.exit(verdict(targets))


if __name__ == "__main__":
    main()
