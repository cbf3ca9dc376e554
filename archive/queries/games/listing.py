"""Lists of games: exact names, days, results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Annotated, Any, Final, get_type_hints

from archive.index.engine import engine
from archive.index.schema import FORK
from archive.models import LARGEST_ID
from archive.project.reading import connection
from archive.queries.games.filters import FILTERS, Filter, GameFilters
from archive.queries.games.keyset import (
    MAX_PAGE,
    ORDERS,
    Column,
    KeysetPage,
    PageEnd,
    Phase,
    Sorting,
    as_date,
    as_moment,
    paged,
)
from archive.queries.names.ids_of_names import Ids, ids_of_upload
from archive.queries.names.name_matching import match_name
from archive.queries.scope import Scope
from archive.queries.search.compiling import CompiledQuery, compile_query
from archive.queries.search.parsing import parse
from archive.queries.search.patience import time_limited
from archive.queries.search.words import few_games_of
from archive.queries.sql import Sql, conjunction, one_of
from kifu_core.games import SHOGI
from kifu_core.shogi.formations import BY_NAME


def _name(table: str, column: str) -> str:
    """Return SQL for a name of the few games that are shown: joins would double the time a planner takes."""
    return f"coalesce((SELECT n.name FROM archive_{table} n WHERE n.id = g.{column}), '')"


def _rating(colour: int) -> str:
    return f"(SELECT p.rating FROM archive_gameplayer p WHERE p.slot = g.slot AND p.colour = {colour})"


_TIME_LIMITS: Final = "CAST(coalesce(g.header_data -> 'time_limits', g.header_data -> 'time_limit') AS text)"
# As `archive.queries.games.arrivals` has it, of where the game is now: so it is the same for all who read it.
_ARRIVED: Final = """coalesce(
    (SELECT max(a.at) FROM archive_arrival a WHERE a.game = g.id AND a.moved AND a.space = g.space),
    (SELECT min(u.received) FROM archive_entry e JOIN archive_upload u ON u.id = e.upload_id
        WHERE e.game_id = g.id AND u.space = g.space AND u.state <> 'deleting' AND NOT e.hidden))"""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in a list: its columns, each with its SQL. `first` and `second` are who had colours 0 and 1,
    empty where unknown.

    `precision` is "day", "month", "year" or "" and says how much of the days is known; `calendar` is
    "gregorian", "lunisolar" or "". `time_limits` is JSON: the limit of both sides, or a list of theirs.
    """

    id: Annotated[int, "g.id"]
    kind: Annotated[str, "g.kind"]
    record_kind: Annotated[str, "g.record_kind"]
    first: Annotated[str, _name("player", "player0_id")]
    second: Annotated[str, _name("player", "player1_id")]
    event: Annotated[str, _name("event", "event_id")]
    site: Annotated[str, "g.site"]
    played_from: Annotated[date | None, "g.played_from"]
    played_to: Annotated[date | None, "g.played_to"]
    precision: Annotated[str, "g.precision"]
    handicap: Annotated[str, "g.handicap"]
    result: Annotated[int, "g.result"]
    special: Annotated[str, "g.special"]
    plies: Annotated[int, "g.plies"]
    calendar: Annotated[str, "g.calendar"]
    round: Annotated[str, "g.round"]
    opening: Annotated[str, "g.opening"]
    space: Annotated[int, "g.space"]
    first_rating: Annotated[int | None, _rating(0)]
    second_rating: Annotated[int | None, _rating(1)]
    time_limits: Annotated[str | None, _TIME_LIMITS]
    features: Annotated[int, "g.features"]
    arrived: Annotated[datetime | None, _ARRIVED]
    changed: Annotated[datetime | None, "g.changed"]
    place: PageEnd
    """Where the game stands in lists; for cursors only."""


COLUMNS: Final[Mapping[str, str]] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(GameRow, include_extras=True).items()
    if hasattr(hint, "__metadata__")
}
"""The columns of a list by name, with their SQL."""
GAME_COLUMNS: Final = ", ".join(COLUMNS.values())


def by_name(row: Sequence[Any], *more: str) -> dict[str, Any]:
    """Return a row of `GAME_COLUMNS` and of more columns by their names."""
    found = dict(zip((*COLUMNS, *more), row, strict=True))
    for name in ("played_from", "played_to"):
        found[name] = as_date(found[name])
    for name in ("arrived", "changed"):
        found[name] = as_moment(found[name])
    return found


PAGE_GAMES: Final = 10_000
"""Candidates that one page of a filtered list may examine. The page then ends, even if it is short."""

SORTED_GAMES: Final = 5_000
"""A list with at most so many games is read and sorted: about 20 ms on either engine. A longer one is read by
scanning all games in their order."""

LARGE_UPLOAD: Final = 50_000
"""An upload with more entries is read by scanning all games, also by day: uploads have no index by day, and
to sort a million games took four seconds."""

_LIST: Final = f"""
    SELECT {GAME_COLUMNS}, d.{{column}}, d.slot FROM ({{first}}) d {{games}} ORDER BY {{outer}}
"""
_FIRST: Final = "SELECT {alias}.{column}, {alias}.slot FROM {found} ORDER BY {order} LIMIT %s"
_LAST_OF: Final = "SELECT * FROM ({first}) x LIMIT %s OFFSET %s"
_LENGTH: Final = "SELECT count(*) FROM ({read}) x"
# To SQLite a CROSS JOIN says which table to read first.
_OF_FORMATION: Final = """(SELECT DISTINCT g.played, g.slot FROM archive_gameformation f
    CROSS JOIN archive_game g WHERE f.formation = %s AND g.slot = f.slot AND {readable}) d"""
# Those that may be read alone: how many others there are would show in where pages end.
_ROWS_OF_FORMATION: Final = """
    SELECT 1 FROM archive_gameformation f CROSS JOIN archive_game g
    WHERE f.formation = %s AND g.slot = f.slot AND {readable}
"""
_OF_UPLOAD: Final = """(SELECT DISTINCT g.played, g.slot FROM archive_entry e
    CROSS JOIN archive_game g WHERE e.upload_id = %s AND g.id = e.game_id) d"""
# As the index has it, so that SQLite knows that it may use it.
_RARER: Final = "d.kind = %s AND NOT (d.kind = 'shogi')"
# Who plays himself has two rows for one game.
_ONCE: Final = "(d.colour = 0 OR g.player0_id IS NULL OR g.player0_id <> d.player_id)"


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Where to find games. `source` is a table or subquery d with the `columns`; `mine` filters its rows,
    `conditions` filter the joined games g, all in the `scope`.

    A name has one list of games in each space: then `each` has a condition for each of these lists, and every
    list is read in its own order.
    """

    scope: Scope
    source: Sql
    mine: tuple[Sql, ...] = ()
    conditions: tuple[Sql, ...] = ()
    columns: str = "d.played, d.slot"
    each: tuple[Sql, ...] = (Sql("TRUE"),)
    rows: Sql | None = None
    """A query with at least as many rows as the list, which is faster to count."""
    most: int = 0
    """With more such rows, all games are scanned instead."""
    asked_once: bool = False
    """Whether the statement is unlikely to be repeated, so that its plan is not kept."""
    days: tuple[int, int] | None = None
    """The first and the last day of the games, where the filters name days."""
    others: tuple[Sql, ...] = ()
    """Further sources of the same list; they share no game with `source`."""

    @property
    def of_all(self) -> bool:
        """Tell whether the list is that of all games."""
        return self.source == _ALL_GAMES and not self.mine

    @property
    def asks(self) -> bool:
        """Tell whether the conditions can exclude games of the list."""
        return any(condition.text != _ONCE for condition in self.conditions)

    @property
    def found(self) -> list[Sql]:
        """Return FROM and WHERE for the games of each list."""
        return [
            self._joined(source, (one, *self.mine, *self.conditions))
            for source in (self.source, *self.others)
            for one in self.each
        ]

    def read(self, *conditions: Sql) -> list[Sql]:
        """Return FROM and WHERE for the rows of each list, without the conditions on games."""
        found = [conjunction([one, *self.mine, *conditions]) for one in self.each]
        return [
            Sql(f"{source.text} WHERE {where.text}", (*source.values, *where.values))
            for source in (self.source, *self.others)
            for where in found
        ]

    def newest(self, limit: int) -> Sql:
        """Return SQL for the newest games of the lists, without the conditions on games."""
        lists = self.read(_ANY_DAY)
        pieces = [
            Sql(f"SELECT {self.columns} FROM {one.text} {_NEWEST}", (*one.values, limit)) for one in lists
        ]
        return _first_of(pieces, _NEWEST_FIRST, limit)

    def among_newest(self, limit: int) -> Sql:
        """Return FROM and WHERE for those of the newest games that meet the conditions."""
        newest = self.newest(limit)
        return self._joined(Sql(f"({newest.text}) d", newest.values), self.conditions)

    def _joined(self, source: Sql, conditions: Sequence[Sql]) -> Sql:
        where = conjunction([*conditions, self.scope.condition("g")])
        text = f"{source.text} {engine().GAMES} WHERE {where.text}"
        return Sql(text, (*source.values, *where.values))


_ALL_GAMES: Final = Sql("archive_game d")

# True for all: so the index is sought, not begun at its end.
_ANY_DAY: Final = Sql(f"d.played <= {date.max.toordinal()}")
_NEWEST: Final = "ORDER BY d.played DESC, d.slot DESC LIMIT %s"
_NEWEST_FIRST: Final = "played DESC, slot DESC"


def _first_of(pieces: Sequence[Sql], order: str, limit: int) -> Sql:
    """Return SQL for the first rows of all pieces together, each of which has its own first in this order."""
    if len(pieces) == 1:
        return pieces[0]
    text = " UNION ALL ".join(f"SELECT * FROM ({piece.text}) p{n}" for n, piece in enumerate(pieces))
    values = tuple(value for piece in pieces for value in piece.values)
    return Sql(f"{text} ORDER BY {order} LIMIT %s", (*values, limit))


@dataclass(frozen=True, slots=True)
class _Listing:
    """How to read a list in an order: what is looked through, and which table has the order's column: d, the
    list itself, which is already in this order, or g, the few games that are sorted."""

    query: ListQuery
    found: list[Sql]
    alias: str


def find_games(
    scope: Scope,
    filters: GameFilters | None = None,
    order: Sorting = "newest",
    cursor: str | None = None,
    limit: int = 50,
) -> KeysetPage[GameRow]:
    """Return a page of the games that match the filters.

    A page examines at most `PAGE_GAMES` games: with conditions on games it can be short, or even empty, and
    still have a next one. Raises InvalidCursorError for a forged cursor and for one of another order,
    ValueError for an unknown order and for a limit outside 1 to 500, QueryError for an invalid query and for
    one that takes too long. Reads the player's or event's own list where the filters name one.
    """
    filters = filters or GameFilters()
    with time_limited(filters):
        listing = _listing(scope, filters, order)
        if listing is None:
            return KeysetPage((), None)

        def fetch(phase: Phase, count: int) -> tuple[list[GameRow], PageEnd | None]:
            return _fetch(listing, phase, count)

        return paged(order, cursor, limit, fetch, lambda row: row.place)


def latest_games(scope: Scope, filters: GameFilters, limit: int) -> tuple[GameRow, ...]:
    """Return the latest games that match; if there are none, the latest records of other kinds."""
    games = find_games(scope, replace(filters, record_kind="game"), limit=limit)
    return games.items or find_games(scope, filters, limit=limit).items


def each_game(scope: Scope, filters: GameFilters, order: Sorting = "newest") -> Iterator[GameRow]:
    """Yield all games that match, page by page. Raises as `find_games`."""
    cursor: str | None = None
    while True:
        page = find_games(scope, filters, order, cursor, MAX_PAGE)
        yield from page.items
        if page.next is None:
            return
        cursor = page.next


def games_after(
    scope: Scope, filters: GameFilters, after: int, limit: int = MAX_PAGE
) -> tuple[list[GameRow], int | None]:
    """Return the games of a list whose ids are beyond one, in the order of ids, and the id beyond which there
    may be more; None where there are none.

    An id is permanent and no later game has a smaller one, so nothing moves in this order while a list is
    read. Bounded as a page of `find_games`, and raises as that does.
    """
    with time_limited(filters):
        listing = _listing(scope, filters, "added")
        if listing is None:
            return [], None
        rows, stop = _fetch(listing, Phase(PageEnd(after, 0), "all", False, "id"), limit + 1)
    if len(rows) > limit:
        return rows[:limit], rows[limit - 1].id
    return rows, None if stop is None else stop.played


def _listing(scope: Scope, filters: GameFilters, order: Sorting) -> _Listing | None:
    """Return how to read the list in an order; None if a filter has an unknown name."""
    query = query_of(scope, filters)
    if query is None:
        return None
    column, _descending = ORDERS.get(order, ("played", True))
    if column == "played" and (query.rows is None or _has_at_most(query.most, query)):
        return _Listing(query, query.found, "d")
    if column != "played" and not query.of_all and _has_at_most(SORTED_GAMES, query):
        return _Listing(query, [query.among_newest(SORTED_GAMES)], "g")
    query = _over_all_games(scope, filters, column)
    return _Listing(query, query.found, "d")


def _has_at_most(most: int, query: ListQuery) -> bool:
    """Tell whether a list has at most so many games, before the conditions on games."""
    read = query.newest(most + 1)
    if query.rows is not None:
        read = Sql(f"{query.rows.text} LIMIT %s", (*query.rows.values, most + 1))
    sql = _LENGTH.format(read=read.text)
    ((length,),) = engine().fetch_prepared(sql, read.values, keep=not query.asked_once)
    return bool(length <= most)


def games_among(scope: Scope, filters: GameFilters, ids: Sequence[int]) -> list[GameRow]:
    """Return those of the games with these ids that match the filters, by ascending id.

    Raises QueryError for an invalid query and for one that takes too long.
    """
    with time_limited(filters):
        if not ids or query_of(scope, filters) is None:
            return []
        query = _over_all_games(scope, filters, "id")
        mine = Sql(f"d.id {one_of(ids)}", tuple(ids))
        found = query._joined(query.source, (mine, *query.mine, *query.conditions))
        sql = f"SELECT {GAME_COLUMNS}, g.id, g.slot FROM {found.text} ORDER BY g.id"
        return [*map(_game_row, engine().fetch_prepared(sql, found.values, keep=False))]


_SLOTS: Final = "SELECT g.slot FROM {found} LIMIT %s"
_SLOTS_AMONG: Final = "SELECT g.slot FROM {found}"
_LISTED_SLOTS: Final = "d.slot IN (SELECT k.key FROM {keys})"


def slots_of(scope: Scope, filters: GameFilters, most: int) -> list[int] | None:
    """Return the slots of the games that match; None if there may be more than `most`. Raises QueryError for
    an invalid query."""
    query = query_of(scope, filters)
    if query is None:
        return []
    if query.of_all and not query.asks:
        return None
    pieces = [Sql(_SLOTS.format(found=one.text), (*one.values, most + 1)) for one in query.found]
    found = {slot for one in pieces for (slot,) in engine().fetch_prepared(*one, keep=False)}
    return None if len(found) > most else [*found]


def slots_among(scope: Scope, filters: GameFilters, slots: Sequence[int]) -> list[int]:
    """Return those of the slots whose games match the filters. Raises QueryError."""
    if query_of(scope, filters) is None:
        return []
    query = _over_all_games(scope, filters, "id")
    mine = Sql(_LISTED_SLOTS.format(keys=engine().KEYS), (engine().listed(slots),))
    found = query._joined(query.source, (mine, *query.mine, *query.conditions))
    sql = _SLOTS_AMONG.format(found=found.text)
    return [slot for (slot,) in engine().fetch_prepared(sql, found.values, keep=False)]


def games_in(scope: Scope, slots: Sequence[int]) -> dict[int, GameRow]:
    """Return the games in some slots, by slot, as lists show them; missing games are left out."""
    if not slots:
        return {}
    where = conjunction([Sql(f"g.slot {one_of(slots)}", tuple(slots)), scope.condition("g")])
    sql = f"SELECT {GAME_COLUMNS}, g.played, g.slot FROM archive_game g WHERE {where.text}"
    rows = (_game_row(row) for row in engine().fetch_prepared(sql, where.values, keep=False))
    return {row.place.slot: row for row in rows}


def game_by_id(scope: Scope, game_id: int) -> GameRow | None:
    """Return a game by its id; None if the scope has no such game."""
    if game_id > LARGEST_ID:
        return None
    readable = scope.condition("g")
    sql = f"""
        SELECT {GAME_COLUMNS}, g.played, g.slot FROM archive_game g
        WHERE g.id = %s AND {readable.text}
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, [game_id, *readable.values])
        row = cursor.fetchone()
    return None if row is None else _game_row(row)


def _fetch(listing: _Listing, phase: Phase, count: int) -> tuple[list[GameRow], PageEnd | None]:
    """Return the next games, and the place where the scan ended if it found fewer than `count`."""
    alias, phase = listing.alias, phase.within(listing.query.days)
    end = _end(listing.query, phase) if alias == "d" and listing.query.asks else None
    conditions = [phase.keyset(alias=alias), *([] if end is None else [phase.until(end, alias)])]
    within = conjunction([Sql(text, tuple(values)) for text, values in conditions])
    lists = [Sql(f"{one.text} AND {within.text}", (*one.values, *within.values)) for one in listing.found]
    first = _first(lists, phase, alias, count)
    sql = _LIST.format(column=phase.column, first=first.text, outer=phase.by("d"), games=engine().GAMES)
    found = engine().fetch_prepared(sql, first.values, keep=not listing.query.asked_once)
    return [*map(_game_row, found)], end if len(found) < count else None


def _end(query: ListQuery, phase: Phase) -> PageEnd | None:
    """Return the place up to which a page scans; None if it scans to the end of the list."""
    text, values = phase.keyset()
    first = _first(query.read(Sql(text, tuple(values))), phase, "d", PAGE_GAMES)
    sql, last = _LAST_OF.format(first=first.text), [*first.values, 1, PAGE_GAMES - 1]
    rows = engine().fetch_prepared(sql, last, keep=not query.asked_once)
    return PageEnd(*rows[0]) if rows else None


def _first(lists: Sequence[Sql], phase: Phase, alias: str, count: int) -> Sql:
    """Return SQL for the first places of all lists together."""
    pieces = [
        Sql(
            _FIRST.format(column=phase.column, alias=alias, found=one.text, order=phase.by(alias)),
            (*one.values, count),
        )
        for one in lists
    ]
    return _first_of(pieces, phase.order, count)


def _game_row(row: Sequence[Any]) -> GameRow:
    found = by_name(row, "at", "slot")
    return GameRow(**{name: found[name] for name in COLUMNS}, place=PageEnd(found["at"], found["slot"]))


def query_of(scope: Scope, filters: GameFilters) -> ListQuery | None:
    """Return the query for the filters; None if a filter has an unknown name. Raises QueryError for an
    invalid `q`."""
    filters.check("games")
    filters, searched = _split_query(scope, filters)
    ids, parts = _ids(scope, filters)
    if () in ids.values():
        return None
    whole = {name: None if name in parts else found for name, found in ids.items()}
    query, driver = _shortest_list(scope, whole, filters.game, filters.formation)
    few = searched.few or (_few_of_parts(ids, parts) if query.of_all else None)
    if few is not None:
        query, driver = ListQuery(scope, few), None
    elif searched.keys and query.of_all and not engine().REMOTE_INDEX:
        query = _games_reaching(scope, searched.keys)
    asked = _set_filters(filters)
    days = [_condition(scope, one, filters, ids, "d") for one in asked if one.attribute in _DAYS_ASKED]
    # Asked for twice, a name would count as two conditions that are seldom true together.
    others = [one for one in asked if one.attribute not in (*_DAYS_ASKED, driver)]
    found = (*query.conditions, *(_condition(scope, one, filters, ids) for one in others))
    once = searched.condition is not None or bool(parts)
    found += (searched.condition,) if searched.condition else ()
    mine = (*query.mine, *days)
    return replace(query, mine=mine, conditions=found, asked_once=once, days=filters.days())


def _games_reaching(scope: Scope, keys: tuple[int, ...]) -> ListQuery:
    """Return a query for games whose main line reaches a position, by its keys; each game has a row under one
    of them."""
    source, *others = (Sql(f"{table} d") for table in engine().TABLES)
    main = Sql(f"(d.flags & {FORK}) = 0")
    return ListQuery(scope, source, (main,), each=_each("d.key", keys), others=tuple(others))


def _split_query(
    scope: Scope, filters: GameFilters, *, driven: bool = True
) -> tuple[GameFilters, CompiledQuery]:
    """Split off `q`: turn its terms into plain filters where these are unset, compile the rest to a
    condition."""
    if filters.q is None:
        return filters, CompiledQuery(None)
    rest = replace(filters, q=None)
    found = compile_query(
        scope, parse(filters.q), {one.attribute for one in _set_filters(rest)}, driven=driven
    )
    return replace(rest, **found.filters), found


_DAYS_ASKED: Final = ("since", "until")
_LENGTHS_ASKED: Final = ("min_plies", "max_plies")


def _over_all_games(scope: Scope, filters: GameFilters, column: Column) -> ListQuery:
    """Return a query for the same games that scans all games in the order of a column."""
    filters, searched = _split_query(scope, filters, driven=False)
    ids, parts = _ids(scope, filters)
    mine = _LENGTHS_ASKED if column == "plies" else ()
    return ListQuery(
        scope,
        _ALL_GAMES,
        tuple(
            _condition(scope, one, filters, ids, "d")
            for one in _set_filters(filters)
            if one.attribute in mine
        ),
        (
            *(
                _condition(scope, one, filters, ids)
                for one in _set_filters(filters)
                if one.attribute not in mine
            ),
            *([searched.condition] if searched.condition else []),
        ),
        each=_of_spaces(scope),
        asked_once=searched.condition is not None or bool(parts),
        days=filters.days(),
    )


def _set_filters(filters: GameFilters) -> list[Filter]:
    """Return the filters that are set."""
    return [one for one in FILTERS if filters.value_of(one) is not None]


def _condition(
    scope: Scope, one: Filter, filters: GameFilters, ids: Mapping[str, Ids], alias: str = "g"
) -> Sql:
    """Return the condition that a filter puts on a game."""
    return one.condition(scope, ids.get(one.attribute) or (one.stored(filters.value_of(one)),), alias)


def _ids(scope: Scope, filters: GameFilters) -> tuple[dict[str, Ids], list[str]]:
    """Return the ids of each filter with a name and of the upload, and the filters whose text matched only a
    part of names."""
    ids: dict[str, Ids] = {"upload": ids_of_upload(scope, filters.upload)}
    parts = []
    for one in FILTERS:
        text = filters.value_of(one)
        if one.names:
            found = None if text is None else match_name(scope, one.names, text)
            ids[one.attribute] = found.ids if found else None
            parts += [one.attribute] if found and found.part else []
    return ids, parts


def _few_of_parts(ids: Mapping[str, Ids], parts: Sequence[str]) -> Sql | None:
    """Return the games of those whose names have a part, as the source d of a query; None where these are not
    few, or no part is asked for."""
    kinds = ((one.names, ids[one.attribute]) for one in FILTERS if one.names and one.attribute in parts)
    return next((few for kind, found in kinds if found and (few := few_games_of(kind, found))), None)


def _each(column: str, ids: tuple[int, ...]) -> tuple[Sql, ...]:
    """Return the conditions on the lists of a name, one for each of its ids."""
    return tuple(Sql(f"{column} = %s", (one,)) for one in ids)


def _of_spaces(scope: Scope) -> tuple[Sql, ...]:
    """Return the conditions on the lists of all games, one for each space: what nobody here may read takes no
    part of a page, which would tell that it is there."""
    return _each("d.space", scope.spaces)


def _shortest_list(
    scope: Scope, ids: Mapping[str, Ids], game: str | None, formation: str | None
) -> tuple[ListQuery, str | None]:
    """Return the shortest list, and the filter that it belongs to: a player's, an event's, an upload's, a
    rarer kind's; or the list of all games, which belongs to no filter."""
    if (player := ids["player"]) is not None:
        each = _each("d.player_id", player)
        columns = "d.played, d.slot, d.player_id, d.colour"
        return ListQuery(scope, Sql("archive_gameplayer d"), (), (Sql(_ONCE),), columns, each), "player"
    for colour, side in enumerate(("black", "white")):
        if (player := ids[side]) is not None:
            each, mine = _each("d.player_id", player), (Sql(f"d.colour = {colour}"),)
            return ListQuery(scope, Sql("archive_gameplayer d"), mine, each=each), side
    if (event := ids["event"]) is not None:
        return ListQuery(scope, Sql("archive_gameevent d"), each=_each("d.event_id", event)), "event"
    if (upload := ids["upload"]) is not None:
        entries = Sql("SELECT 1 FROM archive_entry e WHERE e.upload_id = %s", upload)
        return ListQuery(scope, Sql(_OF_UPLOAD, upload), rows=entries, most=LARGE_UPLOAD), "upload"
    if formation is not None:
        number, readable = (BY_NAME[formation].number,), scope.condition("g")
        values = (*number, *readable.values)
        rows = Sql(_ROWS_OF_FORMATION.format(readable=readable.text), values)
        source = Sql(_OF_FORMATION.format(readable=readable.text), values)
        return ListQuery(scope, source, rows=rows, most=SORTED_GAMES), "formation"
    if game not in (None, SHOGI.name):
        # The sign keeps SQLite, which has no statistics, from looking through all games of a space.
        each = _each("+d.space", scope.spaces)
        return ListQuery(scope, Sql("archive_game d"), (Sql(_RARER, (game,)),), each=each), "game"
    return ListQuery(scope, _ALL_GAMES, each=_of_spaces(scope)), None
