"""What is known of a pattern: the games where it stands, how these ended, when, who has it, what follows.

The places come from the columns (`archive.columns`), whatever else is asked of games from the catalogue:
first, where few games have that, and of the games with the pattern, where many do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from archive.columns.duck import DuckQuery
from archive.columns.lines import line_of
from archive.columns.state import ColumnState, with_columns
from archive.index.engine import engine
from archive.models import ColumnSegment, GameRecord, codec
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import KeysetPage, Order, PageEnd, Phase, paged
from archive.queries.games.listing import GameRow, games_in, slots_among, slots_of
from archive.queries.names.people import NamedCount, ResultCounts, players_of
from archive.queries.patterns.pattern_slots import query_errors
from archive.queries.scope import Scope
from archive.queries.search.parsing import parse as parse_query
from archive.queries.search.terms import HasPattern, positive_leaves
from kifu_core.shogi.moves import orient, to_usi
from kifu_core.shogi.patterns import Pattern, orientations, parse

if TYPE_CHECKING:
    from archive.columns.first_matches import FirstMatches

FEW: Final = 5_000
"""Games that are looked for before a pattern is; where more have what is asked, the pattern comes first."""

A_STATEMENT: Final = 20_000
"""Slots that the catalogue is asked about at once."""

MOVES: Final = 20
"""Moves that are told, the most frequent."""

PLAYERS_OF: Final = 20_000
"""The players of so many games are counted, of the newest."""

STEP: Final = 10
"""Plies of one class."""


class PatternScore(NamedTuple):
    """Games by result: won by whose pieces are own, by the others, drawn, or not known to be any of it."""

    own: int = 0
    enemy: int = 0
    draw: int = 0
    unknown: int = 0


class MoveAfterPattern(NamedTuple):
    """A move played where the pattern stands first: packed, on a board on which own is Black and the pattern
    is not mirrored; the kind of the piece that makes it; whether own plays it; and in how many games, with
    whose results."""

    packed: int
    kind: int
    own: bool
    games: int
    results: PatternScore

    @property
    def move(self) -> str:
        """Return it as USI writes it."""
        return to_usi(self.packed)


class PatternGame(NamedTuple):
    """A game with the pattern: at which ply it stands first, whose pieces are own there, whether it is the
    mirror image, whether that is in a variation, and the move played there, empty at the end; the path of
    the line (`kifu_core.lines.fork_path`), and the squares that the first step names, as they lie there."""

    row: GameRow
    ply: int
    own: int
    mirrored: bool
    fork: bool
    move: str
    path: str
    squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PatternSummary:
    """What is known of a pattern. `waiting` games of the scope are not looked through yet. `years` and
    `plies` (by the first ply of a class of `STEP`) have games by class; `players` are those whose pieces are
    own, with how they fared, of the newest `players_of` games."""

    games: int
    waiting: int
    results: PatternScore
    years: tuple[tuple[int, int], ...]
    undated: int
    plies: tuple[tuple[int, int], ...]
    moves: tuple[MoveAfterPattern, ...]
    players: tuple[tuple[NamedCount, ResultCounts], ...]
    players_of: int
    page: KeysetPage[PatternGame]


def pattern_games(
    scope: Scope,
    pattern: Pattern,
    filters: GameFilters | None = None,
    order: Order = "newest",
    cursor: str | None = None,
    limit: int = 50,
) -> PatternSummary:
    """Return what is known of a pattern among the games that have all that is asked for.

    Raises InvalidCursorError, and QueryError for a query that is none and as `slots_with_pattern` does.
    """
    filters = filters or GameFilters()

    def ask(query: DuckQuery, state: ColumnState) -> PatternSummary:
        with engine().time_limit(query.left):
            return _PatternSummary(scope, query, state).summarize(pattern, filters, order, cursor, limit)

    with query_errors():
        return with_columns(scope.spaces, ask)


_OWN_WON: Final = "count(*) FILTER (result IN (0, 1) AND result = own)"
_ENEMY_WON: Final = "count(*) FILTER (result IN (0, 1) AND result <> own)"
_RESULTS: Final = (
    f"{_OWN_WON}, {_ENEMY_WON}, count(*) FILTER (result = 2), count(*) FILTER (result NOT IN (0, 1, 2))"
)
_YEARS: Final = """
    SELECT year(DATE '0001-01-01' + (played - 1)::INTEGER) AS place, count(*) FROM found
    WHERE played > 0 GROUP BY place ORDER BY place
"""
_PLIES: Final = f"SELECT ply // {STEP} * {STEP} AS place, count(*) FROM found GROUP BY place ORDER BY place"
_MOVES: Final = f"""
    SELECT move, own, mirrored, turn, kind, {_RESULTS} FROM found WHERE move <> 0
    GROUP BY move, own, mirrored, turn, kind
"""
_NEWEST: Final = f"SELECT slot, own, result FROM found ORDER BY played DESC, slot DESC LIMIT {PLAYERS_OF}"
_PAGE: Final = """
    SELECT slot, ply, own, mirrored, fork, move, node, played FROM found d
    WHERE {after} ORDER BY {order} LIMIT ?
"""
_PLAYERS: Final = """
    SELECT d.player_id, count(*) FROM {each} WHERE d.colour = {colour} GROUP BY d.player_id
"""


class _PatternSummary:
    """The games with a pattern, a table of DuckDB while they are told."""

    def __init__(self, scope: Scope, query: DuckQuery, state: ColumnState) -> None:
        self.scope, self.query, self.state = scope, query, state

    def summarize(
        self, pattern: Pattern, filters: GameFilters, order: Order, cursor: str | None, limit: int
    ) -> PatternSummary:
        """Find them, and tell all of them."""
        self._find(pattern, filters)
        self.squares = _squares(pattern)
        rows = self.query.rows
        ((games, *results),) = rows(f"SELECT count(*), {_RESULTS} FROM found")
        years = rows(_YEARS)
        players, players_of = self._players()
        return PatternSummary(
            games,
            self.state.waiting,
            PatternScore(*results),
            tuple((year, n) for year, n in years),
            games - sum(n for _, n in years),
            tuple((first, n) for first, n in rows(_PLIES)),
            self._moves(),
            players,
            players_of,
            paged(order, cursor, limit, self._fetch, lambda one: one.row.place),
        )

    def _find(self, pattern: Pattern, filters: GameFilters) -> None:
        # It draws in numpy, which a process without patterns does without.
        from archive.columns.finding import find_first_matches

        few = slots_of(self.scope, filters, FEW) if filters else None
        places = find_first_matches(self.query, self.state, pattern, few)
        if filters and few is None:
            places = self._passing(places, filters)
        told = places._asdict()
        told["played"] = places.played.clip(0)
        self.query.table("found", told)

    def _passing(self, places: FirstMatches, filters: GameFilters) -> FirstMatches:
        """Return those of games that have what is asked for beside the pattern."""
        slots = sorted(places.slot.tolist())
        passing = set[int]()
        for start in range(0, len(slots), A_STATEMENT):
            self.query.check_time()
            passing |= {*slots_among(self.scope, filters, slots[start : start + A_STATEMENT])}
        return places.having(passing)

    def _moves(self) -> tuple[MoveAfterPattern, ...]:
        """Add up moves that are the same to whose pieces are own: the most frequent."""
        told: dict[tuple[int, int, bool], PatternScore] = {}
        games: Counter[tuple[int, bool]] = Counter()
        for move, own, mirrored, turn, kind, *ended in self.query.rows(_MOVES):
            key = orient(move, 2 * own + mirrored), kind, turn == own
            before = told.get(key, PatternScore())
            told[key] = PatternScore(*map(sum, zip(before, ended, strict=True)))
            games[key[0], key[2]] += sum(ended)
        most = dict(games.most_common(MOVES))
        found = (
            MoveAfterPattern(*key, sum(results), results)
            for key, results in told.items()
            if (key[0], key[2]) in most
        )
        return tuple(sorted(found, key=lambda one: (-one.games, one.move, one.kind))[:MOVES])

    def _players(self) -> tuple[tuple[tuple[NamedCount, ResultCounts], ...], int]:
        newest = self.query.rows(_NEWEST)
        alike: dict[tuple[int, int], list[int]] = {}
        for slot, own, result in newest:
            alike.setdefault((own, result), []).append(slot)
        each = engine().EACH.format(list=engine().KEYS, table="archive_gameplayer", on="d.slot = k.key")
        tallies: dict[int, ResultCounts] = {}
        for (own, result), slots in alike.items():
            for player, n in engine().fetch_prepared(_PLAYERS.format(each=each, colour=own), [slots]):
                tallies.setdefault(player, ResultCounts()).add(result, own, n)
        return players_of(tallies), len(newest)

    def _fetch(self, phase: Phase, count: int) -> tuple[Sequence[PatternGame], PageEnd | None]:
        after = phase.keyset()
        sql = _PAGE.format(after=after.text.replace("%s", "?"), order=phase.by("d"))
        rows = self.query.rows(sql, [*after.values, count])
        games = games_in(self.scope, [slot for slot, *_ in rows])
        listed = _pattern_games(games, self.squares, [row[:-1] for row in rows])
        # Games that were deleted meanwhile are missing; then the page continues after the last row.
        complete = len(rows) < count or len(listed) == len(rows)
        return listed, None if complete else PageEnd(rows[-1][-1], rows[-1][0])


def first_occurrences(scope: Scope, query: str, rows: Sequence[GameRow]) -> dict[int, PatternGame]:
    """Return where a pattern of a valid query stands first in games of a list, by their ids: the first one of
    the query that stands there and that no NOT stands before. Raises QueryError as `slots_with_pattern`
    does."""
    terms = positive_leaves(parse_query(query))
    patterns = dict.fromkeys(one.pattern for one in terms if isinstance(one, HasPattern))
    games, places = {row.place.slot: row for row in rows}, dict[int, PatternGame]()
    for text in patterns:
        if left := [slot for slot, row in games.items() if row.id not in places]:
            pattern = parse(text)
            found = _first_of(scope, pattern, left)
            places |= {one.row.id: one for one in _pattern_games(games, _squares(pattern), found)}
    return places


def _first_of(scope: Scope, pattern: Pattern, slots: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return where a pattern stands first in some games, as `_games` takes it. Raises QueryError."""
    # It draws in numpy, which a process without patterns does without.
    from archive.columns.finding import find_first_matches

    def ask(query: DuckQuery, state: ColumnState) -> list[tuple[Any, ...]]:
        names = _files_with(slots)
        held = state._replace(files=tuple(path for path in state.files if path.name in names))
        places = find_first_matches(query, held, pattern, slots)
        return [*zip(*(getattr(places, name).tolist() for name in _PLACE_COLUMNS), strict=True)]

    with query_errors():
        return with_columns(scope.spaces, ask)


_PLACE_COLUMNS: Final = ("slot", "ply", "own", "mirrored", "fork", "move", "node")


def _files_with(slots: Sequence[int]) -> set[str]:
    """Return the names of the files that have slots of some games between their first and their last one."""
    held = ColumnSegment.objects.filter(retired=None, first__lte=max(slots), last__gte=min(slots))
    return {
        name
        for name, first, last in held.values_list("name", "first", "last")
        if any(first <= slot <= last for slot in slots)
    }


def _pattern_games(
    games: Mapping[int, GameRow],
    squares: Mapping[tuple[int, bool], tuple[int, ...]],
    found: Sequence[tuple[Any, ...]],
) -> list[PatternGame]:
    """Return what is told of places (`_TOLD`) in games, by slot; those of other games are left out."""
    here = [row for row in found if row[0] in games]
    paths = _paths({games[slot].id: node for slot, *_, fork, _move, node in here if fork})
    return [
        PatternGame(
            games[slot],
            ply,
            own,
            bool(mirrored),
            bool(fork),
            to_usi(move) if move else "",
            paths.get(games[slot].id, ""),
            squares[own, bool(mirrored)],
        )
        for slot, ply, own, mirrored, fork, move, _node in here
    ]


def _paths(nodes: Mapping[int, int]) -> dict[int, str]:
    """Return, by the ids of games, the paths of the lines with positions of these numbers."""
    stored = GameRecord.objects.in_bulk(list(nodes))
    return {pk: line_of(codec.unpack(one.record), nodes[pk]) for pk, one in stored.items()}


def _squares(pattern: Pattern) -> dict[tuple[int, bool], tuple[int, ...]]:
    """Return the squares that a pattern's first step names, by whose pieces are own and whether mirrored."""
    return {
        (look.own, look.mirrored): tuple(sorted(square for square, _ in look.steps[0].squares))
        for look in orientations(pattern)
    }
