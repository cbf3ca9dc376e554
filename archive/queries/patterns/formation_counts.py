"""Castles and openings: their games and results, one of them in detail, those of a game, and the opening of a
position."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple

from archive.caching.values import RECOUNT_LIMIT, cached
from archive.index.engine import engine
from archive.index.schema import FORK, NOT_A_GAME
from archive.models import GameRecord, codec
from archive.queries.names.people import MOST_LISTED, NamedCount, ResultCounts, by_year, most_frequent_players
from archive.queries.positions.position_query import position_query
from archive.queries.scope import Scope
from archive.queries.sql import Sql, conjunction, rows_by_ids
from kifu_core.classes import Match
from kifu_core.games import SHOGI
from kifu_core.jkf import Coordinates, Move
from kifu_core.shogi.formations import BY_NAME, BY_NUMBER, OPENINGS, Formation, with_parents
from kifu_core.shogi.notation import disambiguated

MOST_COUNTED: Final = 5_000
"""Sides with a formation that its page counts, those stored last: about 50 ms on either engine."""
RECORDS: Final = 100
"""Games whose records are read for the next moves: about 20 ms."""
NEWEST: Final = 200
"""The newest games of a position decide on its opening."""
CACHE_SECONDS: Final = 600
"""How long slow counts are cached."""
PLY_STEP: Final = 5
"""Plies in one class."""


@dataclass(frozen=True, slots=True)
class FormationCount:
    """A formation with its number of games, and the results of the sides that have it: a game in which both
    sides have it counts twice in these."""

    formation: Formation
    games: int
    tally: ResultCounts


class GameFormationAt(NamedTuple):
    """A formation of a side (0 Black, 1 White) of a game, and the ply at which it is complete first."""

    formation: Formation
    colour: int
    ply: int


@dataclass(slots=True)
class FormationDetails:
    """Counts of the sides that have played a formation. Only those that were stored last are counted."""

    formation: Formation
    counted: int = 0
    """The number of sides that were counted."""
    more: bool = False
    """Whether there are others, which were not counted."""
    colours: tuple[ResultCounts, ResultCounts] = field(
        default_factory=lambda: (ResultCounts(), ResultCounts())
    )
    """The results as Black and as White."""
    years: tuple[tuple[int, int], ...] = ()
    """Years with their numbers of sides."""
    plies: tuple[tuple[int, int], ...] = ()
    """Numbers of sides by the ply at which the formation was reached: by the first ply of a class of
    `PLY_STEP`."""
    against: tuple[tuple[Formation, ResultCounts], ...] = ()
    """The formations of the other side, with the results of the side that has this one."""
    players: tuple[tuple[NamedCount, ResultCounts], ...] = ()
    """The most frequent players with their results."""
    moves: tuple[tuple[Move, int], ...] = ()
    """The next moves of the side in the last `RECORDS` games, as if it were Black, with the words that
    distinguish them."""
    games: tuple[tuple[int, int, int], ...] = ()
    """Its games, the last stored first: id, colour and ply."""


_COUNTED: Final = """
    SELECT f.formation, f.colour, g.result, count(*) FROM archive_gameformation f
    JOIN archive_game g ON g.slot = f.slot WHERE {sql} GROUP BY f.formation, f.colour, g.result
"""
_BOTH: Final = """
    SELECT f.formation, count(*) FROM archive_gameformation f
    JOIN archive_gameformation o ON o.formation = f.formation AND o.slot = f.slot AND o.colour = 1
    JOIN archive_game g ON g.slot = f.slot WHERE f.colour = 0 AND {sql} GROUP BY f.formation
"""


def formation_counts(scope: Scope) -> dict[str, FormationCount]:
    """Return the counts of all formations by name; in a large archive at most ten minutes old."""
    return cached(
        f"formations {scope}",
        lambda: _count_formations(scope),
        lambda counts: CACHE_SECONDS if sum(one.games for one in counts.values()) > RECOUNT_LIMIT else 0,
    ).value


def _count_formations(scope: Scope) -> dict[str, FormationCount]:
    readable, tallies = scope.condition("g"), dict[int, ResultCounts]()
    rows = readable.embed(_COUNTED).rows()
    twice = dict(readable.embed(_BOTH).rows())
    for number, colour, result, n in rows:
        tallies.setdefault(number, ResultCounts()).add(result, colour, n)
    return {
        BY_NUMBER[number].name: FormationCount(BY_NUMBER[number], tally.games - twice.get(number, 0), tally)
        for number, tally in sorted(tallies.items())
        if number in BY_NUMBER
    }


_LAST_STORED: Final = """
    SELECT f.slot, f.colour, f.ply, g.id, g.played, g.result, g.player0_id, g.player1_id
    FROM archive_gameformation f JOIN archive_game g ON g.slot = f.slot
    WHERE {sql} ORDER BY f.slot DESC, f.colour LIMIT %s
"""
_OF_SLOTS: Final = """
    SELECT slot, formation, colour FROM archive_gameformation WHERE slot IN (SELECT k.key FROM {keys})
"""


def formation_details(scope: Scope, formation: Formation) -> FormationDetails:
    """Return the details of a formation; empty ones if no game has it."""
    return cached(
        f"formation {scope} {formation.name}",
        lambda: _details(scope, formation),
        lambda details: CACHE_SECONDS if details.more else 0,
    ).value


def _details(scope: Scope, formation: Formation) -> FormationDetails:
    conditions = [Sql("f.formation = %s", (formation.number,)), scope.condition("g")]
    rows = conjunction(conditions).embed(_LAST_STORED, MOST_COUNTED + 1).rows()
    details = FormationDetails(formation, min(len(rows), MOST_COUNTED), len(rows) > MOST_COUNTED)
    rows = rows[:MOST_COUNTED]
    plies: Counter[int] = Counter()
    players: dict[int, ResultCounts] = {}
    for _slot, colour, ply, _pk, _played, result, *seats in rows:
        details.colours[colour].add(result, colour)
        plies[ply // PLY_STEP * PLY_STEP] += 1
        if (player := seats[colour]) is not None:
            players.setdefault(player, ResultCounts()).add(result, colour)
    details.years = by_year(row[4] for row in rows)
    last = max(plies, default=-1)
    details.plies = tuple((first, plies[first]) for first in range(0, last + 1, PLY_STEP))
    details.players = most_frequent_players(players)
    details.against = _against({(slot, colour): result for slot, colour, _p, _g, _d, result, *_s in rows})
    details.games = tuple((pk, colour, ply) for _slot, colour, ply, pk, *_rest in rows[:RECORDS])
    details.moves = _next_moves(details.games)
    return details


def _next_moves(games: Sequence[tuple[int, int, int]]) -> tuple[tuple[Move, int], ...]:
    """Return the first moves of the sides after their formation, the most frequent first, with the words that
    distinguish them."""
    stored = GameRecord.objects.in_bulk([pk for pk, _colour, _ply in games])
    counts, words = Counter[str](), dict[str, Counter[str]]()
    for pk, colour, ply in games:
        if pk in stored:
            entries = codec.unpack(stored[pk].record)["moves"][ply + 1 : ply + 3]
            own_moves = (one["move"] for one in entries if "move" in one and one["move"]["color"] == colour)
            for move in islice(own_moves, 1):
                text = json.dumps(_as_black(move), sort_keys=True)
                counts[text] += 1
                words.setdefault(text, Counter())[move.get("relative", "")] += 1
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_LISTED]
    moves = [json.loads(text) | _most_frequent_words(words[text]) for text, _n in ranked]
    return tuple(zip(disambiguated(moves), (n for _text, n in ranked), strict=True))


def _most_frequent_words(words: Counter[str]) -> dict[str, str]:
    """Return the most frequent relative words of a move in its games, if any."""
    ((usual, _n),) = words.most_common(1)
    return {"relative": usual} if usual else {}


def _as_black(move: Move) -> dict[str, Any]:
    """Return a move as Black's on the turned board: piece, squares, promotion."""
    turned = move["color"] == 1

    def square(place: Coordinates) -> dict[str, int]:
        return {"x": 10 - place["x"], "y": 10 - place["y"]} if turned else {"x": place["x"], "y": place["y"]}

    as_black: dict[str, Any] = {"color": 0, "piece": move["piece"], "to": square(move["to"])}
    if source := move.get("from"):
        as_black["from"] = square(source)
    return as_black | {name: move[name] for name in ("promote",) if name in move}


def _against(sides: dict[tuple[int, int], int]) -> tuple[tuple[Formation, ResultCounts], ...]:
    """Return the formations of the opponents of these sides, by slot and colour, with the sides' results; of
    a formation and its parents only the formation."""
    others: dict[tuple[int, int], list[str]] = {}
    for slot, number, colour in rows_by_ids(_OF_SLOTS, sorted({slot for slot, _colour in sides})):
        if number in BY_NUMBER and (slot, 1 - colour) in sides:
            others.setdefault((slot, 1 - colour), []).append(BY_NUMBER[number].name)
    counts: dict[str, ResultCounts] = {}
    for (slot, colour), names in others.items():
        for name in most_specific(names):
            counts.setdefault(name, ResultCounts()).add(sides[slot, colour], colour)
    ranked = sorted(counts.items(), key=lambda one: (-one[1].games, one[0]))[:MOST_LISTED]
    return tuple((BY_NAME[name], tally) for name, tally in ranked)


def most_specific(names: Iterable[str]) -> list[str]:
    """Return the formations of one side that are no parents of others, in their order."""
    names = [*names]
    general = {parent for name in names for parent in with_parents(BY_NAME[name].parents)}
    return [name for name in names if name not in general]


# --- one game, one position ------------------------------------------------------------------------------

_OF_GAME: Final = """
    SELECT formation, colour, ply FROM archive_gameformation WHERE slot = %s
    ORDER BY ply, colour, formation
"""
_OF_KEY: Final = f"""
    SELECT d.slot FROM archive_occurrence d
    WHERE d.key = %s AND (d.flags & {FORK}) = 0 AND d.result <> {NOT_A_GAME}
    ORDER BY d.played DESC, d.slot DESC LIMIT %s
"""


def formations_of_game(slot: int) -> tuple[GameFormationAt, ...]:
    """Return the formations of a readable game, by its slot, in order of plies; of a formation and its
    parents at the same ply only the formation."""
    rows = [
        GameFormationAt(BY_NUMBER[number], colour, ply)
        for number, colour, ply in Sql(_OF_GAME, (slot,)).rows()
        if number in BY_NUMBER
    ]
    return tuple(
        one
        for one in rows
        if not any(
            other is not one
            and (other.colour, other.ply) == (one.colour, one.ply)
            and one.formation.name in with_parents(other.formation.parents)
            for other in rows
        )
    )


@dataclass(frozen=True, slots=True)
class OpeningShare:
    """The opening of most games of a position: `games` of the `counted` games have it."""

    formation: Formation
    games: int
    counted: int


def opening_of(scope: Scope, kind: str, code: str, match: Match = "exact") -> OpeningShare | None:
    """Return the most specific of the openings that are nearly as frequent as the most frequent one among the
    newest `NEWEST` games through a position; None if less than half of the games have it.

    Raises DecodeError and ValueError as `explore`.
    """
    if kind != SHOGI.name:
        return None
    slots: set[int] = set()
    for key in position_query(scope, kind, code, match, "main").keys:
        slots.update(slot for (slot,) in engine().fetch_prepared(_OF_KEY, [key, NEWEST]))
    if not slots:
        return None
    counts: Counter[str] = Counter()
    openings_of_game: dict[int, set[str]] = {}
    for slot, number, _colour in rows_by_ids(_OF_SLOTS, sorted(slots)):
        if number in _OPENINGS:
            openings_of_game.setdefault(slot, set()).add(_OPENINGS[number].name)
    for names in openings_of_game.values():
        counts.update(names)
    if not counts:
        return None
    threshold = _NEARLY * max(counts.values())
    frequent = [one for one in counts if counts[one] >= threshold]
    name = max(frequent, key=lambda one: (len(with_parents([one])), counts[one], one))
    if 2 * counts[name] < len(slots):
        return None
    return OpeningShare(BY_NAME[name], counts[name], len(slots))


_NEARLY: Final = 0.8
"""The least share of the most frequent opening, which is often a parent of others."""
_OPENINGS: Final = {one.number: one for one in OPENINGS}
