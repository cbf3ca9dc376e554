"""The games through a position, in pages of constant cost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from archive.index.engine import engine
from archive.index.schema import FIRST, FORK, NOT_A_GAME, UNKNOWN_DAY
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import KeysetPage, Order, PageEnd, Phase, paged, phases
from archive.queries.games.listing import COLUMNS, GAME_COLUMNS, GameRow, by_name
from archive.queries.positions import reading_plan
from archive.queries.positions.counting import (
    ROWS_OF_KEY,
    KeyCounts,
    RowCount,
    choose_page_plans,
    conjunction_from,
    driver_of,
    literal_rows,
    lookup_sources,
    matching_rows,
    materialized,
    slot_list_conditions,
)
from archive.queries.positions.position_filters import SpaceQuery, space_queries
from archive.queries.positions.position_query import ROWS, Lines, PositionKeys, position_query
from archive.queries.scope import Scope
from archive.queries.sql import Sql
from kifu_core.classes import Match
from kifu_core.lines import NO_MOVE


@dataclass(frozen=True, slots=True)
class GameThrough(GameRow):
    """A game that reaches the position after `ply` half-moves, in a variation if `fork`.

    `move` is the next move on the queried board, packed; 0 if there is none. `turned`: the game has the
    colours of the queried board swapped. `result` is the game's own.
    """

    ply: int
    move: int
    move_name: str
    fork: bool
    turned: bool


_OF_ROW: Final = ("part", "way", "played", "slot", "ply", "move", "flags")
_PIECE: Final = """
    SELECT {part} AS part, {way} AS way, d.played, d.slot, d.ply, d.move, d.flags
    {rows} ORDER BY {order} LIMIT %s
"""
_FIRST: Final = "SELECT * FROM {rows} ORDER BY {order}, way LIMIT %s"
_GAMES_OF_ROWS: Final = f"""
    SELECT {GAME_COLUMNS}, {", ".join(f"x.{name}" for name in _OF_ROW)}
    FROM {{rows}} LEFT JOIN archive_game g ON g.slot = x.slot
"""
_READ: Final = "SELECT {columns} {source} ORDER BY {order} LIMIT %s"
_LAST_READ: Final = "SELECT played, slot, {way} AS way FROM ({read}) r LIMIT 1 OFFSET %s"
_DATED_GAMES: Final = Sql(f"d.result <> {NOT_A_GAME} AND d.played > {UNKNOWN_DAY}")

_OF_INDEX: Final = ("played", "slot", "ply", "move", "flags")
"""The columns of rows that games are listed by."""

ATTEMPTS: Final = 3
"""How often the index is read again because games moved to other slots before they were loaded."""


def games_through(
    scope: Scope,
    kind: str,
    code: str,
    match: Match = "exact",
    order: Order = "newest",
    cursor: str | None = None,
    limit: int = 50,
    lines: Lines = "main",
    filters: GameFilters | None = None,
) -> KeysetPage[GameThrough]:
    """Return a page of all games that reach a position. A game is listed once for each matching orientation.

    With filters a page reads at most `PAGE_ROWS` rows: it can be short, or even empty, and still have a next
    one. Raises DecodeError for a code not strictly valid, InvalidCursorError, ValueError as `explore`.
    """
    query = position_query(scope, kind, code, match, lines)
    parts = choose_page_plans(space_queries(scope, query, filters)) if filters else []
    if filters and not parts:
        return KeysetPage((), None)

    def fetch(phase: Phase, count: int) -> tuple[list[GameThrough], PageEnd | None]:
        if not filters:
            pieces = _first_rows_by_key(query, phase, count)
            return _sorted_games(query, phase, lambda: _merged_first_rows(phase, pieces, count)), None
        return _scan_page(_Scan(parts, phase, reading_plan.PAGE_ROWS // len(query.keys)), count)

    return paged(order, cursor, limit, fetch, lambda row: row.place)


def first_and_latest(query: PositionKeys, counts: KeyCounts) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day. If `counts` has all rows of the keys, the index
    is read only when a game has moved to another slot meanwhile."""
    looks: Iterator[Sql] = (_first_and_last_rows(query) for _ in range(ATTEMPTS))
    if counts.cold.issuperset(query.keys):
        if not (ends := _first_and_last_of(query, counts)):
            return None, None
        looks = chain([literal_rows(ends, _OF_ROW, "x")], looks)
    shown = _load_games(query, lambda: next(looks))
    return tuple(
        _first_in_order(phase, (game for at, game in shown if at == part))
        for part, phase in enumerate(_PHASES)
    )


def _first_and_last_rows(query: PositionKeys) -> Sql:
    """Return the first and the last row of each key as a FROM item x."""
    pieces = [
        piece
        for part, phase in enumerate(_PHASES)
        for piece in _first_rows_by_key(query, phase, 1, _DATED_GAMES, part=part)
    ]
    return materialized(pieces, _OF_ROW, "x", few=True)


def _first_and_last_of(query: PositionKeys, counts: KeyCounts) -> list[tuple[int, ...]]:
    """Return the first and the last of the loaded rows."""
    once, is_so = (FORK, 0) if query.lines == "main" else (FIRST, FIRST)
    rows = [
        (row.key & 3, row.played, row.slot, row.ply, row.move, row.flags)
        for row in counts.rows()
        if row.flags & once == is_so and row.result != NOT_A_GAME and row.played > UNKNOWN_DAY
    ]
    if not rows:
        return []

    def foremost(phase: Phase) -> tuple[int, ...]:
        return min(rows, key=lambda row: phase.rank(PageEnd(row[1], row[2], row[0])))

    return [(part, *foremost(phase)) for part, phase in enumerate(_PHASES)]


def first_and_latest_filtered(
    parts: Sequence[SpaceQuery], rows: Iterable[RowCount]
) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day that match the filters; of a sample only the
    latest. `rows` are the counts of these queries."""
    days = _first_and_last_day(parts[0].query.lines, rows) if parts else None
    if days is None:
        return None, None
    sampled = parts[0].plan.sample is not None
    most = reading_plan.PAGE_ROWS if sampled else reading_plan.EXACT_ROWS
    scans = [
        _Scan([_on_day(part, day) for part in parts], next(phases(order, None)), most)
        for day, order in zip(days, _ORDERS, strict=True)
    ]
    found = [_scan_page(scan, 1, _DATED_GAMES)[0] for scan in scans[1 if sampled else 0 :]]
    ends = [games[0] if games else None for games in found]
    return (None, *ends) if sampled else tuple(ends)


def _on_day(part: SpaceQuery, day: int | None) -> SpaceQuery:
    """Return the query for one day; unchanged for None. It has few games, whose ratings are cheaper to look
    up one by one."""
    if day is None:
        return part
    plan = replace(part.plan, ratings_at_once=False)
    return part._replace(resolved=part.resolved.on(day), plan=plan)


def _first_and_last_day(lines: Lines, rows: Iterable[RowCount]) -> tuple[int | None, int] | None:
    """Return the first and last day of what was counted; the first is None from counters, which lack it."""
    of_games = [row for row in rows if row.flags & FIRST and row.result != NOT_A_GAME and row.last_played]
    if lines == "main":
        of_games = [row for row in of_games if not row.flags & FORK]
    if not of_games:
        return None
    firsts = [row.first_played for row in of_games if row.first_played is not None]
    return min(firsts, default=None), max(row.last_played for row in of_games)


_ORDERS: Final[tuple[Order, ...]] = ("oldest", "newest")


_PHASES: Final = tuple(next(phases(order, None)) for order in _ORDERS)


def _first_rows_by_key(query: PositionKeys, phase: Phase, count: int, *also: Sql, part: int = 0) -> list[Sql]:
    """Return SQL for the next rows of each key."""
    pieces: list[Sql] = []
    for key in query.keys:
        conditions = (Sql("d.key = %s", (key,)), Sql(ROWS[query.lines]), _keyset_condition(phase, key), *also)
        pieces.append(_first_rows_of_key(phase, conjunction_from(ROWS_OF_KEY, conditions), key, count, part))
    return pieces


def _keyset_condition(phase: Phase, key: int, alias: str = "d") -> Sql:
    text, values = phase.keyset(key & 3, alias)
    return Sql(text, tuple(values))


def _first_rows_of_key(phase: Phase, rows: Sql, key: int, count: int, part: int = 0) -> Sql:
    """Return SQL for the first of a key's rows, given as FROM and WHERE."""
    text = _PIECE.format(part=part, way=key & 3, rows=rows.text, order=phase.by("d"))
    return Sql(text, (*rows.values, count))


def _merged_first_rows(phase: Phase, pieces: Sequence[Sql], count: int) -> Sql:
    """Return the first rows of all pieces together as a FROM item x."""
    rows = materialized(pieces, _OF_ROW, "u", few=True)
    return Sql(f"({_FIRST.format(rows=rows.text, order=phase.order)}) x", (*rows.values, count))


def _sorted_games(query: PositionKeys, phase: Phase, first: Callable[[], Sql]) -> list[GameThrough]:
    """Return the games of rows x, in the order of a listing."""
    games = [game for _, game in _load_games(query, first)]
    return sorted(games, key=lambda game: phase.rank(game.place))


def _first_in_order(phase: Phase, games: Iterable[GameThrough]) -> GameThrough | None:
    """Return the first of some games in the order of a listing."""
    return min(games, key=lambda game: phase.rank(game.place), default=None)


def _load_games(query: PositionKeys, found: Callable[[], Sql]) -> list[tuple[int, GameThrough]]:
    """Return the games of rows x, each with its `part`. If games have moved to other slots since the index
    was read, it is read again; games that still move after `ATTEMPTS` are left out."""
    for _ in range(ATTEMPTS):
        rows = found()
        shown = engine().fetch_prepared(_GAMES_OF_ROWS.format(rows=rows.text), rows.values)
        if all(row[0] is not None for row in shown):
            break
    return [_game_through(query, row) for row in shown if row[0] is not None]


def _game_through(query: PositionKeys, row: tuple[Any, ...]) -> tuple[int, GameThrough]:
    found = by_name(row, *_OF_ROW)
    move = query.move(found["move"])
    game = GameThrough(
        **{column: found[column] for column in COLUMNS},
        place=PageEnd(found["played"], found["slot"], found["way"]),
        ply=found["ply"],
        move=move,
        move_name=query.game.text.move_name(move) if move != NO_MOVE else "",
        fork=bool(found["flags"] & FORK),
        turned=query.turned(found["way"]),
    )
    return found["part"], game


# --- with filters ----------------------------------------------------------------------------------------


class _Scan(NamedTuple):
    """A part of a filtered listing that reads at most `rows` rows, or games of a list, of each key."""

    parts: Sequence[SpaceQuery]
    phase: Phase
    rows: int

    @property
    def keys(self) -> list[tuple[SpaceQuery, int]]:
        """Return the keys, each with its query."""
        return [(part, key) for part in self.parts for key in part.query.keys]

    def read(self, part: SpaceQuery, key: int, until: PageEnd | None = None) -> Sql:
        """Return SQL for the rows of a key in order, before the filters; up to a place, if one is given."""
        if part.plan.driver is None:
            alias, columns, source = "d", "d.*", ROWS_OF_KEY
            conditions = [Sql("d.key = %s", (key,)), Sql(ROWS[part.query.lines])]
        else:
            driver = driver_of(part, key, part.plan.driver)
            alias, columns, source = "l", "l.played, l.slot", driver.source
            conditions = list(driver.conditions)
        phase = self.phase.within(part.resolved.filters.days())
        conditions += [_keyset_condition(phase, key, alias), part.resolved.between(alias)]
        if until is not None:
            text, values = self.phase.until(until, alias)
            conditions.append(Sql(text, tuple(values)))
        found = conjunction_from(source, conditions)
        text = _READ.format(columns=columns, source=found.text, order=self.phase.by(alias))
        return Sql(text, (*found.values, self.rows))

    def first(self, count: int, also: Sql | None) -> Sql:
        """Return the next rows that match the filters, as a FROM item x."""
        pieces = [
            _first_rows_of_key(
                self.phase, matching_rows(part, key, self._rows(part, key, also), _OF_INDEX), key, count
            )
            for part, key in self.keys
        ]
        return _merged_first_rows(self.phase, pieces, count)

    def _rows(self, part: SpaceQuery, key: int, also: Sql | None) -> list[Sql]:
        """Return one SELECT a table, of the rows that match all conditions on the index itself."""
        read = self.read(part, key)
        conditions = [part.resolved.result_of(part.query, key), *([] if also is None else [also])]
        if part.plan.driver is None:
            sources = [Sql(f"({read.text}) d", read.values)]
            conditions += slot_list_conditions(part, key)
        else:
            sources = lookup_sources(materialized([read], ("played", "slot"), "l"), key)
            conditions.append(Sql(ROWS[part.query.lines]))
        columns = ", ".join(f"d.{name}" for name in _OF_INDEX)
        found = (conjunction_from(source, conditions) for source in sources)
        return [Sql(f"SELECT {columns} {one.text}", one.values) for one in found]

    def end(self, until: PageEnd | None) -> PageEnd | None:
        """Return the place up to which all rows were read; None if that is the end of the listing or not
        before `until`."""
        reads = [
            _end_of(self.read(part, key, until), key) for part, key in self.keys if not self._reads_all(part)
        ]
        if not reads:
            return None
        found = engine().fetch_all([(text, (*values, self.rows - 1)) for text, values in reads])
        return min((PageEnd(*row) for row in found), key=self.phase.rank, default=None)

    def _reads_all(self, part: SpaceQuery) -> bool:
        """Tell whether the scan reads all rows of the query's only key."""
        return len(part.query.keys) == 1 and part.plan.most is not None and part.plan.most < self.rows


def _end_of(read: Sql, key: int) -> Sql:
    """Return SQL for the last place that a scan reads of a key, if the key has that many rows."""
    return Sql(_LAST_READ.format(read=read.text, way=key & 3), read.values)


def _scan_page(scan: _Scan, count: int, also: Sql | None = None) -> tuple[list[GameThrough], PageEnd | None]:
    """Return the next games that match, and the place where the scan ended, if it ended before the listing.

    Games of one key beyond the place where the scan of another key ended come on the next page.
    """
    games = _sorted_games(scan.parts[0].query, scan.phase, lambda: scan.first(count, also))
    full = len(games) == count
    if full and len(scan.keys) == 1:
        return games, None
    end = scan.end(games[-1].place if full else None)
    if end is None:
        return games, None
    within = [game for game in games if scan.phase.rank(game.place) <= scan.phase.rank(end)]
    return within, None if len(within) == count else end
