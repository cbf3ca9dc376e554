"""Statistics of an account's own games: the record by side, opening, castle, opponent, month, rating of the
opponent and time control, and the positions that are reached often."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, Literal, NamedTuple

from archive.index.engine import engine
from archive.models import Game, Player
from archive.queries.games.color_names import own_sides, results_of
from archive.queries.games.filters import GameFilters
from archive.queries.games.game_json import time_control
from archive.queries.games.list_query import query_of
from archive.queries.names.ids_of_names import unique_name
from archive.queries.names.own_names import EITHER, is_own, own_players
from archive.queries.names.people import ResultCounts
from archive.queries.positions.explorer import Interval, wilson
from archive.queries.scope import Scope
from archive.queries.search.patience import time_limited
from archive.queries.sql import Sql, rows_by_ids
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.formations import BY_NUMBER, OPENINGS

MOST_COUNTED: Final = 20_000
"""Games that are counted, the newest: about half a second on either engine."""
MOST_GROUPS: Final = 20
"""Rows of each list."""
MOST_MONTHS: Final = 36
ENOUGH: Final = 10
"""Decided games with an opening before it can be one of the worst."""
BAND: Final = 100
"""Rating points of one group of opponents."""

By = Literal["side", "opening", "formation", "opponent", "month", "rating", "clock"]


@dataclass(frozen=True, slots=True)
class OwnGroup:
    """Own games that have something in common."""

    by: By
    value: str
    """A side (`black`), an opening of records, the identifier of a formation, the name of an opponent, a
    month (2024-05), the first rating of a band, a time control."""
    colour: int
    """The colour of the own side; `EITHER` for games of both."""
    tally: ResultCounts
    filters: tuple[tuple[str, str], ...]
    """The parameters of the list of these games, in addition to `me`."""

    @property
    def decided(self) -> int:
        return self.tally.wins + self.tally.losses + self.tally.draws

    @property
    def score(self) -> float | None:
        """Return the score: 1 for a win and a half for a draw; None without decided games."""
        return (self.tally.wins + self.tally.draws / 2) / self.decided if self.decided else None

    @property
    def interval(self) -> Interval | None:
        """Return the Wilson interval of the score."""
        return wilson(self.tally.wins + self.tally.draws / 2, self.decided) if self.decided else None


@dataclass(slots=True)
class OwnStatistics:
    """The own games of one kind that match some filters. A game against oneself counts for both sides."""

    kind: str
    kinds: tuple[tuple[str, int], ...] = ()
    """Kinds of games with their numbers of games, the most frequent first."""
    games: int = 0
    more: bool = False
    """Whether there are older games, which are not counted."""
    groups: dict[By, tuple[OwnGroup, ...]] = field(default_factory=dict)
    worst: tuple[OwnGroup, ...] = ()
    """Openings by side with at least `ENOUGH` decided games, the lowest upper end of the interval first."""


class _Side(NamedTuple):
    """An own side of a game."""

    slot: int
    colour: int
    played: int
    kind: str
    result: int
    opening: str
    opponent: int | None
    rating: int | None
    """The opponent's."""
    limit: str | None
    """The time limit of both sides, as JSON."""


_SLOTS: Final = "SELECT g.slot, g.played FROM {sql} ORDER BY g.played DESC, g.slot DESC LIMIT %s"
_SIDES: Final = """
    SELECT p.slot, p.colour, p.played, g.kind, g.result, g.opening, o.player_id, o.rating,
        CAST(g.header_data -> 'time_limit' AS text)
    FROM archive_gameplayer p JOIN archive_game g ON g.slot = p.slot
    LEFT JOIN archive_gameplayer o ON o.slot = p.slot AND o.colour <> p.colour
    WHERE p.slot IN (SELECT k.key FROM {keys}) AND {own}
"""
_FORMATIONS: Final = """
    SELECT slot, colour, formation FROM archive_gameformation WHERE slot IN (SELECT k.key FROM {keys})
"""
_ARE_OPENINGS: Final = frozenset(one.name for one in OPENINGS)


def own_statistics(scope: Scope, filters: GameFilters) -> OwnStatistics:
    """Return the statistics of the own games that match, of the kind of game of the filters or of the most
    frequent kind. Raises QueryError for an invalid query and for one that takes too long."""
    filters = replace(filters, me=EITHER if filters.me is None else filters.me, record_kind="game")
    slots, more = _newest(scope, filters)
    sides = _sides(scope, filters, slots)
    kinds = Counter(dict(Counter(side.kind for side in {one.slot: one for one in sides}.values())))
    kind = filters.game or next((name for name, _n in kinds.most_common(1)), SHOGI.name)
    sides = [side for side in sides if side.kind == kind]
    statistics = OwnStatistics(kind, tuple(kinds.most_common()), kinds[kind], more)
    statistics.groups = _groups(kind, sides, filters)
    openings = (*statistics.groups["opening"], *statistics.groups["formation"])
    judged = [(one.interval.high, one) for one in openings if one.interval and _is_judged(one)]
    statistics.worst = tuple(one for _high, one in sorted(judged, key=lambda pair: pair[0])[:MOST_GROUPS])
    for by in ("opening", "formation"):
        statistics.groups[by] = statistics.groups[by][:MOST_GROUPS]
    return statistics


def _is_judged(group: OwnGroup) -> bool:
    return group.decided >= ENOUGH and (group.by == "opening" or group.value in _ARE_OPENINGS)


def _newest(scope: Scope, filters: GameFilters) -> tuple[list[int], bool]:
    """Return the slots of the newest games that match, and whether there are older ones."""
    with time_limited(filters):
        query = query_of(scope, filters)
        if query is None:
            return [], False
        pieces = [games.embed(_SLOTS, MOST_COUNTED + 1) for games in query.matches()]
        found = {(played, slot) for piece in pieces for slot, played in query.fetch(piece)}
    newest = sorted(found, reverse=True)
    return [slot for _played, slot in newest[:MOST_COUNTED]], len(newest) > MOST_COUNTED


def _sides(scope: Scope, filters: GameFilters, slots: list[int]) -> list[_Side]:
    players = own_players(scope)
    if not slots or not players:
        return []
    own = is_own(players)
    text = _SIDES.format(keys=engine().KEYS, own=own.text)
    rows = engine().fetch_prepared(*Sql(text, (engine().listed(slots), *own.values)), keep=False)
    sides = [_Side(*row) for row in rows]
    return [side for side in sides if filters.me in (EITHER, side.colour)]


def _groups(kind: str, sides: list[_Side], filters: GameFilters) -> dict[By, tuple[OwnGroup, ...]]:
    own = filters.me if filters.me is not None else EITHER
    count = _Counting(kind, sides, own)
    return {
        "side": count.by("side", lambda side: [(own_sides(GAMES[kind])[side.colour], side.colour)]),
        "opening": count.by("opening", lambda side: [(side.opening, side.colour)]),
        "formation": count.by("formation", _formations_of(sides)),
        "opponent": _opponents(count)[:MOST_GROUPS],
        "month": tuple(sorted(count.by("month", _month), key=lambda one: one.value, reverse=True))[
            :MOST_MONTHS
        ],
        "rating": _sorted(count.by("rating", _band), lambda one: int(one.value)),
        "clock": count.by("clock", lambda side: [(time_control(side.limit), EITHER)])[:MOST_GROUPS],
    }


def _sorted(groups: tuple[OwnGroup, ...], key: Callable[[OwnGroup], Any]) -> tuple[OwnGroup, ...]:
    return tuple(sorted(groups, key=key))


Values = Callable[[_Side], Iterable[tuple[str, int]]]
"""Returns the values of a side, each with its colour, or `EITHER` if colours are counted together."""


@dataclass(frozen=True, slots=True)
class _Counting:
    kind: str
    sides: list[_Side]
    own: int

    def by(self, by: By, values: Values) -> tuple[OwnGroup, ...]:
        """Return the groups by these values, the most frequent first; sides without a value are in none."""
        tallies: dict[tuple[str, int], ResultCounts] = {}
        for side in self.sides:
            for value, colour in values(side):
                if value:
                    tallies.setdefault((value, colour), ResultCounts()).add(side.result, side.colour)
        ranked = sorted(tallies.items(), key=lambda one: (-one[1].games, one[0]))
        return tuple(self._group(by, value, colour, tally) for (value, colour), tally in ranked)

    def _group(self, by: By, value: str, colour: int, tally: ResultCounts) -> OwnGroup:
        filters = tuple(_filters(by, value, GAMES[self.kind].rules.sides[colour] if colour < EITHER else ""))
        return OwnGroup(by, value, self.own if colour == EITHER else colour, tally, filters)


def _filters(by: By, value: str, side: str) -> Iterator[tuple[str, str]]:
    """Yield the parameters of the list of a group's games."""
    if by == "month":
        first = date.fromisoformat(f"{value}-01")
        yield from (("from", first.isoformat()), ("to", _last_day(first).isoformat()))
    elif by == "rating":
        yield from (("min_opponent", value), ("max_opponent", str(int(value) + BAND - 1)))
    elif by == "formation":
        yield f"{side}_formation", value
    elif by != "side":
        yield {"opening": "opening", "opponent": "player", "clock": "clock"}[by], value


def _last_day(first: date) -> date:
    """Return the last day of a month by its first."""
    return first.replace(day=monthrange(first.year, first.month)[1])


def _month(side: _Side) -> list[tuple[str, int]]:
    return [(date.fromordinal(side.played).isoformat()[:7], EITHER)] if side.played else []


def _band(side: _Side) -> list[tuple[str, int]]:
    return [] if side.rating is None else [(str(side.rating // BAND * BAND), EITHER)]


def _formations_of(sides: list[_Side]) -> Values:
    names: dict[tuple[int, int], list[tuple[str, int]]] = {}
    for slot, colour, number in rows_by_ids(_FORMATIONS, sorted({side.slot for side in sides})):
        if number in BY_NUMBER:
            names.setdefault((slot, colour), []).append((BY_NUMBER[number].name, colour))
    return lambda side: names.get((side.slot, side.colour), ())


def _opponents(count: _Counting) -> tuple[OwnGroup, ...]:
    """Return the opponents; one of the same name in several spaces is one opponent."""
    pks = {side.opponent for side in count.sides if side.opponent is not None}
    keys = dict(Player.objects.filter(pk__in=pks).values_list("pk", "key"))
    first: dict[str, int] = {}
    for pk in sorted(keys):
        first.setdefault(keys[pk], pk)
    groups = count.by(
        "opponent",
        lambda side: [(str(first[keys[side.opponent]]), EITHER)] if side.opponent in keys else [],
    )[:MOST_GROUPS]
    rows = Player.objects.in_bulk([int(one.value) for one in groups])
    names = [unique_name(rows[int(one.value)]) for one in groups]
    return tuple(
        replace(one, value=name, filters=(("player", name),)) for one, name in zip(groups, names, strict=True)
    )


Outcome = Literal["all", "won", "lost", "drawn"]


def list_parameters(group: OwnGroup, kind: str, given: dict[str, Any], outcome: Outcome) -> dict[str, str]:
    """Return the parameters of the list of the games of a group with an outcome, within the list of the
    parameters `given`."""
    game = GAMES[kind]
    fixed = {"game": kind, "record_kind": Game.RecordKind.GAME.value}
    parameters = {key: str(value) for key, value in given.items()} | dict(group.filters) | fixed
    parameters["me"] = own_sides(game)[group.colour]
    for name, narrower in (("from", max), ("to", min)):
        if given.get(name) and name in dict(group.filters):
            parameters[name] = narrower(str(given[name]), parameters[name])
    if outcome == "drawn":
        expression = "result:draw"
    else:
        colours = (0, 1) if group.colour == EITHER else (group.colour,)
        names = results_of(game)
        expression = " OR ".join(
            f"(me:{game.rules.sides[one]} result:{names[one if outcome == 'won' else 1 - one]})"
            for one in colours
        )
    if outcome != "all":
        query = parameters.get("q", "")
        parameters["q"] = f"({query}) ({expression})" if query else expression
    return parameters
