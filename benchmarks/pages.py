"""Pages and answers of a filled archive from `manage.py serve`, for one visitor and for several at once.

    python -m benchmarks.pages [--games 5000] [--rounds 30] [--clients 1 8] [--keep DIR] [--language en]
        [--json]

Makes an archive of made-up games and the samples on SQLite, starts `manage.py serve` on it, and requests each
kind of address in turn: GET over kept connections, compressed, `--rounds` times by every client. Then each
address is requested again with the ETag of its answer, as by a browser that has the page.

`nothing` is an address whose view does nothing, requested among the others: the cost of the server, its
protocol and this client. With more clients than processor cores they wait for each other. So compare `x
nothing`, the ratio of p50 to that of the same run, between machines and days; the milliseconds are this
machine's. `p50`, `p99` and `x nothing` are of uncached answers: each address has a new parameter that has no
effect. `cached` is p50 of the plain addresses, which the cache answers. `again` is p50 of the requests with
an ETag, `304` the percentage of them whose answer was "not modified". With `--keep` the archive stays in a
folder, and the next run fills it further or only measures.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from benchmarks import population
from benchmarks.filling import fill, writers
from benchmarks.serve import HOST, environment
from benchmarks.support import Target, announce, as_json, database, options_of, percentile, say, verdict
from kifu_core.games import QUORIDOR, SHOGI
from kifu_core.shogi.position import Position
from tests.serving import started

NOTHING: Final = "nothing (limit)"
HEALTH: Final = "/healthz"
TARGETS: Final = {"home": 4.0, "game, API": 3.0}
TARGET: Final = 8.0
"""Milliseconds of p50: of a page, and of these kinds."""

EACH: Final = 12
"""Different addresses of each kind, at most."""

ANSWER_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Timed:
    """One answer: its kind, status, seconds, compressed length, and ETag."""

    kind: str
    status: int
    seconds: float
    size: int
    tag: str


# --- the archive -----------------------------------------------------------------------------------------


def filled(folder: Path, games: int) -> dict[str, list[str]]:
    """Fill the archive in a folder up to so many games; return the addresses to request, by kind."""
    with database("sqlite", folder):
        from django.core.management import call_command
        from django.db import connections

        from archive.models import Entry, Upload

        if not Upload.objects.exists():
            call_command("sample_games", stdout=sys.stderr)
        there = Entry.objects.filter(upload__source="command").count()
        if there < games:
            with writers(1) as pool:
                for part in fill(pool, there, games):
                    say(f"  {part.games} games, {part.rate:.0f} games/s")
        paths_by_kind = addresses(games)
        connections.close_all()
    return paths_by_kind


def addresses(games: int) -> dict[str, list[str]]:
    """Return addresses by kind. Positions: the start, after two moves (hot), and deep in a game (rare)."""
    from archive.models import Game

    dice = random.Random(games)
    shogi = list(Game.objects.filter(kind=SHOGI.name).order_by("-pk").values_list("pk", flat=True)[:5000])
    walls = list(Game.objects.filter(kind=QUORIDOR.name).order_by("pk").values_list("pk", flat=True)[:EACH])
    chosen = dice.sample(shogi, min(EACH, len(shogi)))
    player = Game.objects.filter(pk__in=shogi, player0__isnull=False).select_related("player0")[0].player0
    assert player is not None
    numbers = [dice.randrange(games) for _ in range(EACH)]
    hot, rare = ([_code(number, ply) for number in numbers] for ply in (2, 60))
    walled = [_walls(pk) for pk in walls]
    return {
        NOTHING: [HEALTH],
        "home": ["/"],
        "games": ["/games/"],
        "games, of a result": ["/games/?result=draw"],
        "games, of a player": [f"/games/?player={quote(player.name)}"],
        "game": [f"/games/{pk}/" for pk in chosen],
        "game, in its middle": [f"/games/{pk}/?ply=50" for pk in chosen],
        "position, start": [f"/positions/shogi/{_code(0, 0)}/"],
        "position, hot": [f"/positions/shogi/{code}/" for code in hot],
        "position, rare": [f"/positions/shogi/{code}/" for code in rare],
        "player": [f"/players/{player.pk}/"],
        "Quoridor: game": [f"/games/{pk}/" for pk in walls],
        "Quoridor: position": [f"/positions/quoridor/{code}/" for code in walled],
        "game, API": [f"/api/v1/games/{pk}" for pk in chosen],
        "position, API": [f"/api/v1/positions/shogi/{code}" for code in hot + rare],
    }


def _code(number: int, ply: int) -> str:
    """Return the address code of a position in a made-up game."""
    position = Position.initial()
    for move in population.moves(number)[:ply]:
        position.do_move(move)
    return SHOGI.codec.path_code(SHOGI.codec.encode(position))


def _walls(pk: int) -> str:
    """Return the address code of a position some moves into a sample of Quoridor."""
    from archive.models import Game
    from archive.web.replay import record as replay

    game = Game.objects.select_related("stored").get(pk=pk)
    record = game.jkf
    position, _last, _played = replay.position_at(record, replay.find_node(record, "", 8))
    return QUORIDOR.codec.path_code(QUORIDOR.codec.encode(position))


# --- requests ----------------------------------------------------------------------------------------------


class Visitor:
    """A client that keeps its connection and its cookies, as a browser does."""

    def __init__(self, port: int, language: str) -> None:
        self.connection = HTTPConnection(HOST, port, timeout=ANSWER_SECONDS)
        self.headers = {"Accept-Encoding": "gzip", "Accept-Language": language}

    def get(self, kind: str, path: str, tag: str = "") -> Timed:
        """Request an address and read its answer. Raises OSError, HTTPException."""
        headers = self.headers | ({"If-None-Match": tag} if tag else {})
        began = time.perf_counter()
        self.connection.request("GET", path, headers=headers)
        response = self.connection.getresponse()
        size = len(response.read())
        seconds = time.perf_counter() - began
        for cookie in response.headers.get_all("Set-Cookie") or ():
            self.headers["Cookie"] = cookie.partition(";")[0]
        return Timed(kind, response.status, seconds, size, response.headers.get("ETag") or "")

    def time_requests(self, calls: Sequence[tuple[str, str]]) -> tuple[list[Timed], ...]:
        """Time all addresses three times: cached, revalidated with their tags, and uncached.

        The first, untimed requests fill the cache of the one process that this connection leads to.
        """
        with closing(self.connection):
            for call in dict.fromkeys(calls):
                self.get(*call)
            cached = [self.get(*call) for call in calls]
            tagged = [(call, one.tag) for call, one in zip(calls, cached, strict=True) if one.tag]
            revalidated = [self.get(*call, tag) for call, tag in tagged]
            uncached = [self.get(kind, uncached_address(path)) for kind, path in calls]
            return cached, revalidated, uncached


_serial_numbers = count(1)


def uncached_address(path: str) -> str:
    """Return the address with a parameter that changes nothing and was never used before.

    The API refuses unknown parameters, so there it is `scope`: both names of the public scope, in an order
    that is new each time.
    """
    if path == HEALTH:
        return path
    number = next(_serial_numbers)
    names = ",".join(("public", "all")[int(digit)] for digit in f"{number:b}")
    parameter = f"scope={names}" if path.startswith("/api/") else f"drawn={number}"
    return f"{path}{'&' if '?' in path else '?'}{parameter}"


def time_visitors(
    port: int, paths_by_kind: dict[str, list[str]], rounds: int, clients: int, language: str
) -> list[Any]:
    """Time so many visitors at once: cached answers, revalidated ones, and uncached ones."""
    calls = [(kind, paths[n % len(paths)]) for n in range(rounds) for kind, paths in paths_by_kind.items()]

    def visit(number: int) -> tuple[list[Timed], ...]:
        mine = list(calls)
        random.Random(number).shuffle(mine)
        visitor = Visitor(port, language)
        visitor.get("", "/")
        return visitor.time_requests(mine)

    with ThreadPoolExecutor(clients) as pool:
        by_visitor = list(pool.map(visit, range(clients)))
    return [[one for answers in side for one in answers] for side in zip(*by_visitor, strict=True)]


# --- the report ------------------------------------------------------------------------------------------


def rows(
    cached: Sequence[Timed], revalidated: Sequence[Timed], uncached: Sequence[Timed], kinds: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the figures of each kind of address, in milliseconds."""
    limit = percentile([one.seconds for one in uncached if one.kind == NOTHING], 0.5)
    figures = []
    for kind in kinds:
        times = [one.seconds for one in uncached if one.kind == kind]
        tagged = [one for one in revalidated if one.kind == kind]
        both = [one for one in (*cached, *uncached) if one.kind == kind]
        figures.append(
            {
                "kind": kind,
                "p50": round(percentile(times, 0.5) * 1000, 2),
                "p99": round(percentile(times, 0.99) * 1000, 2),
                "ratio": round(percentile(times, 0.5) / limit, 1),
                "target": None if kind == NOTHING else TARGETS.get(kind, TARGET),
                "cached": round(
                    percentile([one.seconds for one in cached if one.kind == kind], 0.5) * 1000, 2
                ),
                "again": round(percentile([one.seconds for one in tagged], 0.5) * 1000, 2),
                "unchanged": round(100 * sum(one.status == 304 for one in tagged) / len(times)),
                "bytes": max(one.size for one in both),
                "errors": sum(one.status != 200 for one in both),
            }
        )
    return figures


def print_table(clients: int, figures: Sequence[dict[str, Any]]) -> None:
    head = f"{clients} client{'s' if clients > 1 else ''}"
    names = f"{'p50 ms':>9}{'p99':>9}{'x nothing':>11}{'target':>8}{'cached':>8}{'again':>8}"
    print(f"{head:22}{names}{'304':>6}{'bytes':>8}")
    for one in figures:
        target = f"{one['target']:g}" if one["target"] else ""
        print(
            f"{one['kind']:22}{one['p50']:9.2f}{one['p99']:9.2f}{one['ratio']:11.1f}{target:>8}"
            f"{one['cached']:8.2f}{one['again']:8.2f}{one['unchanged']:5}%{one['bytes']:8}"
        )


def measure(options: argparse.Namespace, folder: Path) -> dict[int, list[dict[str, Any]]]:
    """Fill, request, print; return the rows by the number of clients."""
    paths_by_kind = filled(folder, options.games)
    load, reports = os.getloadavg()[0], {}
    variables = environment(folder / "sqlite") | {"ARCHIVE_THROTTLE_LOOPBACK": "1000000"}
    with started(variables, folder / "serve.log") as archive:
        port = int(archive.url.rpartition(":")[2])
        say("each address once, so that every process has its templates ...")
        time_visitors(port, paths_by_kind, min(EACH, options.rounds), 4, options.language)
        for clients in options.clients:
            cached, revalidated, uncached = time_visitors(
                port, paths_by_kind, options.rounds, clients, options.language
            )
            reports[clients] = rows(cached, revalidated, uncached, list(paths_by_kind))
            if not options.json:
                print_table(clients, reports[clients])
    print(as_json({"games": options.games, "load_before": round(load, 2), "clients": reports}))
    return reports


def targets_of(reports: dict[int, list[dict[str, Any]]]) -> Iterator[Target]:
    """Return the targets of each kind of address by the number of clients, and of errors."""
    for clients, kinds in reports.items():
        for one in kinds:
            name = f"{one['kind']}, clients {clients}"
            yield Target(f"{name}: errors", one["errors"], 0)
            if one["target"]:
                yield Target(f"{name}: p50", one["p50"], one["target"], " ms")


def main() -> None:
    """Measure and print; exit with 1 if an answer was an error or a target is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--games", type=int, default=5000, help="games of the archive beside the samples")
    parser.add_argument("--rounds", type=int, default=30, help="requests of each kind by each client")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8], help="clients at once, in turn")
    parser.add_argument("--keep", type=Path, help="a folder in which the archive stays")
    parser.add_argument("--language", default="en", help="language of the pages")
    options = parser.parse_args()
    announce(only_json=options.json)
    with tempfile.TemporaryDirectory(prefix="archive-benchmark-") as folder:
        reports = measure(options, (options.keep or Path(folder)).resolve())
    sys.exit(verdict(targets_of(reports)))


if __name__ == "__main__":
    main()
