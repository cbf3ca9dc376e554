"""The games through a position, in pages of constant cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from archive.index.engine import engine
from archive.index.schema import FIRST, FORK, NOT_A_GAME, UNKNOWN_DAY
from archive.queries import reading_plan
from archive.queries.counting import (
    ROWS_OF_KEY,
    RowCount,
    choose_for_pages,
    conjunction_from,
    driver_of,
    probed,
)
from archive.queries.filters import GameFilters
from archive.queries.games import COLUMNS, GAME_COLUMNS, GameRow, by_name
from archive.queries.keyset import Order, Page, PageEnd, Phase, paged, phases
from archive.queries.position_filters import Resolved, resolve
from archive.queries.position_query import ROWS, Asked, Lines, ask
from archive.queries.reading_plan import ReadingPlan
from archive.queries.scope import Scope
from archive.queries.sql import Sql, conjunction
from kifu_core.classes import Match
from kifu_core.lines import NO_MOVE


@dataclass(frozen=True, slots=True)
class GameThrough(GameRow):
    """A game that reaches the position: after `ply` half-moves, by `fork` if not on its main line.

    `move` is what it played there on the asker's board, packed; 0 if nothing. `turned` tells that the
    game has the colours of the asker's board exchanged; `result` is the game's own.
    """

    ply: int
    move: int
    move_name: str
    fork: bool
    turned: bool


_PIECE: Final = """
    SELECT d.key & 3 AS way, d.played, d.slot, d.ply, d.move, d.flags FROM {source} WHERE {conditions}
    ORDER BY {order} LIMIT %s
"""
_OF_ROW: Final = ("played", "slot", "way", "ply", "move", "flags")
_SHOWN: Final = f"{GAME_COLUMNS}, {', '.join(f'x.{name}' for name in _OF_ROW)}"
_THROUGH: Final = f"""
    SELECT {_SHOWN}
    FROM ({{rows}}) x {{join}} archive_game g ON g.slot = x.slot
    ORDER BY {{outer}}, x.way
"""
_OF_PARTS: Final = f"""
    SELECT {_SHOWN}, x.part
    FROM ({{rows}}) x {{join}} archive_game g ON g.slot = x.slot
"""
_READ: Final = "SELECT {alias}.* {source} ORDER BY {order} LIMIT %s"
_LAST_READ: Final = "SELECT played, slot FROM ({read}) r LIMIT 1 OFFSET %s"
_DATED_GAMES: Final = Sql(f"d.result <> {NOT_A_GAME} AND d.played > {UNKNOWN_DAY}")


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
) -> Page[GameThrough]:
    """Return a page of the games that reach a position, never capped. A game stands there once for each
    matching orientation that it reaches.

    With filters a page looks at `PAGE_ROWS` rows at most: it can be short, or even empty, and still have a
    next one. Raises DecodeError for a code not strictly valid, InvalidCursorError, ValueError as `explore`.
    """
    asked, resolved = ask(scope, kind, code, match, lines), resolve(scope, filters)
    if resolved.nobody:
        return Page((), None)
    reading = choose_for_pages(asked, resolved) if filters else None

    def fetch(phase: Phase, count: int) -> tuple[list[GameThrough], PageEnd | None]:
        if reading is None:
            return _games(asked, phase, _pieces(asked, phase, count), count), None
        return _chosen(
            _Scan(asked, resolved, phase, reading, reading_plan.PAGE_ROWS // len(asked.keys)), count
        )

    return paged(order, cursor, limit, fetch, lambda row: row.place)


def extremes(
    asked: Asked, resolved: Resolved, rows: Iterable[RowCount], reading: ReadingPlan
) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day that the filters let through; of a sample only
    the latest. `rows` is what was counted with these filters."""
    parts = [next(phases(order, None)) for order in _ORDERS]
    if not resolved.filters:
        return _first_of_each(asked, parts)
    days = _days(asked, rows)
    if not days:
        return None, None
    most = reading_plan.PAGE_ROWS if reading.sample else reading_plan.EXACT_ROWS
    scans = [
        _Scan(asked, resolved.on(day), part, reading, most) for day, part in zip(days, parts, strict=True)
    ]
    found = [_chosen(scan, 1, _DATED_GAMES)[0] for scan in scans[1 if reading.sample else 0 :]]
    ends = [games[0] if games else None for games in found]
    return (None, *ends) if reading.sample else tuple(ends)


def _days(asked: Asked, rows: Iterable[RowCount]) -> tuple[int | None, int] | None:
    """Return the first and last day of what was counted; the first is None from counters, which lack it."""
    of_games = [row for row in rows if row.flags & FIRST and row.result != NOT_A_GAME and row.last_played]
    if asked.lines == "main":
        of_games = [row for row in of_games if not row.flags & FORK]
    if not of_games:
        return None
    firsts = [row.first_played for row in of_games if row.first_played is not None]
    return min(firsts, default=None), max(row.last_played for row in of_games)


_ORDERS: Final[tuple[Order, ...]] = ("oldest", "newest")


def _first_of_each(asked: Asked, parts: Sequence[Phase]) -> tuple[GameThrough | None, ...]:
    """Return the first game of each listing, found in one statement."""
    unions = [_union(part, _pieces(asked, part, 1, _DATED_GAMES), 1) for part in parts]
    both = " UNION ALL ".join(
        f"SELECT * FROM (SELECT {number} AS part, u.* FROM ({union.text}) u) a{number}"
        for number, union in enumerate(unions)
    )
    values = [value for union in unions for value in union.values]
    rows = engine().fetch_prepared(_OF_PARTS.format(rows=both, join=engine().JOIN), values)
    found = {row[-1]: _game_through(asked, row[:-1]) for row in rows}
    return tuple(found.get(number) for number in range(len(parts)))


def _pieces(asked: Asked, phase: Phase, count: int, also: Sql | None = None) -> list[Sql]:
    """Return SQL for the next rows of each key."""
    pieces: list[Sql] = []
    for key in asked.keys:
        conditions = [Sql("d.key = %s", (key,)), Sql(ROWS[asked.lines]), _after(phase, "d", key)]
        where = conjunction(conditions if also is None else [*conditions, also])
        pieces.append(_piece(phase, ROWS_OF_KEY, where, "d", count))
    return pieces


def _after(phase: Phase, alias: str, key: int) -> Sql:
    text, values = phase.keyset(key & 3, alias)
    return Sql(text, tuple(values))


def _piece(phase: Phase, source: Sql, where: Sql, alias: str, count: int) -> Sql:
    """Return SQL for the next rows of one key."""
    text = _PIECE.format(source=source.text, conditions=where.text, order=phase.by(alias))
    return Sql(text, (*source.values, *where.values, count))


def _union(phase: Phase, pieces: Sequence[Sql], count: int) -> Sql:
    """Return SQL for the first rows of all pieces together."""
    text = " UNION ALL ".join(f"SELECT * FROM ({each.text}) p{n}" for n, each in enumerate(pieces))
    values = tuple(value for piece in pieces for value in piece.values)
    return Sql(f"{text} ORDER BY {phase.order}, way LIMIT %s", (*values, count))


def _games(asked: Asked, phase: Phase, pieces: Sequence[Sql], count: int) -> list[GameThrough]:
    """Return the first games of all pieces together."""
    rows = _union(phase, pieces, count)
    found = engine().fetch_prepared(
        _THROUGH.format(rows=rows.text, join=engine().JOIN, outer=phase.by("x")), rows.values
    )
    return [_game_through(asked, row) for row in found]


def _game_through(asked: Asked, row: tuple[Any, ...]) -> GameThrough:
    found = by_name(row, *_OF_ROW)
    move = asked.move(found["move"])
    name = asked.game.text.move_name(move) if move != NO_MOVE else ""
    return GameThrough(
        **{column: found[column] for column in COLUMNS},
        place=PageEnd(found["played"], found["slot"], found["way"]),
        ply=found["ply"],
        move=move,
        move_name=name,
        fork=bool(found["flags"] & FORK),
        turned=asked.turned(found["way"]),
    )


# --- with filters ----------------------------------------------------------------------------------------


class _Scan(NamedTuple):
    """A part of a filtered listing: under each key at most `rows` rows, or games of a list, are looked at."""

    asked: Asked
    resolved: Resolved
    phase: Phase
    reading: ReadingPlan
    rows: int

    def read(self, key: int) -> Sql:
        """Return SQL for what is looked at for a key, in order, before the filters."""
        if self.reading.driver is None:
            alias, source = "d", ROWS_OF_KEY
            conditions = [Sql("d.key = %s", (key,)), Sql(ROWS[self.asked.lines])]
        else:
            driver = driver_of(self.resolved, self.asked, key, self.reading.driver)
            alias, source, conditions = "l", driver.source, list(driver.conditions)
        conditions += [_after(self.phase, alias, key), self.resolved.between(alias)]
        found = conjunction_from(source, conditions)
        text = _READ.format(alias=alias, source=found.text, order=self.phase.by(alias))
        return Sql(text, (*found.values, self.rows))

    def pieces(self, key: int, count: int, also: Sql | None) -> list[Sql]:
        """Return SQL for the next rows of a key that the filters let through."""
        read = self.read(key)
        probes = self.resolved.probes(self.asked, key, at_hand=self.reading.at_hand)
        conditions = [self.resolved.result_of(self.asked, key), probes]
        if self.reading.driver is None:
            alias, sources = "d", [Sql(f"({read.text}) d", read.values)]
        else:
            alias, sources = "l", probed(Sql(f"({read.text}) l", read.values), key)
            conditions.append(Sql(ROWS[self.asked.lines]))
        where = conjunction(conditions if also is None else [*conditions, also])
        return [_piece(self.phase, source, where, alias, count) for source in sources]

    def end(self) -> PageEnd | None:
        """Return the place up to which everything was looked at; None if that is the end."""
        if len(self.asked.keys) == 1 and self.reading.most is not None and self.reading.most < self.rows:
            return None
        ends = [place for key in self.asked.keys if (place := self._end(key)) is not None]
        return min(ends, key=self.rank) if ends else None

    def _end(self, key: int) -> PageEnd | None:
        read = self.read(key)
        rows = engine().fetch_prepared(_LAST_READ.format(read=read.text), [*read.values, self.rows - 1])
        return PageEnd(rows[0][0], rows[0][1], key & 3) if rows else None

    def rank(self, place: PageEnd) -> tuple[int, int, int]:
        """Return a key that sorts places as the listing does."""
        sign = -1 if self.phase.descending else 1
        return sign * place.played, sign * place.slot, place.way


def _chosen(scan: _Scan, count: int, also: Sql | None = None) -> tuple[list[GameThrough], PageEnd | None]:
    """Return the next games that the filters let through, and where the looking ended before the listing did.

    What one key gives from beyond the place where another's looking ended comes on the next page.
    """
    pieces = [piece for key in scan.asked.keys for piece in scan.pieces(key, count, also)]
    found = _games(scan.asked, scan.phase, pieces, count)
    if len(found) == count and len(scan.asked.keys) == 1:
        return found, None
    end = scan.end()
    if end is None:
        return found, None
    within = [game for game in found if scan.rank(game.place) <= scan.rank(end)]
    return within, None if len(within) == count else end
