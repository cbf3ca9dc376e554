"""What it costs that the archive lies in shards: the explorer through the API, on one server and on Citus.

    python -m benchmarks.shards --one URL --shards URL [--fill N] [--positions 60] [--rounds 9]
        [--only WORDS] [--json]

`--one` is an archive on one PostgreSQL, `--shards` one on Citus (`manage.py distribute`) of the same games;
`--fill` has both filled up to so many made-up ones first. Each has a program of its own that asks, and they
take turns with every question. Nothing that was told before is kept. Of each position the shortest time of
all rounds counts, of each kind of position the median; `statements` are what an answer takes at most.

`floor` is a statement about one key by itself, its plan kept: what nothing that asks a shard can be below.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.support import interpreter, lookups, population

if TYPE_CHECKING:
    from django.test import Client

WRITERS: Final = 2
SAMPLED: Final = 400
RARE: Final = 10
FLOOR: Final = "floor: one key"
KINDS: Final = ("rare", "middle", "hot", "start")
FORMS: Final = {"explorer": "", "25 games": "/games?limit=25", "explorer, match=any": "?match=any"}


class Took(NamedTuple):
    """Milliseconds of an answer, and its statements."""

    ms: float
    statements: int


class Row(NamedTuple):
    """A question on both: medians in milliseconds, and the most statements that an answer takes."""

    name: str
    asked: int
    one: float
    shards: float
    statements_one: int
    statements_shards: int


def positions(count: int) -> dict[str, list[str]]:
    """Codes of positions by how many games reach them: few, no counters, counters, all."""
    from archive.index.schema import HOT_GAMES
    from archive.models import Game
    from archive.queries.counting import totals
    from kifu_core import Position, shogi64
    from kifu_core.shogi.keys.canonical import same_class_keys

    dice, found = random.Random(1), dict[str, int]()
    games = Game.objects.count()
    for number in (dice.randrange(max(1, games // 4)) for _ in range(SAMPLED)):
        position = Position.initial()
        for move in population.moves(number)[: population.OPENING_PLIES]:
            position.do_move(move)
            found[shogi64.encode(position)] = same_class_keys(position)[0]
    numbers = totals([*found.values()], "main")
    by_size = {code: numbers.get(key, 0) for code, key in found.items()}
    chosen = {
        "rare": [code for code, n in by_size.items() if 0 < n <= RARE],
        "middle": [code for code, n in by_size.items() if RARE < n < HOT_GAMES],
        "hot": [code for code, n in by_size.items() if n >= 2 * HOT_GAMES],
    }
    drawn = {kind: dice.sample(codes, min(count, len(codes))) for kind, codes in chosen.items()}
    return drawn | {"start": [shogi64.encode(Position.initial())]}


def ask_key(key: int) -> None:
    """Ask for what there is under a key, as barely as can be."""
    from archive.index.engine import engine

    engine().fetch_prepared("SELECT d.move FROM archive_occurrence d WHERE d.key = %s", [key])


def _answer(client: Client, asked: str) -> Took:
    """Ask for an address, or for a key; what it took."""
    from archive.answers import answers
    from archive.queries import caching

    answers.clear()
    caching.begin()
    with lookups.sql_time() as spent:
        begun = time.perf_counter()
        if asked.isdigit():
            ask_key(int(asked))
        elif (got := client.get(asked)).status_code != 200:
            raise RuntimeError(f"{asked} answered {got.status_code}")
        return Took(1000 * (time.perf_counter() - begun), int(spent[1]))


def serve(url: str, line: Connection) -> None:
    """Answer what comes down the line, on the archive at this address, until nothing more comes."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="archive.settings", SECRET_KEY="only-for-benchmarks", DATABASE_URL=url
    )
    import django

    django.setup()
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    while (word := line.recv()) is not None:
        name, value = word
        if name == "fill":
            from benchmarks.index import games_there, grow

            grow(value, WRITERS)
            line.send(games_there())
        elif name == "positions":
            line.send(positions(value))
        else:
            line.send(_answer(client, value))


@contextmanager
def program(url: str) -> Iterator[Connection]:
    """A program that answers on the archive at this address."""
    context = get_context("spawn")
    line, its = context.Pipe()
    process = context.Process(target=serve, args=(url, its))
    process.start()
    try:
        yield line
    finally:
        line.send(None)
        process.join()


def told(line: Connection, name: str, value: object) -> object:
    line.send((name, value))
    return line.recv()


def questions(codes: dict[str, list[str]], only: str) -> Iterator[tuple[str, list[str]]]:
    """The kinds of questions whose names have these words, each with its addresses."""
    dice = random.Random(2)
    found = {FLOOR: [str(dice.getrandbits(62)) for _ in range(100)]}
    for form, words in FORMS.items():
        for kind in KINDS:
            found[f"{kind}: {form}"] = [f"/api/v1/positions/shogi/{code}{words}" for code in codes[kind]]
    yield from ((name, asked) for name, asked in found.items() if asked and only in name)


def compare(lines: tuple[Connection, Connection], asked: list[str], rounds: int) -> list[list[Took]]:
    """What each of the questions took at best in each of the programs, which take turns."""
    best: list[list[Took]] = [[], []]
    for question in asked:
        times: list[list[Took]] = [[], []]
        for turn in range(rounds):
            for number in (0, 1) if turn % 2 else (1, 0):
                took = told(lines[number], "ask", question)
                times[number].append(Took(*took))  # type: ignore[misc]
        for mine, found in zip(best, times, strict=True):
            mine.append(Took(min(took.ms for took in found), max(took.statements for took in found[1:])))
    return best


def measure(one: str, shards: str, games: int, count: int, rounds: int, only: str) -> list[Row]:
    """Every kind of question, printed as it is found. Raises SystemExit for archives of different games."""
    found = []
    with program(one) as plain, program(shards) as spread:
        there = [told(line, "fill", games) for line in (plain, spread)]
        if there[0] != there[1]:
            raise SystemExit(f"{there[0]:,} games here and {there[1]:,} there: no answers to compare")
        codes: dict[str, list[str]] = told(plain, "positions", count)  # type: ignore[assignment]
        print(f"{there[0]:,} games; load of the machine: {os.getloadavg()[0]:.1f}")
        print(f"{'p50, ms':<28}{'one':>8}{'shards':>8}{'more':>8}{'statements':>12}{'asked':>7}")
        for name, asked in questions(codes, only):
            row = _row(name, *compare((plain, spread), asked, rounds))
            print(
                f"{name:<28}{row.one:8.2f}{row.shards:8.2f}{row.shards - row.one:8.2f}"
                f"{row.statements_one:>6} {row.statements_shards:>5}{row.asked:>7}",
                flush=True,
            )
            found.append(row)
    return found


def _row(name: str, one: list[Took], shards: list[Took]) -> Row:
    medians = [statistics.median(took.ms for took in each) for each in (one, shards)]
    most = [max(took.statements for took in each) for each in (one, shards)]
    return Row(name, len(one), medians[0], medians[1], most[0], most[1])


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--one", metavar="URL", help="an archive on one server")
    parser.add_argument("--shards", metavar="URL", help="the same archive on Citus")
    parser.add_argument(
        "--fill", type=int, default=0, metavar="N", help="fill both first, up to so many games"
    )
    parser.add_argument("--positions", type=int, default=60, help="positions of each kind")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="only questions whose names have these words")
    parser.add_argument("--json", action="store_true", help="the figures once more, as one line of JSON")
    options = parser.parse_args()
    interpreter.announce()
    if not options.one or not options.shards:
        print("no servers to compare: --one and --shards name none")
        return
    found = measure(
        options.one, options.shards, options.fill, options.positions, options.rounds, options.only
    )
    if options.json:
        print(interpreter.as_json([row._asdict() for row in found]))


if __name__ == "__main__":
    main()
