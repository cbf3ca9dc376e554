"""The games through a position, in pages of constant cost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from archive.index.engine import engine
from archive.index.schema import FIRST, FORK, NOT_A_GAME, UNKNOWN_DAY
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import Order, Page, PageEnd, Phase, paged, phases
from archive.queries.games.listing import COLUMNS, GAME_COLUMNS, GameRow, by_name
from archive.queries.positions import reading_plan
from archive.queries.positions.counting import (
    ROWS_OF_KEY,
    Looked,
    RowCount,
    among_list,
    carried,
    choose_for_pages,
    conjunction_from,
    driver_of,
    let_through,
    probed,
    unnested,
)
from archive.queries.positions.position_filters import Part, parts_of
from archive.queries.positions.position_query import ROWS, Asked, Lines, ask
from archive.queries.scope import Scope
from archive.queries.sql import Sql
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


_OF_ROW: Final = ("part", "way", "played", "slot", "ply", "move", "flags")
_PIECE: Final = """
    SELECT {part} AS part, {way} AS way, d.played, d.slot, d.ply, d.move, d.flags
    {rows} ORDER BY {order} LIMIT %s
"""
_FIRST: Final = "SELECT * FROM {rows} ORDER BY {order}, way LIMIT %s"
_SHOWN: Final = f"""
    SELECT {GAME_COLUMNS}, {", ".join(f"x.{name}" for name in _OF_ROW)}
    FROM {{rows}} LEFT JOIN archive_game g ON g.slot = x.slot
"""
_READ: Final = "SELECT {columns} {source} ORDER BY {order} LIMIT %s"
_LAST_READ: Final = "SELECT played, slot, {way} AS way FROM ({read}) r LIMIT 1 OFFSET %s"
_DATED_GAMES: Final = Sql(f"d.result <> {NOT_A_GAME} AND d.played > {UNKNOWN_DAY}")

_OF_INDEX: Final = ("played", "slot", "ply", "move", "flags")
"""The columns of rows that games are listed by."""

ATTEMPTS: Final = 3
"""Looks at the index, where games that it named have gone to other slots before they were looked up."""


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
    asked = ask(scope, kind, code, match, lines)
    parts = choose_for_pages(parts_of(scope, asked, filters)) if filters else []
    if filters and not parts:
        return Page((), None)

    def fetch(phase: Phase, count: int) -> tuple[list[GameThrough], PageEnd | None]:
        if not filters:
            pieces = _pieces(asked, phase, count)
            return _games(asked, phase, lambda: _first(phase, pieces, count)), None
        return _chosen(_Scan(parts, phase, reading_plan.PAGE_ROWS // len(asked.keys)), count)

    return paged(order, cursor, limit, fetch, lambda row: row.place)


def extremes(asked: Asked, looked: Looked) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day. `looked` is what was found under the keys: if it
    has all their rows, the index is asked only when a game has moved to another slot meanwhile."""
    looks: Iterator[Sql] = (_ends(asked) for _ in range(ATTEMPTS))
    if looked.cold.issuperset(asked.keys):
        if not (ends := _ends_at_hand(asked, looked)):
            return None, None
        looks = chain([unnested(ends, _OF_ROW, "x")], looks)
    shown = _shown(asked, lambda: next(looks))
    return tuple(
        _foremost(phase, (game for at, game in shown if at == part)) for part, phase in enumerate(_PHASES)
    )


def _ends(asked: Asked) -> Sql:
    """Return the first and the last row of each key as a FROM item x."""
    pieces = [
        piece
        for part, phase in enumerate(_PHASES)
        for piece in _pieces(asked, phase, 1, _DATED_GAMES, part=part)
    ]
    return carried(pieces, _OF_ROW, "x", few=True)


def _ends_at_hand(asked: Asked, looked: Looked) -> list[tuple[int, ...]]:
    """Return the first and the last of the rows that are at hand."""
    once, is_so = (FORK, 0) if asked.lines == "main" else (FIRST, FIRST)
    rows = [
        (row.key & 3, row.played, row.slot, row.ply, row.move, row.flags)
        for row in looked.rows()
        if row.flags & once == is_so and row.result != NOT_A_GAME and row.played > UNKNOWN_DAY
    ]
    if not rows:
        return []

    def foremost(phase: Phase) -> tuple[int, ...]:
        return min(rows, key=lambda row: phase.rank(PageEnd(row[1], row[2], row[0])))

    return [(part, *foremost(phase)) for part, phase in enumerate(_PHASES)]


def extremes_among(parts: Sequence[Part], rows: Iterable[RowCount]) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day that the filters let through; of a sample only
    the latest. `rows` is what was counted in these parts."""
    days = _days(parts[0].asked.lines, rows) if parts else None
    if days is None:
        return None, None
    sampled = parts[0].reading.sample is not None
    most = reading_plan.PAGE_ROWS if sampled else reading_plan.EXACT_ROWS
    scans = [
        _Scan([_on(part, day) for part in parts], next(phases(order, None)), most)
        for day, order in zip(days, _ORDERS, strict=True)
    ]
    found = [_chosen(scan, 1, _DATED_GAMES)[0] for scan in scans[1 if sampled else 0 :]]
    ends = [games[0] if games else None for games in found]
    return (None, *ends) if sampled else tuple(ends)


def _on(part: Part, day: int | None) -> Part:
    """Return what is asked about one day; None: about all. Of few games ratings are looked up by each: to
    read all ratings of the archive for them took most of an answer's time."""
    if day is None:
        return part
    reading = replace(part.reading, ratings_at_once=False)
    return part._replace(resolved=part.resolved.on(day), reading=reading)


def _days(lines: Lines, rows: Iterable[RowCount]) -> tuple[int | None, int] | None:
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


def _pieces(asked: Asked, phase: Phase, count: int, *also: Sql, part: int = 0) -> list[Sql]:
    """Return SQL for the next rows of each key."""
    pieces: list[Sql] = []
    for key in asked.keys:
        conditions = (Sql("d.key = %s", (key,)), Sql(ROWS[asked.lines]), _after(phase, key), *also)
        pieces.append(_piece(phase, conjunction_from(ROWS_OF_KEY, conditions), key, count, part))
    return pieces


def _after(phase: Phase, key: int, alias: str = "d") -> Sql:
    text, values = phase.keyset(key & 3, alias)
    return Sql(text, tuple(values))


def _piece(phase: Phase, rows: Sql, key: int, count: int, part: int = 0) -> Sql:
    """Return SQL for the first of a key's rows, given as FROM and WHERE."""
    text = _PIECE.format(part=part, way=key & 3, rows=rows.text, order=phase.by("d"))
    return Sql(text, (*rows.values, count))


def _first(phase: Phase, pieces: Sequence[Sql], count: int) -> Sql:
    """Return the first rows of all pieces together as a FROM item x."""
    rows = carried(pieces, _OF_ROW, "u", few=True)
    return Sql(f"({_FIRST.format(rows=rows.text, order=phase.order)}) x", (*rows.values, count))


def _games(asked: Asked, phase: Phase, first: Callable[[], Sql]) -> list[GameThrough]:
    """Return the games of rows x, in the order of a listing."""
    games = [game for _, game in _shown(asked, first)]
    return sorted(games, key=lambda game: phase.rank(game.place))


def _foremost(phase: Phase, games: Iterable[GameThrough]) -> GameThrough | None:
    """Return the first of some games in the order of a listing."""
    return min(games, key=lambda game: phase.rank(game.place), default=None)


def _shown(asked: Asked, found: Callable[[], Sql]) -> list[tuple[int, GameThrough]]:
    """Return the games of rows x, each with its part. If some have moved to other slots since the index was
    asked, it is asked again; games that keep moving are left out in the end."""
    for _ in range(ATTEMPTS):
        rows = found()
        shown = engine().fetch_prepared(_SHOWN.format(rows=rows.text), rows.values)
        if all(row[0] is not None for row in shown):
            break
    return [_game_through(asked, row) for row in shown if row[0] is not None]


def _game_through(asked: Asked, row: tuple[Any, ...]) -> tuple[int, GameThrough]:
    found = by_name(row, *_OF_ROW)
    move = asked.move(found["move"])
    game = GameThrough(
        **{column: found[column] for column in COLUMNS},
        place=PageEnd(found["played"], found["slot"], found["way"]),
        ply=found["ply"],
        move=move,
        move_name=asked.game.text.move_name(move) if move != NO_MOVE else "",
        fork=bool(found["flags"] & FORK),
        turned=asked.turned(found["way"]),
    )
    return found["part"], game


# --- with filters ----------------------------------------------------------------------------------------


class _Scan(NamedTuple):
    """A part of a filtered listing: under each key at most `rows` rows, or games of a list, are looked at."""

    parts: Sequence[Part]
    phase: Phase
    rows: int

    @property
    def keys(self) -> list[tuple[Part, int]]:
        """Return the keys, each with what is asked under it."""
        return [(part, key) for part in self.parts for key in part.asked.keys]

    def read(self, part: Part, key: int, until: PageEnd | None = None) -> Sql:
        """Return SQL for what is looked at for a key, in order, before the filters; up to a place, if one is
        given."""
        if part.reading.driver is None:
            alias, columns, source = "d", "d.*", ROWS_OF_KEY
            conditions = [Sql("d.key = %s", (key,)), Sql(ROWS[part.asked.lines])]
        else:
            driver = driver_of(part, key, part.reading.driver)
            alias, columns, source = "l", "l.played, l.slot", driver.source
            conditions = list(driver.conditions)
        phase = self.phase.within(part.resolved.filters.days())
        conditions += [_after(phase, key, alias), part.resolved.between(alias)]
        if until is not None:
            text, values = self.phase.until(until, alias)
            conditions.append(Sql(text, tuple(values)))
        found = conjunction_from(source, conditions)
        text = _READ.format(columns=columns, source=found.text, order=self.phase.by(alias))
        return Sql(text, (*found.values, self.rows))

    def first(self, count: int, also: Sql | None) -> Sql:
        """Return the next rows that the filters let through as a FROM item x."""
        pieces = [
            _piece(self.phase, let_through(part, key, self._rows(part, key, also), _OF_INDEX), key, count)
            for part, key in self.keys
        ]
        return _first(self.phase, pieces, count)

    def _rows(self, part: Part, key: int, also: Sql | None) -> list[Sql]:
        """Return SELECTs of what passes all that the index knows, of each table one."""
        read = self.read(part, key)
        conditions = [part.resolved.result_of(part.asked, key), *([] if also is None else [also])]
        if part.reading.driver is None:
            sources = [Sql(f"({read.text}) d", read.values)]
            conditions += among_list(part, key)
        else:
            sources = probed(carried([read], ("played", "slot"), "l"), key)
            conditions.append(Sql(ROWS[part.asked.lines]))
        columns = ", ".join(f"d.{name}" for name in _OF_INDEX)
        found = (conjunction_from(source, conditions) for source in sources)
        return [Sql(f"SELECT {columns} {one.text}", one.values) for one in found]

    def end(self, until: PageEnd | None) -> PageEnd | None:
        """Return the place up to which everything was looked at; None if that is the end, or beyond the place
        up to which it matters."""
        reads = [
            _end_of(self.read(part, key, until), key) for part, key in self.keys if not self._reads_all(part)
        ]
        if not reads:
            return None
        found = engine().fetch_all([(text, (*values, self.rows - 1)) for text, values in reads])
        return min((PageEnd(*row) for row in found), key=self.phase.rank, default=None)

    def _reads_all(self, part: Part) -> bool:
        """Tell whether all there is under the only key of a part is looked at."""
        return len(part.asked.keys) == 1 and part.reading.most is not None and part.reading.most < self.rows


def _end_of(read: Sql, key: int) -> Sql:
    """Return SQL for the last place that is looked at for a key, where there are so many."""
    return Sql(_LAST_READ.format(read=read.text, way=key & 3), read.values)


def _chosen(scan: _Scan, count: int, also: Sql | None = None) -> tuple[list[GameThrough], PageEnd | None]:
    """Return the next games that the filters let through, and where the looking ended before the listing did.

    What one key gives from beyond the place where another's looking ended comes on the next page.
    """
    games = _games(scan.parts[0].asked, scan.phase, lambda: scan.first(count, also))
    full = len(games) == count
    if full and len(scan.keys) == 1:
        return games, None
    end = scan.end(games[-1].place if full else None)
    if end is None:
        return games, None
    within = [game for game in games if scan.phase.rank(game.place) <= scan.phase.rank(end)]
    return within, None if len(within) == count else end
