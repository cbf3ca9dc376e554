"""Queries about positions of a filled archive, timed: the SQL alone, and requests to the API."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks import population
from benchmarks.support import percentile

if TYPE_CHECKING:
    from django.test import Client

    from archive.queries.games.filters import GameFilters
    from kifu_core.classes import Match

REPEATS: Final = 3
"""Of so many times the shortest counts, because other programs only add time."""

WINDOW: Final = (date(2005, 1, 1), date(2009, 12, 31))


class Bounds(NamedTuple):
    """Milliseconds that half of the answers, and 99 of 100, may take."""

    p50: float | None = None
    p99: float | None = None

    def __str__(self) -> str:
        bounds = self[: 1 if self.p99 is None else 2]
        return " / ".join("-" if bound is None else f"{bound:g}" for bound in bounds)


NO_TARGET: Final = Bounds()


@dataclass(slots=True)
class Times:
    """Milliseconds of a repeated query: of uncached answers, and of `cached` ones if there are any."""

    name: str
    target: Bounds = NO_TARGET
    values: list[float] = field(default_factory=list)
    cached: list[float] = field(default_factory=list)

    @property
    def cached_median(self) -> float | None:
        """Return the median of the cached answers; None without any."""
        return percentile(self.cached, 0.5) if self.cached else None


def _elapsed(call: Callable[[], object]) -> float:
    """Return the milliseconds of a call."""
    begun = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begun)


def _elapsed_in_sql(call: Callable[[], object]) -> float:
    """Return the milliseconds that a call waits for the database."""
    from django.db import connection

    spent = list[float]()

    def measure(execute: Callable[..., Any], *arguments: Any) -> Any:
        begun = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            spent.append(1000 * (time.perf_counter() - begun))

    with connection.execute_wrapper(measure):
        call()
    return sum(spent)


def timed_sql(
    name: str, target: Bounds, calls: Iterable[Callable[[], object]], again: int = REPEATS
) -> Times:
    """Time the SQL of each call, the shortest of `again` times; the first call is not counted."""
    return timed(name, target, calls, again, _elapsed_in_sql)


def timed(
    name: str,
    target: Bounds,
    calls: Iterable[Callable[[], object]],
    again: int = REPEATS,
    once: Callable[[Callable[[], object]], float] = _elapsed,
) -> Times:
    """Time each call, the shortest of `again` times; the first call is not counted."""
    times = Times(name, target)
    for number, call in enumerate(calls):
        shortest = min(once(call) for _ in range(again))
        if number:
            times.values.append(shortest)
    return times


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes of positions by how many games reach them."""

    start: str
    hot: list[str]
    middle: list[str]
    rare: list[str]


def sample_codes(games: int, count: int) -> Codes:
    """Draw positions from games of the archive: hot ones (they have counters), 20 to 999 games, fewer."""
    from archive.queries.positions.counting import count_games
    from kifu_core import Position, shogi64
    from kifu_core.shogi.keys.canonical import same_class_keys

    dice = random.Random(1)
    keys: dict[str, int] = {}
    for number in (dice.randrange(games) for _ in range(max(40, count))):
        position = Position.initial()
        for ply, move in enumerate(population.moves(number)):
            position.do_move(move)
            if ply < population.OPENING_PLIES or ply == 60:
                keys[shogi64.encode(position)] = same_class_keys(position)[0]
    numbers = count_games(list(keys.values()), "main")
    by_size = {code: numbers.get(at, 0) for code, at in keys.items()}
    hot = [code for code, n in by_size.items() if n >= 1000]
    middle = [code for code, n in by_size.items() if 20 <= n < 1000]
    rare = [code for code, n in by_size.items() if 0 < n < 20]
    start = shogi64.encode(Position.initial())
    return Codes(
        start, *(dice.sample(codes, min(count, len(codes))) for codes in (hot or [start], middle, rare))
    )


def repeated(codes: list[str], times: int) -> Iterator[str]:
    """Yield codes in turn, one more than `times`."""
    for number in range(times + 1):
        if codes:
            yield codes[number % len(codes)]


def _some_event() -> str:
    """Return the name of some game's event."""
    from archive.models import Game

    named = Game.objects.filter(event__isnull=False).order_by("pk").values_list("event__name", flat=True)
    return named[0]


def _some_players() -> tuple[str, str]:
    """Return the player with the median number of games, and one of the ten with most."""
    from django.db.models import Count

    from archive.models import GamePlayer, Player

    counted = GamePlayer.objects.values("player").annotate(games=Count("slot")).order_by("games", "player")
    ids = [row["player"] for row in counted]
    names = dict(Player.objects.values_list("pk", "name"))
    return names[ids[len(ids) // 2]], names[ids[-min(7, len(ids))]]


def of_database(codes: Codes, times: int) -> Iterator[Times]:
    """Measure the SQL of each kind of query."""
    yield from _of_one_game(times)
    yield from _of_positions(codes, times)
    yield from _of_filters(codes, times)


def _of_one_game(times: int) -> Iterator[Times]:
    """Measure the limit: a game read by its primary key."""
    from django.db import connection

    from archive.index.engine import engine
    from archive.models import Game

    ids = list(Game.objects.values_list("pk", flat=True)[:1000])

    def primary_key(pk: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT plies FROM archive_game WHERE id = %s", [pk])
            cursor.fetchone()

    def prepared(pk: int) -> None:
        engine().fetch_prepared("SELECT plies FROM archive_game WHERE id = %s", [pk])

    yield timed_sql(
        "limit: one game by primary key", NO_TARGET, (partial(primary_key, pk) for pk in ids[:times])
    )
    yield timed_sql(
        "limit: the same, with a cached plan", NO_TARGET, (partial(prepared, pk) for pk in ids[:times])
    )


def _answer(code: str, filters: GameFilters | None = None, match: Match = "exact") -> None:
    from archive.queries.positions.explorer import explore
    from archive.queries.positions.position_games import games_through
    from archive.queries.scope import PUBLIC

    explore(PUBLIC, "shogi", code, match, filters=filters)
    games_through(PUBLIC, "shogi", code, match, limit=25, filters=filters)


def _statistics(code: str) -> None:
    from archive.queries.positions.counting import count_rows
    from archive.queries.positions.position_games import games_through
    from archive.queries.positions.position_query import position_query
    from archive.queries.scope import PUBLIC

    count_rows(position_query(PUBLIC, "shogi", code).keys)
    games_through(PUBLIC, "shogi", code, limit=25)


def _of_positions(codes: Codes, times: int) -> Iterator[Times]:
    """Measure queries about positions without filters."""
    from archive.queries.positions.explorer import explore, explore_many
    from archive.queries.scope import PUBLIC

    every = {"rare": codes.rare, "20-999 games": codes.middle, "hot": codes.hot, "start": [codes.start]}
    for name, chosen in every.items():
        calls = (partial(_statistics, code) for code in repeated(chosen, times))
        yield timed_sql(f"{name}: statistics, 25 games", Bounds(0.3, 1), calls)
    for name, chosen in every.items():
        calls = (partial(_answer, code) for code in repeated(chosen, times))
        yield timed_sql(f"{name}: the same, any order, first, latest", NO_TARGET, calls)
    for name, chosen in every.items():
        calls = (partial(_answer, code, match="any") for code in repeated(chosen, times))
        yield timed_sql(f"{name}: the same, match=any", NO_TARGET, calls)
    moves = (
        partial(explore, PUBLIC, "shogi", code, transpositions=True) for code in repeated(codes.middle, times)
    )
    yield timed("20-999 games: transpositions=1, total time", Bounds(40), moves)
    every_code = [*codes.hot, *codes.middle, *codes.rare]
    batches = (
        partial(explore_many, PUBLIC, "shogi", random.Random(n).sample(every_code, min(100, len(every_code))))
        for n in range(max(10, times // 5))
    )
    yield timed("100 positions at once, total time", NO_TARGET, batches)


def _of_filters(codes: Codes, times: int) -> Iterator[Times]:
    """Measure the same queries with each filter."""
    from archive.queries.games.filters import GameFilters

    usual, busy = _some_players()
    filters = {
        "player": GameFilters(player=usual),
        "one of the busiest players": GameFilters(player=busy),
        "black, white": GameFilters(black=busy, white=usual),
        "days": GameFilters(since=WINDOW[0], until=WINDOW[1]),
        "result": GameFilters(result=2),
        "event": GameFilters(event=_some_event()),
        "min_rating": GameFilters(min_rating=1700),
    }
    for what, chosen_filters in filters.items():
        for name, chosen in (("20-999 games", codes.middle), ("hot", codes.hot), ("start", [codes.start])):
            calls = (partial(_answer, code, chosen_filters) for code in repeated(chosen, max(10, times // 5)))
            yield timed_sql(
                f"{name} + {what}",
                Bounds(1.5, 10) if what in ("player", "days", "result") or name == "start" else NO_TARGET,
                calls,
            )


def of_api(codes: Codes, times: int) -> Iterator[Times]:
    """Measure requests in this process, without a network."""
    client = _client()
    nothing = (_request(client, "empty") for _ in range(times + 1))
    yield timed("limit: a view that does nothing", NO_TARGET, nothing)
    for name, chosen in (("rare", codes.rare), ("20-999 games", codes.middle), ("hot", codes.hot)):
        addresses = [f"positions/shogi/{code}" for code in repeated(chosen, times)]
        yield _time_answers(client, f"{name}: explorer", Bounds(4, 15), addresses)
        pages = [f"{address}/games?limit=25" for address in addresses]
        yield _time_answers(client, f"{name}: 25 games", Bounds(4, 15), pages)
    start = f"positions/shogi/{codes.start}"
    days = f"from={WINDOW[0]}&to={WINDOW[1]}"
    for what, query in (("", ""), (", days", days), (", min_rating", "min_rating=1700")):
        addresses = [f"{start}?{query}"] * times
        yield _time_answers(client, f"start: explorer{what}", Bounds(1.5, 10), addresses)
    # Trees are not cached.
    tree = _request(client, f"positions/shogi/{codes.start}/tree?depth=8&min_games=20")
    yield timed("start: tree, depth 8, 20 games", Bounds(500), [tree] * 6)


def _client() -> Client:
    """Return a client of the API, with an address `empty` whose view does nothing."""
    from django.test import Client
    from django.urls import clear_url_caches, path
    from rest_framework.decorators import api_view
    from rest_framework.request import Request
    from rest_framework.response import Response

    from archive.api import urls

    @api_view(["GET"])
    def empty(request: Request) -> Response:
        return Response({})

    urls.urlpatterns.insert(0, path("empty", empty))
    clear_url_caches()
    return Client(headers={"host": "localhost"})


def _time_answers(client: Client, name: str, target: Bounds, addresses: Iterable[str]) -> Times:
    """Time each of these addresses, uncached and cached."""
    from django.core.cache import cache

    times = Times(name, target)
    for address in addresses:
        call = _request(client, address)
        uncached = list[float]()
        for _ in range(REPEATS):
            cache.clear()
            uncached.append(_elapsed(call))
        times.values.append(min(uncached))
        times.cached.append(min(_elapsed(call) for _ in range(REPEATS)))
    # The first request loads modules and templates for all.
    del times.values[:1], times.cached[:1]
    return times


def _request(client: Client, address: str) -> Callable[[], object]:
    def get() -> None:
        answer = client.get(f"/api/v1/{address}")
        if answer.status_code != 200:
            raise RuntimeError(f"{address} answered {answer.status_code}")

    return get
