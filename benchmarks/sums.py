"""What a question about several spaces costs beside the same question about each of them alone.

    python -m benchmarks.sums [--engine sqlite|postgresql] [--games 6000] [--positions 20] [--rounds 5]
        [--only WORDS] [--keep DIR] [--json]

Fills three spaces with a third of the games each: the public one, one person's and one group's library. They
share openings, players and events, and no game. Then every question that pages ask of a scope is asked of
each space alone and of all three together, in turn, and nothing that was told before is kept.

`single ones` is what the three answers take together, `sum` the answer about all three; their ratio is the
result; the target is at most 1. Of each question's times the shortest of all rounds counts, of the ratios
the median over the positions. `database` is the same ratio of the time spent waiting for the database alone.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.support import interpreter, lookups, population
from benchmarks.support.databases import database
from benchmarks.support.filling import fill, writers
from benchmarks.support.targets import Target, verdict

if TYPE_CHECKING:
    from archive.queries.scope import Scope

ENGINES: Final = ("sqlite", "postgresql")
SAMPLED_GAMES: Final = 300
"""Games whose positions are chosen from."""
RARE: Final = 10
"""Games in which a rare position is at most, in each of the spaces."""
PAGE: Final = 25
TARGET: Final = 1.0


class Took(NamedTuple):
    """Milliseconds of an answer: as a whole, and waiting for the database."""

    whole: float
    database: float


@dataclass(frozen=True, slots=True)
class Ratio:
    """How the answer about all spaces compares to those about each; milliseconds are medians."""

    name: str
    single_ms: float
    sum_ms: float
    ratio: float
    database: float
    asked: int


Ask = Callable[["Scope"], object]


def spaces_there() -> tuple[int, ...]:
    """The public space, a person's and a group's library."""
    from archive import libraries
    from archive.models import Space, User
    from kifu_core.classes import PUBLIC

    known = tuple(Space.objects.order_by("pk").values_list("pk", flat=True))
    if known:
        return PUBLIC, *known
    person = User.objects.create_user("bench")
    libraries.own_library(person)
    libraries.make_group(person, "bench")
    return PUBLIC, *Space.objects.order_by("pk").values_list("pk", flat=True)


def grow(games: int, spaces: Sequence[int]) -> None:
    """Fill the spaces, each with its part of so many games; those that have games stay as they are."""
    from archive.models import Game

    with writers(1) as pool:
        for number, space in enumerate(spaces):
            if Game.objects.filter(space=space).exists():
                continue
            each = games // len(spaces)
            for _ in fill(pool, number * each, (number + 1) * each, space=space):
                pass


# --- positions -------------------------------------------------------------------------------------------


def positions(games: int, spaces: Sequence[int], count: int) -> dict[str, list[str]]:
    """Positions by how hot they are in each of the spaces: with counters in all of them, without in none but
    with dozens of games, and with a few games at most."""
    from archive.index.schema import HOT_GAMES
    from kifu_core import Position, shogi64

    start = shogi64.encode(Position.initial())
    numbers = _numbers(games, spaces)
    chosen = {
        "hot": [code for code, (least, _) in numbers.items() if least >= HOT_GAMES],
        "middle": [code for code, (least, most) in numbers.items() if least > RARE and most < HOT_GAMES],
        "rare": [code for code, (least, most) in numbers.items() if least > 0 and most <= RARE],
    }
    dice = random.Random(1)
    drawn = {name: dice.sample(codes, min(count, len(codes))) for name, codes in chosen.items()}
    return {"start": [start], **drawn}


def _numbers(games: int, spaces: Sequence[int]) -> dict[str, tuple[int, int]]:
    """The least and the most games in which a position is in a space, for positions of some games."""
    from archive.queries.counting import totals
    from kifu_core import Position, shogi64
    from kifu_core.shogi.keys.canonical import same_class_keys

    found: dict[str, list[int]] = {}
    dice = random.Random(1)
    for number in (dice.randrange(games) for _ in range(SAMPLED_GAMES)):
        position = Position.initial()
        for move in population.moves(number)[: population.OPENING_PLIES]:
            position.do_move(move)
            code = shogi64.encode(position)
            if code not in found:
                found[code] = [same_class_keys(position, space=space)[0] for space in spaces]
    known = totals([key for keys in found.values() for key in keys], "main")
    numbers = {code: [known.get(key, 0) for key in keys] for code, keys in found.items()}
    return {code: (min(each), max(each)) for code, each in numbers.items()}


# --- questions -------------------------------------------------------------------------------------------


def of_positions(code: str) -> dict[str, Ask]:
    """What is asked about a position."""
    from archive.queries.explorer import explore, reaching
    from archive.queries.filters import GameFilters
    from archive.queries.position_games import games_through
    from archive.queries.trend import trend
    from archive.queries.walk import walk

    usual, busy = lookups._some_players()
    through = partial(_positional, games_through, code, limit=PAGE)
    asked: dict[str, Ask] = {
        "explorer": partial(_positional, explore, code),
        "explorer, transpositions": partial(_positional, explore, code, transpositions=True),
        "explorer, match=any": partial(_positional, explore, code, match="any"),
        "explorer, all lines": partial(_positional, explore, code, lines="all"),
        "games, newest": through,
        "games, oldest": partial(through, order="oldest"),
        "games, match=any": partial(through, match="any"),
        "number of games": partial(_positional, reaching, code),
        "years": partial(_positional, trend, code),
        "tree": partial(_positional, walk, code, depth=2, min_games=2, seconds=60.0),
    }
    filters = {
        "a player": GameFilters(player=usual),
        "a busy player": GameFilters(player=busy),
        "days": GameFilters(since=lookups.WINDOW[0], until=lookups.WINDOW[1]),
        "a result": GameFilters(result=2),
        "ratings": GameFilters(min_rating=1700),
    }
    for name, chosen in filters.items():
        asked[f"explorer, {name}"] = partial(_positional, explore, code, filters=chosen)
        asked[f"games, {name}"] = partial(through, filters=chosen)
    return asked


def _positional(function: Callable[..., object], code: str, scope: Scope, **options: Any) -> object:
    return function(scope, "shogi", code, **options)


def of_lists() -> dict[str, Ask]:
    """Return what is asked about games, players and events."""
    from archive.queries.facets import facets
    from archive.queries.filters import GameFilters
    from archive.queries.games import find_games
    from archive.queries.totals import total

    _usual, busy = lookups._some_players()
    event = lookups._some_event()
    filters = {
        "all": GameFilters(),
        "a player": GameFilters(player=busy),
        "an event": GameFilters(event=event),
        "a result": GameFilters(result=2),
        "long ones": GameFilters(min_plies=150),
    }
    asked: dict[str, Ask] = {}
    for name, chosen in filters.items():
        for order in ("newest", "added", "longest"):
            asked[f"list of games, {name}, {order}"] = partial(
                find_games, filters=chosen, order=order, limit=PAGE
            )
        asked[f"facets, {name}"] = partial(facets, filters=chosen)
        asked[f"total, {name}"] = lambda scope, chosen=chosen: total(  # type: ignore[misc]
            scope, chosen, facets(scope, chosen), PAGE
        )
    return asked | _of_names(busy, event)


def _of_names(busy: str, event: str) -> dict[str, Ask]:
    """Return what is asked about sums, a busy player, an event and all of their names."""
    from archive.queries import directory, people
    from archive.queries.likely import likely
    from archive.queries.statistics import counts, statistics
    from archive.queries.totals import names_total

    return {
        "counts": counts,
        "statistics": statistics,
        "players by reading": partial(_named, directory.listed, order="reading"),
        "players by games": partial(_named, directory.listed, order="games"),
        "events by name": lambda scope: directory.listed(scope, "event", "name"),
        "number of players": partial(_named, names_total, words=""),
        "names with a text": partial(_named, people.names, words=busy[:1], limit=8),
        "likely names": partial(_named, likely, text=f"{busy}x"),
        "a player": lambda scope: people.player_summary(scope, _first("player", scope, busy)),
        "an event": lambda scope: people.event_summary(scope, _first("event", scope, event)),
    }


def _named(function: Callable[..., object], scope: Scope, **options: Any) -> object:
    return function(scope, "player", **options)


def _first(kind: Any, scope: Scope, name: str) -> int:
    """The id of a name in the first space of a scope that knows it."""
    from archive.queries.named import named

    return (named(scope, kind, name) or (0,))[0]


# --- measuring -------------------------------------------------------------------------------------------


def asked_once(ask: Ask, scope: Scope) -> Took:
    """Ask, nothing being kept of what was told before."""
    from django.core.cache import cache

    cache.clear()
    # As rounds are the same every time, Python would clean up within the same answer in each of them.
    gc.disable()
    try:
        with lookups.sql_time() as spent:
            begun = time.perf_counter()
            ask(scope)
            whole = 1000 * (time.perf_counter() - begun)
    finally:
        gc.enable()
    return Took(whole, spent[0])


def compared(ask: Ask, spaces: Sequence[int], rounds: int) -> tuple[Took, Took]:
    """What the answers about each space take together, and the one about all of them."""
    from archive.queries.scope import Scope

    scopes = [*(Scope((space,)) for space in spaces), Scope(tuple(spaces))]
    shortest = [asked_once(ask, scope) for scope in scopes]  # so that plans are made
    for _ in range(rounds):
        now = [asked_once(ask, scope) for scope in scopes]
        shortest = [Took(*map(min, one, other)) for one, other in zip(shortest, now, strict=True)]
    single = shortest[:-1]
    return Took(sum(one.whole for one in single), sum(one.database for one in single)), shortest[-1]


def ratio_of(name: str, asks: Sequence[Ask], spaces: Sequence[int], rounds: int) -> Ratio:
    """The ratio of a question, its median over what it is asked about."""
    found = [compared(ask, spaces, rounds) for ask in asks]
    return Ratio(
        name,
        statistics.median(single.whole for single, _ in found),
        statistics.median(together.whole for _, together in found),
        statistics.median(together.whole / single.whole for single, together in found),
        statistics.median(together.database / single.database for single, together in found),
        len(found),
    )


def ratios(chosen: dict[str, list[str]], spaces: Sequence[int], rounds: int, only: str) -> Iterator[Ratio]:
    """All questions, one after the other."""
    for heat, codes in chosen.items():
        questions = [of_positions(code) for code in codes]
        for name in questions[0] if questions else ():
            if only in (title := f"{heat}: {name}"):
                yield ratio_of(title, [asked[name] for asked in questions], spaces, rounds)
    for name, ask in of_lists().items():
        if only in name:
            yield ratio_of(name, [ask], spaces, rounds)


def measure(engine: str, options: argparse.Namespace) -> dict[str, Any]:
    """Fill an archive and compare, printing what is found."""
    from django.db import connection

    spaces = spaces_there()
    grow(options.games, spaces)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)" if connection.vendor == "postgresql" else "ANALYZE")
    chosen = positions(options.games, spaces, options.positions)
    print("positions: " + ", ".join(f"{len(codes)} {heat}" for heat, codes in chosen.items()))
    print(f"{'':<40}{'single ones':>14}{'sum':>12}{'ratio':>8}{'database':>10}")
    rows = []
    for row in ratios(chosen, spaces, options.rounds, options.only):
        times = f"{row.single_ms:>11.2f} ms{row.sum_ms:>9.2f} ms"
        print(f"{row.name:<40}{times}{row.ratio:>8.2f}{row.database:>10.2f}", flush=True)
        rows.append(asdict(row))
    return {"engine": engine, "games": options.games, "ratios": rows}


def main() -> None:
    """Run it; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES, default="postgresql")
    parser.add_argument("--games", type=int, default=6000, help="in all three spaces together")
    parser.add_argument("--positions", type=int, default=20, help="of each kind")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="questions whose names have these words")
    parser.add_argument("--keep", type=Path, help="a folder where the archive stays")
    parser.add_argument("--json", action="store_true", help="the figures once more, as one line of JSON")
    options = parser.parse_args()
    interpreter.announce()
    with database(options.engine, options.keep):
        load = os.getloadavg()[0]
        print(f"{options.engine}, {options.games:,} games; load of the machine before: {load:.1f}")
        found = measure(options.engine, options)
    if options.json:
        print(interpreter.as_json(found))
    sys.exit(verdict(Target(f"{row['name']}: ratio", row["ratio"], TARGET) for row in found["ratios"]))


if __name__ == "__main__":
    main()
