"""The games through a position, in pages of constant cost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from archive.index.engine import engine, remote_engine
from archive.index.schema import FIRST, FORK, NOT_A_GAME, UNKNOWN_DAY
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import KeysetPage, Order, PageEnd, Phase, paged, phases
from archive.queries.games.listing import COLUMNS, GAME_COLUMNS, GameRow, by_name
from archive.queries.positions import reading_plan
from archive.queries.positions.counting import (
    INDEX_ROWS,
    KeyCounts,
    RowCount,
    choose_page_plans,
    driver_of,
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
    """A game that reaches a position. `result` is that of the game, also if its colours are swapped."""

    ply: int
    """The number of half-moves before the position."""
    move: int
    """The next move on the queried board, packed; 0 if there is none."""
    move_name: str
    fork: bool
    """Whether the position is in a variation."""
    turned: bool
    """Whether the colours of the game are swapped on the queried board."""


_OF_ROW: Final = ("part", "way", "played", "slot", "ply", "move", "flags")
_FIRST_OF_KEY: Final = """
    SELECT {part} AS part, {way} AS way, d.played, d.slot, d.ply, d.move, d.flags
    FROM {sql} ORDER BY {order} LIMIT %s
"""
_FIRST: Final = "(SELECT * FROM {sql} ORDER BY {order}, way LIMIT %s) x"
_GAMES_OF_ROWS: Final = f"""
    SELECT {GAME_COLUMNS}, {", ".join(f"x.{name}" for name in _OF_ROW)}
    FROM {{sql}} LEFT JOIN archive_game g ON g.slot = x.slot
"""
_READ: Final = "SELECT {columns} FROM {sql} ORDER BY {order} LIMIT %s"
_LAST_READ: Final = "SELECT played, slot, {way} AS way FROM ({sql}) r LIMIT 1 OFFSET %s"
_DATED_GAMES: Final = Sql(f"d.result <> {NOT_A_GAME} AND d.played > {UNKNOWN_DAY}")

_OF_INDEX: Final = ("played", "slot", "ply", "move", "flags")
"""The columns of the index that listed games need."""

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
    one. Raises DecodeError for a code that is not strictly valid, InvalidCursorError, ValueError as
    `explore`.
    """
    query = position_query(scope, kind, code, match, lines)
    parts = choose_page_plans(space_queries(scope, query, filters)) if filters else []
    if filters and not parts:
        return KeysetPage((), None)

    def fetch(phase: Phase, count: int) -> tuple[list[GameThrough], PageEnd | None]:
        if filters:
            return _scan_page(_Scan(parts, phase, reading_plan.PAGE_ROWS // len(query.keys)), count)
        rows = _merged_first_rows(phase, _first_rows_by_key(query, phase, count), count)
        return _sorted_games(query, phase, rows), None

    return paged(order, cursor, limit, fetch, lambda row: row.place)


def first_and_latest(query: PositionKeys, counts: KeyCounts) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day. If `counts` has all rows of the keys, the index
    is read only if a game has moved to another slot meanwhile."""
    attempts: Iterator[Sql] = (_first_and_last_rows(query) for _ in range(ATTEMPTS))
    remote = remote_engine()
    if remote is not None and counts.cold.issuperset(query.keys):
        if not (ends := _first_and_last_of(query, counts)):
            return None, None
        arrays = tuple(f"{{{','.join(map(str, column))}}}" for column in zip(*ends, strict=True))
        attempts = chain([Sql(remote.unnest(_OF_ROW, "x"), arrays)], attempts)
    games = _load_games(query, attempts)
    return tuple(
        min((game for number, game in games if number == part), key=phase.rank_of, default=None)
        for part, phase in enumerate(_PHASES)
    )


def _first_and_last_rows(query: PositionKeys) -> Sql:
    pieces = [
        piece
        for part, phase in enumerate(_PHASES)
        for piece in _first_rows_by_key(query, phase, 1, _DATED_GAMES, part=part)
    ]
    return materialized(pieces, _OF_ROW, "x", few=True)


def _first_and_last_of(query: PositionKeys, counts: KeyCounts) -> list[tuple[int, ...]]:
    mask, flag = (FORK, 0) if query.lines == "main" else (FIRST, FIRST)
    rows = [
        (row.key & 3, row.played, row.slot, row.ply, row.move, row.flags)
        for row in counts.rows()
        if row.flags & mask == flag and row.result != NOT_A_GAME and row.played > UNKNOWN_DAY
    ]
    if not rows:
        return []

    def first(phase: Phase) -> tuple[int, ...]:
        return min(rows, key=lambda row: phase.rank(PageEnd(row[1], row[2], row[0])))

    return [(part, *first(phase)) for part, phase in enumerate(_PHASES)]


def first_and_latest_filtered(
    parts: Sequence[SpaceQuery], rows: Iterable[RowCount]
) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day that match the filters; only the latest for a
    sample. `rows` are the counts of these queries."""
    days = _first_and_last_day(parts[0].query.lines, rows) if parts else None
    if days is None:
        return None, None
    sampled = parts[0].plan.sample is not None
    most = reading_plan.PAGE_ROWS if sampled else reading_plan.EXACT_ROWS
    scans = [
        _Scan([_on_day(part, day) for part in parts], next(phases(order, None)), most)
        for day, order in zip(days, _ORDERS, strict=True)
    ]
    pages = [_scan_page(scan, 1, _DATED_GAMES)[0] for scan in scans[1 if sampled else 0 :]]
    ends = [games[0] if games else None for games in pages]
    return (None, *ends) if sampled else tuple(ends)


def _on_day(part: SpaceQuery, day: int | None) -> SpaceQuery:
    """Return the query for one day; unchanged for None. A day has few games, whose ratings are cheaper to
    look up one by one."""
    if day is None:
        return part
    plan = replace(part.plan, ratings_at_once=False)
    return part._replace(resolved=part.resolved.on(day), plan=plan)


def _first_and_last_day(lines: Lines, rows: Iterable[RowCount]) -> tuple[int | None, int] | None:
    """Return the first and last day of counts; the first is None for counters, which lack it."""
    dated = [
        row
        for row in rows
        if row.flags & FIRST
        and row.result != NOT_A_GAME
        and row.last_played
        and not (lines == "main" and row.flags & FORK)
    ]
    if not dated:
        return None
    firsts = [row.first_played for row in dated if row.first_played is not None]
    return min(firsts, default=None), max(row.last_played for row in dated)


_ORDERS: Final[tuple[Order, ...]] = ("oldest", "newest")
_PHASES: Final = tuple(next(phases(order, None)) for order in _ORDERS)


def _first_rows_by_key(query: PositionKeys, phase: Phase, count: int, *also: Sql, part: int = 0) -> list[Sql]:
    fixed = (Sql(ROWS[query.lines]), *also)
    return [
        INDEX_ROWS.where([Sql("d.key = %s", (key,)), phase.keyset(key & 3), *fixed]).embed(
            _FIRST_OF_KEY, count, part=part, way=key & 3, order=phase.by("d")
        )
        for key in query.keys
    ]


def _merged_first_rows(phase: Phase, pieces: Sequence[Sql], count: int) -> Callable[[], Sql]:
    """Return a function that gives the first rows of all pieces together as a FROM item x."""
    return lambda: materialized(pieces, _OF_ROW, "u", few=True).embed(_FIRST, count, order=phase.order)


def _sorted_games(query: PositionKeys, phase: Phase, rows: Callable[[], Sql]) -> list[GameThrough]:
    games = [game for _, game in _load_games(query, (rows() for _ in range(ATTEMPTS)))]
    return sorted(games, key=phase.rank_of)


def _load_games(query: PositionKeys, attempts: Iterator[Sql]) -> list[tuple[int, GameThrough]]:
    """Return the games of rows x, each with its `part`. If games have moved to other slots since the index
    was read, read it again; leave out games that still move after `ATTEMPTS`."""
    for rows in islice(attempts, ATTEMPTS):
        loaded = engine().fetch_prepared(*rows.embed(_GAMES_OF_ROWS))
        if all(row[0] is not None for row in loaded):
            break
    return [_game_through(query, row) for row in loaded if row[0] is not None]


def _game_through(query: PositionKeys, row: tuple[Any, ...]) -> tuple[int, GameThrough]:
    columns = by_name(row, *_OF_ROW)
    move = query.move(columns["move"])
    game = GameThrough(
        **{name: columns[name] for name in COLUMNS},
        place=PageEnd(columns["played"], columns["slot"], columns["way"]),
        ply=columns["ply"],
        move=move,
        move_name=query.game.text.move_name(move) if move != NO_MOVE else "",
        fork=bool(columns["flags"] & FORK),
        turned=query.turned(columns["way"]),
    )
    return columns["part"], game


# --- with filters ----------------------------------------------------------------------------------------


class _Scan(NamedTuple):
    """A phase of a filtered listing that reads at most `rows` rows, or games of a list, of each key."""

    parts: Sequence[SpaceQuery]
    phase: Phase
    rows: int

    @property
    def keys(self) -> list[tuple[SpaceQuery, int]]:
        """Return the keys, each with its query."""
        return [(part, key) for part in self.parts for key in part.query.keys]

    def read(self, part: SpaceQuery, key: int, until: PageEnd | None = None) -> Sql:
        """Return SQL for the rows of a key in order, before the filters; up to a place, if there is one."""
        if part.plan.driver is None:
            alias, columns, source = "d", "d.*", INDEX_ROWS
            conditions = [Sql("d.key = %s", (key,)), Sql(ROWS[part.query.lines])]
        else:
            driver = driver_of(part, key, part.plan.driver)
            alias, columns, source = "l", "l.played, l.slot", driver.source
            conditions = list(driver.conditions)
        phase = self.phase.within(part.resolved.filters.days())
        conditions += [phase.keyset(key & 3, alias), part.resolved.between(alias)]
        if until is not None:
            conditions.append(self.phase.until(until, alias))
        return source.where(conditions).embed(_READ, self.rows, columns=columns, order=self.phase.by(alias))

    def first(self, count: int, also: Sequence[Sql]) -> Callable[[], Sql]:
        """Return a function that gives the next rows that match the filters, as a FROM item x."""
        pieces = [
            matching_rows(part, key, self._rows(part, key, also), _OF_INDEX).embed(
                _FIRST_OF_KEY, count, part=0, way=key & 3, order=self.phase.by("d")
            )
            for part, key in self.keys
        ]
        return _merged_first_rows(self.phase, pieces, count)

    def _rows(self, part: SpaceQuery, key: int, also: Sequence[Sql]) -> list[Sql]:
        """Return SELECTs, one for each table, of the rows that match the conditions on the index."""
        read = self.read(part, key)
        conditions = [part.resolved.result_of(part.query, key), *also]
        if part.plan.driver is None:
            sources = [read.embed("({sql}) d")]
            conditions += slot_list_conditions(part, key)
        else:
            sources = lookup_sources(materialized([read], ("played", "slot"), "l"), key)
            conditions.append(Sql(ROWS[part.query.lines]))
        columns = ", ".join(f"d.{name}" for name in _OF_INDEX)
        return [source.where(conditions).embed(f"SELECT {columns} FROM {{sql}}") for source in sources]

    def end(self, until: PageEnd | None) -> PageEnd | None:
        """Return the place up to which all rows were read; None if that is the end of the listing or not
        before `until`."""
        ends = [
            self.read(part, key, until).embed(_LAST_READ, self.rows - 1, way=key & 3)
            for part, key in self.keys
            if not self._reads_all(part)
        ]
        rows = engine().fetch_all(ends) if ends else []
        return min((PageEnd(*row) for row in rows), key=self.phase.rank, default=None)

    def _reads_all(self, part: SpaceQuery) -> bool:
        return len(part.query.keys) == 1 and part.plan.most is not None and part.plan.most < self.rows


def _scan_page(scan: _Scan, count: int, *also: Sql) -> tuple[list[GameThrough], PageEnd | None]:
    """Return the next games that match, and the place where the scan ended, if it ended before the listing.

    Games of one key beyond the place where the scan of another key ended come on the next page.
    """
    games = _sorted_games(scan.parts[0].query, scan.phase, scan.first(count, also))
    full = len(games) == count
    if full and len(scan.keys) == 1:
        return games, None
    end = scan.end(games[-1].place if full else None)
    if end is None:
        return games, None
    within = [game for game in games if scan.phase.rank_of(game) <= scan.phase.rank(end)]
    return within, None if len(within) == count else end
