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
from archive.queries.position_filters import Part, parts_of
from archive.queries.position_query import ROWS, Asked, Lines, ask
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
_LAST_READ: Final = """
    SELECT * FROM (SELECT played, slot, {way} AS way FROM ({read}) r LIMIT 1 OFFSET %s) e{number}
"""
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
    asked = ask(scope, kind, code, match, lines)
    parts = choose_for_pages(parts_of(scope, asked, filters)) if filters else []
    if filters and not parts:
        return Page((), None)

    def fetch(phase: Phase, count: int) -> tuple[list[GameThrough], PageEnd | None]:
        if not filters:
            return _games(asked, phase, _pieces(asked, phase, count), count), None
        return _chosen(_Scan(parts, phase, reading_plan.PAGE_ROWS // len(asked.keys)), count)

    return paged(order, cursor, limit, fetch, lambda row: row.place)


def extremes(asked: Asked) -> tuple[GameThrough | None, ...]:
    """Return the first and the latest game with a known day."""
    return _first_of_each(asked, [next(phases(order, None)) for order in _ORDERS])


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
    return part._replace(resolved=part.resolved.on(day))


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
            alias, source = "d", ROWS_OF_KEY
            conditions = [Sql("d.key = %s", (key,)), Sql(ROWS[part.asked.lines])]
        else:
            driver = driver_of(part, key, part.reading.driver)
            alias, source, conditions = "l", driver.source, list(driver.conditions)
        conditions += [_after(self.phase, alias, key), part.resolved.between(alias)]
        if until is not None:
            text, values = self.phase.until(until, alias)
            conditions.append(Sql(text, tuple(values)))
        found = conjunction_from(source, conditions)
        text = _READ.format(alias=alias, source=found.text, order=self.phase.by(alias))
        return Sql(text, (*found.values, self.rows))

    def pieces(self, part: Part, key: int, count: int, also: Sql | None) -> list[Sql]:
        """Return SQL for the next rows of a key that the filters let through."""
        read = self.read(part, key)
        probes = part.resolved.probes(part.asked, key, at_hand=part.reading.at_hand)
        conditions = [part.resolved.result_of(part.asked, key), probes]
        if part.reading.driver is None:
            alias, sources = "d", [Sql(f"({read.text}) d", read.values)]
        else:
            alias, sources = "l", probed(Sql(f"({read.text}) l", read.values), key)
            conditions.append(Sql(ROWS[part.asked.lines]))
        where = conjunction(conditions if also is None else [*conditions, also])
        return [_piece(self.phase, source, where, alias, count) for source in sources]

    def end(self, until: PageEnd | None) -> PageEnd | None:
        """Return the place up to which everything was looked at; None if that is the end, or beyond the place
        up to which it matters."""
        ends = [
            _end_of(self.read(part, key, until), key, number)
            for number, (part, key) in enumerate(self.keys)
            if not self._reads_all(part)
        ]
        if not ends:
            return None
        text = " UNION ALL ".join(end.text for end in ends)
        values = [value for end in ends for value in (*end.values, self.rows - 1)]
        places = (PageEnd(*row) for row in engine().fetch_prepared(text, values))
        return min(places, key=self.rank, default=None)

    def _reads_all(self, part: Part) -> bool:
        """Tell whether all there is under the only key of a part is looked at."""
        return len(part.asked.keys) == 1 and part.reading.most is not None and part.reading.most < self.rows

    def rank(self, place: PageEnd) -> tuple[int, int, int]:
        """Return a key that sorts places as the listing does."""
        sign = -1 if self.phase.descending else 1
        return sign * place.played, sign * place.slot, place.way


def _end_of(read: Sql, key: int, number: int) -> Sql:
    """Return SQL for the last place that is looked at for a key, where there are so many."""
    return Sql(_LAST_READ.format(read=read.text, way=key & 3, number=number), read.values)


def _chosen(scan: _Scan, count: int, also: Sql | None = None) -> tuple[list[GameThrough], PageEnd | None]:
    """Return the next games that the filters let through, and where the looking ended before the listing did.

    What one key gives from beyond the place where another's looking ended comes on the next page.
    """
    pieces = [piece for part, key in scan.keys for piece in scan.pieces(part, key, count, also)]
    found = _games(scan.parts[0].asked, scan.phase, pieces, count)
    full = len(found) == count
    if full and len(scan.keys) == 1:
        return found, None
    end = scan.end(found[-1].place if full else None)
    if end is None:
        return found, None
    within = [game for game in found if scan.rank(game.place) <= scan.rank(end)]
    return within, None if len(within) == count else end
