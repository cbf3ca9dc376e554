"""A mixed load of programs that ask the API: positions 70 %, games 20 %, searches 10 %.

    python -m benchmarks.serve --mixed [--games 5000] [--seconds 20] [--clients 16] [--processes 2]
        [--address http://host:port] [--keep DIR] [--seed 1] [--json]

Makes an archive of so many made-up games on PostgreSQL, starts `manage.py serve` with so many web processes,
and asks in turn for three things, each for `--seconds` altogether: an empty view, the mixture, and the
mixture by clients that send the tag of each answer they have had. The three take turns, so that what else the
machine does hits all of them. Each client keeps its connection and never pauses. With `--address` a running
archive is asked instead, of whatever size, without limits of requests (`ARCHIVE_THROTTLE_LOOPBACK`).

Visitors walk through games from the start, some 15 plies far, so that openings are asked for often and deep
positions once; players, years and lengths of searches are those of the games.

How to read it: the clients share the processor with the server; `clients` is what they took of one core. The
milliseconds are this machine's; what compares with others is the ratio to the empty view of the same run. An
error is any answer but 200 and 304; there must be none, otherwise the exit code is 1. `saved` is what a
request takes less processor of the server and fewer bytes where clients send tags, 304 or not.

Up to 5,000 games are stored as an import's are, more are copied inside the database. With `--keep` the
archive stays in a folder, and the next run of as many games finds it there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from urllib.request import urlopen

from benchmarks import serve
from benchmarks.serve import HOST, environment, free_port, percentile, say
from benchmarks.support import interpreter
from benchmarks.support.databases import database
from benchmarks.support.keep_alive import Answered, Asked, visit
from benchmarks.support.processes import all_processes, processor_of

SHARES: Final = {"position": 70, "game": 20, "search": 10}
EMPTY: Final = "empty view"
PHASES: Final = (EMPTY, "mixture", "with tags")
TURNS: Final = 3
MADE: Final = 5000
"""Games that are made and stored; others are copies of these."""

SAMPLED: Final = 300
"""Games whose positions are asked for."""

WALKED: Final = 15
"""Plies that a visitor goes into a game, in the mean."""

OK: Final = {200, 304}


# --- the archive -----------------------------------------------------------------------------------------


@contextmanager
def archive(games: int, processes: int, keep: Path | None) -> Iterator[tuple[str, set[int]]]:
    """The address of an archive with so many games, and its processes with those of its database."""
    with tempfile.TemporaryDirectory(prefix="archive-benchmark-") as other, database("postgresql", keep):
        _filled(games)
        before = {pid for pid, one in all_processes().items() if one.name == "postgres"}
        with _served(Path(other), processes) as (port, process):
            yield f"http://{HOST}:{port}", {process.pid, *before}


def _filled(games: int) -> None:
    """Fill the database up to so many games. Raises SystemExit where it has others already."""
    from django.db import connections

    from archive.models import Game
    from benchmarks.support.copies import copy_games
    from benchmarks.support.filling import fill, writers

    made = min(games, MADE)
    there, times = Game.objects.count(), max(1, games // made)
    if there and abs(there - made * times) > made * times // 20:
        raise SystemExit(f"there are {there} games in this folder already: take another one")
    if not there:
        with writers(os.cpu_count() or 1) as pool:
            for part in fill(pool, 0, made):
                say(f"  {part.games} games stored, {part.wall:.0f} s")
        if times > 1:
            copy_games(times)
        with connections["default"].cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    connections.close_all()


@contextmanager
def _served(folder: Path, processes: int) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    port, log = free_port(), folder / "serve.log"
    values = environment(str(folder), port) | {
        "DATABASE_URL": os.environ["DATABASE_URL"],
        "SECRET_KEY": "only-for-benchmarks",
        "ARCHIVE_SAMPLES": "0",
        "ARCHIVE_WEB_WORKERS": str(processes),
        "ARCHIVE_THROTTLE_LOOPBACK": "1000000",
    }
    with serve.served(port, log, values) as process:
        yield port, process


# --- what is asked ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sample:
    """What an archive told of some of its games: their ids, the codes of their positions, and searches."""

    games: list[int]
    lines: list[list[str]]
    searches: list[str]


def sampled(address: str, dice: random.Random) -> Sample:
    """Ask an archive for some of its games."""
    (newest,) = _told(f"{address}/api/v1/games?limit=1")["results"]
    ids = sorted(dice.sample(range(1, newest["id"] + 1), min(2 * SAMPLED, newest["id"])))
    found: list[dict[str, Any]] = []
    for pk in ids:
        if len(found) == SAMPLED:
            break
        try:
            found.append(_told(f"{address}/api/v1/games/{pk}"))
        except OSError:  # there need not be a game of every number
            continue
    lines = [_told(f"{one['positions']}?limit=1000")["results"] for one in found if one["game"] == "shogi"]
    codes = [[ply["code"] for ply in line] for line in lines]
    return Sample([one["id"] for one in found], codes, searches(found, dice))


def _told(address: str) -> Any:
    with urlopen(address, timeout=60) as answer:
        return json.load(answer)


def searches(games: Sequence[dict[str, Any]], dice: random.Random) -> list[str]:
    """Queries of several kinds about these games."""
    found = []
    for one in games:
        black, white = one["black"] or "x", one["white"] or "x"
        year = int((one["date"] or "2000")[:4])
        plies = one["plies"]
        found.append(
            dice.choice(
                [
                    f'player:"{black}"',
                    f'player:"{black}" player:"{white}"',
                    f'(player:"{black}" OR player:"{white}") NOT result:draw',
                    f"year:{year - 1}..{year} result:{one['result']}",
                    f"plies:>={plies} year:{year}",
                    f'player:"{black}" plies:{plies - 20}..{plies + 20}',
                    f'"{white}"',
                ]
            )
        )
    return found


def asked(sample: Sample, seed: int, tags: dict[str, str] | None) -> Iterator[Asked]:
    """Yield requests without end, always the same for a seed, with the tags of the answers that are known."""
    dice = random.Random(seed)
    while True:
        kind = dice.choices([*SHARES], [*SHARES.values()])[0]
        path = _path(kind, sample, dice)
        yield Asked(kind, path, tags.get(path, "") if tags is not None else "")


def _path(kind: str, sample: Sample, dice: random.Random) -> str:
    if kind == "game":
        return f"/api/v1/games/{dice.choice(sample.games)}"
    if kind == "search":
        return f"/api/v1/games?q={quote(dice.choice(sample.searches))}"
    line = dice.choice(sample.lines)
    code = line[min(int(dice.expovariate(1 / WALKED)), len(line) - 1)]
    return f"/api/v1/positions/shogi/{code.replace('+', '-').replace('/', '_')}"


def nothing() -> Iterator[Asked]:
    """Yield requests for a view that looks at no data."""
    while True:
        yield Asked(EMPTY, "/healthz")


# --- the measurement -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Phase:
    """What one of the phases gave: the answers, and seconds of time, of the server's and of our processor."""

    answers: list[Answered] = field(default_factory=list)
    seconds: float = 0.0
    server: float = 0.0
    ours: float = 0.0


def measure(address: str, processes: set[int], options: argparse.Namespace) -> dict[str, Phase]:
    """Ask in turns and return what came of it."""
    sample = sampled(address, random.Random(options.seed))
    known: dict[str, str] = {}
    phases = {name: Phase() for name in PHASES}
    say("each client some seconds, so that every process has what it keeps ...")
    run(address, Phase(), sample, options, 2.0, options.seed, None, set())
    for turn in range(TURNS):
        for number, (name, phase) in enumerate(phases.items()):
            say(f"{name}, {turn + 1} of {TURNS} ...")
            tags = known if name == PHASES[2] else None
            seed = options.seed * 1000 + turn * len(PHASES) + number
            empty = name == EMPTY
            run(
                address,
                phase,
                None if empty else sample,
                options,
                options.seconds / TURNS,
                seed,
                tags,
                processes,
            )
    return phases


def run(
    address: str, phase: Phase, sample: Sample | None, options: argparse.Namespace, seconds: float, seed: int,
    tags: dict[str, str] | None, processes: set[int],
) -> None:  # fmt: skip
    """Have all clients ask for so long, and add what came of it to a phase."""

    def told(one: Answered) -> None:
        phase.answers.append(one)
        if tags is not None and one.tag:
            tags[one.path] = one.tag

    async def visits() -> None:
        until = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as group:
            for client in range(options.clients):
                mine = nothing() if sample is None else asked(sample, seed * 100 + client, tags)
                group.create_task(visit(address, mine, until, told))

    began, server, ours = time.perf_counter(), processor_of(processes), time.process_time()
    asyncio.run(visits())
    phase.seconds += time.perf_counter() - began
    phase.server += processor_of(processes) - server
    phase.ours += time.process_time() - ours


# --- the report ------------------------------------------------------------------------------------------


def figures(answers: Sequence[Answered], seconds: float) -> dict[str, Any]:
    """Figures of some answers of a phase."""
    times = [one.seconds * 1000 for one in answers]
    count = len(answers) or 1
    return {
        "requests": len(answers),
        "per_s": round(len(answers) / seconds, 1),
        "p50": round(percentile(times, 0.5), 2),
        "p99": round(percentile(times, 0.99), 2),
        "errors": sum(one.status not in OK for one in answers),
        "unchanged": round(100 * sum(one.status == 304 for one in answers) / count, 1),
        "bytes": round(sum(one.size for one in answers) / count),
    }


def summary(phases: dict[str, Phase]) -> dict[str, Any]:
    """All phases as numbers, by kind too, and what tags save."""
    found: dict[str, Any] = {}
    for name, phase in phases.items():
        whole = figures(phase.answers, phase.seconds)
        count = max(1, len(phase.answers))
        found[name] = whole | {
            "server_ms": round(1000 * phase.server / count, 2),
            "clients": round(phase.ours / phase.seconds, 3),
            "kinds": {
                kind: figures([one for one in phase.answers if one.kind == kind], phase.seconds)
                for kind in SHARES
                if name != EMPTY
            },
        }
    plain, tagged = found[PHASES[1]], found[PHASES[2]]
    saved = {"bytes": "bytes", "processor": "server_ms"}
    found["saved"] = {
        name: round(100 * (1 - tagged[value] / plain[value]), 1) if plain[value] else 0.0
        for name, value in saved.items()
    } | {"requests_per_s": round(tagged["per_s"] / plain["per_s"], 2)}
    return found


def print_table(found: dict[str, Any]) -> None:
    names = ("requests", "per_s", "p50", "p99", "errors", "unchanged", "bytes")
    heads = ("requests", "a second", "p50 ms", "p99 ms", "errors", "304 %", "bytes")
    print(f"{'':22}" + "".join(f"{head:>10}" for head in heads) + f"{'server ms':>11}{'clients':>9}")
    for phase in PHASES:
        row = found[phase]
        print(f"{phase:22}" + "".join(f"{row[name]:10g}" for name in names), end="")
        print(f"{row['server_ms']:11.2f}{100 * row['clients']:8.0f}%")
        for kind, one in row["kinds"].items():
            print(f"  {kind:20}" + "".join(f"{one[name]:10g}" for name in names))
    saved = found["saved"]
    print(
        f"with tags a request takes {saved['processor']} % less of the server's processor and "
        f"{saved['bytes']} % fewer bytes; {saved['requests_per_s']} times as many a second"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print; exit with 1 if an answer was an error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=MADE, help="games of the archive")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each of the three is asked for")
    parser.add_argument("--clients", type=int, default=16, help="connections that ask at once")
    parser.add_argument("--processes", type=int, default=2, help="web processes of the archive")
    parser.add_argument("--address", default="", help="of an archive that runs already")
    parser.add_argument("--keep", type=Path, help="a folder in which the archive stays")
    parser.add_argument("--seed", type=int, default=1, help="draws other requests")
    parser.add_argument("--json", action="store_true", help="only the line of JSON")
    options = parser.parse_args(words)
    interpreter.announce(only_json=options.json)
    load = os.getloadavg()[0]
    if options.address:
        found = summary(measure(options.address.rstrip("/"), set(), options))
    else:
        with archive(options.games, options.processes, options.keep) as (address, processes):
            found = summary(measure(address, processes, options))
    if not options.json:
        print_table(found)
    print(interpreter.as_json({"games": options.games, "load_before": round(load, 2)} | found))
    sys.exit(1 if any(found[name]["errors"] for name in PHASES) else 0)


if __name__ == "__main__":
    main()
