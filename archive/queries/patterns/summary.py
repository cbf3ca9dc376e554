"""The summary of a pattern: its games, their results, years and plies, its players, and the next moves.

The matches come from the columns (`archive.columns`), all filters from the catalogue: before the search if
few games pass the filters, else for the games with the pattern.
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
from archive.queries.names.people import NamedCount, ResultCounts, most_frequent_players
from archive.queries.patterns.pattern_slots import query_errors
from archive.queries.scope import Scope
from archive.queries.search.parsing import parse as parse_query
from archive.queries.search.terms import HasPattern, positive_leaves
from kifu_core.shogi.moves import orient, to_usi
from kifu_core.shogi.patterns import Pattern, orientations, parse

if TYPE_CHECKING:
    from archive.columns.first_matches import FirstMatches

FEW: Final = 5_000
"""If at most so many games pass the filters, only these are searched."""

A_STATEMENT: Final = 20_000
"""Slots in one statement about the catalogue."""

MOVES: Final = 20
"""Moves of a summary, the most frequent."""

PLAYERS_OF: Final = 20_000
"""The newest games whose players are counted."""

STEP: Final = 10
"""Plies of one class."""


class PatternScore(NamedTuple):
    """Numbers of games by result: won by the own side of the pattern, by the other side, drawn, unknown."""

    own: int = 0
    enemy: int = 0
    draw: int = 0
    unknown: int = 0


class MoveAfterPattern(NamedTuple):
    """A move played at the first match: packed, on a board on which the own side is Black and the pattern is
    not mirrored; the kind of its piece; whether it is the own side's; its games and their results."""

    packed: int
    kind: int
    own: bool
    games: int
    results: PatternScore

    @property
    def move(self) -> str:
        """Return the move in USI."""
        return to_usi(self.packed)


class PatternGame(NamedTuple):
    """A game with its first match: the ply, the colour of the own side, whether it is mirrored, whether it is
    in a variation, the move played there, empty at the end; the path of the line
    (`kifu_core.lines.fork_path`), and the squares of the first step on the game's board."""

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
    """The summary of a pattern."""

    games: int
    waiting: int
    """The number of games of the scope that have not been searched yet."""
    results: PatternScore
    years: tuple[tuple[int, int], ...]
    """Years with their numbers of games."""
    undated: int
    plies: tuple[tuple[int, int], ...]
    """Numbers of games by ply: by the first ply of a class of `STEP`."""
    moves: tuple[MoveAfterPattern, ...]
    players: tuple[tuple[NamedCount, ResultCounts], ...]
    """The players of the pattern's own side with their results, in the newest `players_of` games."""
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
    """Return the summary of a pattern among the games that match the filters.

    Raises InvalidCursorError, and QueryError for an invalid query and as `slots_with_pattern` does.
    """
    filters = filters or GameFilters()

    def search(query: DuckQuery, state: ColumnState) -> PatternSummary:
        with engine().time_limit(query.remaining):
            return _PatternSummary(scope, query, state).summarize(pattern, filters, order, cursor, limit)

    with query_errors():
        return with_columns(scope.spaces, search)


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
    """Summarizes the games with a pattern, which are a table of DuckDB."""

    def __init__(self, scope: Scope, query: DuckQuery, state: ColumnState) -> None:
        self.scope, self.query, self.state = scope, query, state

    def summarize(
        self, pattern: Pattern, filters: GameFilters, order: Order, cursor: str | None, limit: int
    ) -> PatternSummary:
        """Find the games and return their summary."""
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
        # Imports numpy, which only processes with patterns load.
        from archive.columns.finding import find_first_matches

        few_slots = slots_of(self.scope, filters, FEW) if filters else None
        matches = find_first_matches(self.query, self.state, pattern, few_slots)
        if filters and few_slots is None:
            matches = self._matching(matches, filters)
        columns = matches._asdict()
        columns["played"] = matches.played.clip(0)
        self.query.table("found", columns)

    def _matching(self, matches: FirstMatches, filters: GameFilters) -> FirstMatches:
        slots = sorted(matches.slot.tolist())
        passing = set[int]()
        for start in range(0, len(slots), A_STATEMENT):
            self.query.check_time()
            passing |= {*slots_among(self.scope, filters, slots[start : start + A_STATEMENT])}
        return matches.having(passing)

    def _moves(self) -> tuple[MoveAfterPattern, ...]:
        results_by_move: dict[tuple[int, int, bool], PatternScore] = {}
        games: Counter[tuple[int, bool]] = Counter()
        for move, own, mirrored, turn, kind, *ended in self.query.rows(_MOVES):
            key = orient(move, 2 * own + mirrored), kind, turn == own
            earlier = results_by_move.get(key, PatternScore())
            results_by_move[key] = PatternScore(*map(sum, zip(earlier, ended, strict=True)))
            games[key[0], key[2]] += sum(ended)
        most = dict(games.most_common(MOVES))
        moves = (
            MoveAfterPattern(*key, sum(results), results)
            for key, results in results_by_move.items()
            if (key[0], key[2]) in most
        )
        return tuple(sorted(moves, key=lambda one: (-one.games, one.move, one.kind))[:MOVES])

    def _players(self) -> tuple[tuple[tuple[NamedCount, ResultCounts], ...], int]:
        newest = self.query.rows(_NEWEST)
        slots_by_result: dict[tuple[int, int], list[int]] = {}
        for slot, own, result in newest:
            slots_by_result.setdefault((own, result), []).append(slot)
        each = engine().EACH.format(list=engine().KEYS, table="archive_gameplayer", on="d.slot = k.key")
        counts: dict[int, ResultCounts] = {}
        for (own, result), slots in slots_by_result.items():
            for player, n in engine().fetch_prepared(_PLAYERS.format(each=each, colour=own), [slots]):
                counts.setdefault(player, ResultCounts()).add(result, own, n)
        return most_frequent_players(counts), len(newest)

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
    """Return the first matches in games of a list, by their ids: of the first pattern of a valid query that
    the game has and that is not under a NOT. Raises QueryError as `slots_with_pattern` does."""
    terms = positive_leaves(parse_query(query))
    patterns = dict.fromkeys(one.pattern for one in terms if isinstance(one, HasPattern))
    games, matches = {row.place.slot: row for row in rows}, dict[int, PatternGame]()
    for text in patterns:
        if remaining := [slot for slot, row in games.items() if row.id not in matches]:
            pattern = parse(text)
            found = _pattern_games(games, _squares(pattern), _find_first(scope, pattern, remaining))
            matches |= {game.row.id: game for game in found}
    return matches


def _find_first(scope: Scope, pattern: Pattern, slots: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return the first matches in some games as rows of `_MATCH_COLUMNS`. Raises QueryError."""
    # Imports numpy, which only processes with patterns load.
    from archive.columns.finding import find_first_matches

    def search(query: DuckQuery, state: ColumnState) -> list[tuple[Any, ...]]:
        names = _files_with(slots)
        narrowed = state._replace(files=tuple(path for path in state.files if path.name in names))
        matches = find_first_matches(query, narrowed, pattern, slots)
        return [*zip(*(getattr(matches, name).tolist() for name in _MATCH_COLUMNS), strict=True)]

    with query_errors():
        return with_columns(scope.spaces, search)


_MATCH_COLUMNS: Final = ("slot", "ply", "own", "mirrored", "fork", "move", "node")


def _files_with(slots: Sequence[int]) -> set[str]:
    segments = ColumnSegment.objects.filter(retired=None, first__lte=max(slots), last__gte=min(slots))
    return {
        name
        for name, first, last in segments.values_list("name", "first", "last")
        if any(first <= slot <= last for slot in slots)
    }


def _pattern_games(
    games: Mapping[int, GameRow],
    squares: Mapping[tuple[int, bool], tuple[int, ...]],
    rows: Sequence[tuple[Any, ...]],
) -> list[PatternGame]:
    """Return the games with their matches, from rows of `_MATCH_COLUMNS`; rows of other games are left
    out."""
    readable = [row for row in rows if row[0] in games]
    paths = _paths({games[slot].id: node for slot, *_, fork, _move, node in readable if fork})
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
        for slot, ply, own, mirrored, fork, move, _node in readable
    ]


def _paths(nodes: Mapping[int, int]) -> dict[int, str]:
    stored = GameRecord.objects.in_bulk(list(nodes))
    return {pk: line_of(codec.unpack(one.record), nodes[pk]) for pk, one in stored.items()}


def _squares(pattern: Pattern) -> dict[tuple[int, bool], tuple[int, ...]]:
    """Return the squares of a pattern's first step, by the colour of the own side and whether mirrored."""
    return {
        (oriented.own, oriented.mirrored): tuple(sorted(square for square, _ in oriented.steps[0].squares))
        for oriented in orientations(pattern)
    }
