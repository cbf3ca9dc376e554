"""Lists of games: exact names, days, results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import Annotated, Any, Final, Literal, get_type_hints

from archive.index.engine import engine
from archive.models import LARGEST_ID
from archive.queries.games import list_query
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import (
    ALL_ORDERS,
    LAST,
    MAX_PAGE,
    Column,
    KeysetPage,
    PageEnd,
    Phase,
    Sorting,
    as_date,
    as_moment,
    paged,
)
from archive.queries.games.list_query import (
    ListQuery,
    in_order_of_collection,
    over_all_games,
    query_of,
)
from archive.queries.scope import Scope
from archive.queries.search.patience import time_limited
from archive.queries.sql import Sql, conjunction, first_of, joined, one_of


def _name(table: str, column: str) -> str:
    """Return SQL for the name of a listed game. A join would double the planning time."""
    return f"coalesce((SELECT n.name FROM archive_{table} n WHERE n.id = g.{column}), '')"


def _rating(colour: int) -> str:
    return f"(SELECT p.rating FROM archive_gameplayer p WHERE p.slot = g.slot AND p.colour = {colour})"


_TIME_LIMITS: Final = "CAST(coalesce(g.header_data -> 'time_limits', g.header_data -> 'time_limit') AS text)"
# As in `archive.queries.games.arrivals`, but for the game's own space: so it is the same for all readers.
_ARRIVED: Final = """coalesce(
    (SELECT max(a.at) FROM archive_arrival a WHERE a.game = g.id AND a.moved AND a.space = g.space),
    (SELECT min(u.received) FROM archive_entry e JOIN archive_upload u ON u.id = e.upload_id
        WHERE e.game_id = g.id AND u.space = g.space AND u.state <> 'deleting' AND NOT e.hidden))"""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in a list. Each column is annotated with its SQL."""

    id: Annotated[int, "g.id"]
    kind: Annotated[str, "g.kind"]
    record_kind: Annotated[str, "g.record_kind"]
    first: Annotated[str, _name("player", "player0_id")]
    """The name of the player of colour 0; empty if unknown."""
    second: Annotated[str, _name("player", "player1_id")]
    """The name of the player of colour 1; empty if unknown."""
    event: Annotated[str, _name("event", "event_id")]
    site: Annotated[str, f"coalesce(nullif({_name('place', 'place_id')}, ''), g.site)"]
    """The name of the place; the address of the game, if the record has one."""
    played_from: Annotated[date | None, "g.played_from"]
    played_to: Annotated[date | None, "g.played_to"]
    precision: Annotated[str, "g.precision"]
    """The precision of the days: "day", "month", "year" or ""."""
    handicap: Annotated[str, "g.handicap"]
    result: Annotated[int, "g.result"]
    special: Annotated[str, "g.special"]
    plies: Annotated[int, "g.plies"]
    calendar: Annotated[str, "g.calendar"]
    """"gregorian", "lunisolar" or ""."""
    round: Annotated[str, "g.round"]
    opening: Annotated[str, "g.opening"]
    space: Annotated[int, "g.space"]
    first_rating: Annotated[int | None, _rating(0)]
    second_rating: Annotated[int | None, _rating(1)]
    time_limits: Annotated[str | None, _TIME_LIMITS]
    """JSON: the limit of both sides, or a list with one for each side."""
    features: Annotated[int, "g.features"]
    arrived: Annotated[datetime | None, _ARRIVED]
    changed: Annotated[datetime | None, "g.changed"]
    first_id: Annotated[int | None, "g.player0_id"]
    second_id: Annotated[int | None, "g.player1_id"]
    event_id: Annotated[int | None, "g.event_id"]
    place_id: Annotated[int | None, "g.place_id"]
    place: PageEnd
    """The place of the game in the list, for cursors."""


COLUMNS: Final[Mapping[str, str]] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(GameRow, include_extras=True).items()
    if hasattr(hint, "__metadata__")
}
"""The columns of a list by name, with their SQL."""
GAME_COLUMNS: Final = ", ".join(COLUMNS.values())


def by_name(row: Sequence[Any], *more: str) -> dict[str, Any]:
    """Return a row of `GAME_COLUMNS` and of more columns by their names."""
    columns = dict(zip((*COLUMNS, *more), row, strict=True))
    for name in ("played_from", "played_to"):
        columns[name] = as_date(columns[name])
    for name in ("arrived", "changed"):
        columns[name] = as_moment(columns[name])
    return columns


PAGE_GAMES: Final = 10_000
"""Candidates that one page of a filtered list may examine. The page then ends, even if it is short."""

_LIST: Final = f"SELECT {GAME_COLUMNS}, d.{{column}}, d.slot FROM ({{sql}}) d {{games}} ORDER BY {{order}}"
_PLACES: Final = "SELECT {alias}.{column}, {alias}.slot FROM {sql} ORDER BY {order} LIMIT %s"
_ROWS: Final = f"SELECT {GAME_COLUMNS}, g.{{column}}, g.slot FROM {{sql}}"


@dataclass(frozen=True, slots=True)
class _Listing:
    """How to read a list in an order: from `sources`, by the column of the table `alias`: d, the list itself,
    which is already in this order, or g, a few games that are sorted."""

    query: ListQuery
    sources: list[Sql]
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
    one that takes too long. Reads the own list of a player, an event or a place if the filters name one.
    """
    filters = filters or GameFilters()
    with time_limited(filters):
        listing = _listing(scope, filters, order)
        if listing is None:
            return KeysetPage((), None)
        return paged(order, cursor, limit, partial(_fetch, listing), lambda row: row.place)


def latest_games(scope: Scope, filters: GameFilters, limit: int) -> tuple[GameRow, ...]:
    """Return the latest games that match; if there are none, the latest records of other kinds."""
    games = find_games(scope, replace(filters, record_kind="game"), limit=limit)
    return games.items or find_games(scope, filters, limit=limit).items


def each_game(scope: Scope, filters: GameFilters, order: Sorting = "newest") -> Iterator[GameRow]:
    """Yield all games that match, page by page. Raises the errors of `find_games`."""
    page = find_games(scope, filters, order, limit=MAX_PAGE)
    yield from page.items
    while page.next is not None:
        page = find_games(scope, filters, order, page.next, MAX_PAGE)
        yield from page.items


def games_after(
    scope: Scope, filters: GameFilters, after: int, limit: int, order: Literal["id", "position"] = "id"
) -> tuple[list[GameRow], int | None]:
    """Return the matching games with larger ids, in the order of ids, and the id after which there may be
    more; None if there are none. With `position`, the order is that of the filters' collection, and its
    positions (`archive.queries.collections.number_of`) take the place of ids.

    An id is permanent and later games have larger ones, so that order never changes while a list is read.
    Examines at most as many games as a page of `find_games`, and raises the errors of `find_games`.
    """
    with time_limited(filters):
        listing = _listing(scope, filters, "added" if order == "id" else "collection")
        if listing is None:
            return [], None
        rows, stop = _fetch(listing, Phase(PageEnd(after, LAST), "all", False, order), limit + 1)
    if len(rows) > limit:
        return rows[:limit], rows[limit - 1].place.played
    return rows, None if stop is None else stop.played


def _listing(scope: Scope, filters: GameFilters, order: Sorting) -> _Listing | None:
    """Return how to read the list in an order; None if a filter has an unknown name."""
    query = query_of(scope, filters)
    if query is None:
        return None
    column, _descending = ALL_ORDERS.get(order, ("played", True))
    if column == "position":
        query = in_order_of_collection(scope, filters)
        return _Listing(query, query.matches(), "d")
    if column == "played" and (query.rows is None or _has_at_most(query.most, query)):
        return _Listing(query, query.matches(), "d")
    if column != "played" and not query.has_all and _has_at_most(list_query.SORTED_GAMES, query):
        return _Listing(query, [query.among_newest(list_query.SORTED_GAMES)], "g")
    query = over_all_games(scope, filters, column)
    return _Listing(query, query.matches(), "d")


def _has_at_most(most: int, query: ListQuery) -> bool:
    rows = query.rows.embed("{sql} LIMIT %s", most + 1) if query.rows else query.newest(most + 1)
    ((length,),) = query.fetch(rows.embed("SELECT count(*) FROM ({sql}) x"))
    return bool(length <= most)


def games_among(scope: Scope, filters: GameFilters, ids: Sequence[int]) -> list[GameRow]:
    """Return the games with these ids that match the filters, by ascending id.

    Raises QueryError for an invalid query and for one that takes too long.
    """
    with time_limited(filters):
        if not ids or query_of(scope, filters) is None:
            return []
        games = over_all_games(scope, filters, "id").among(Sql(f"d.id {one_of(ids)}", tuple(ids)))
        return _load_rows(games.embed("{sql} ORDER BY g.id"), "id")


def slots_of(scope: Scope, filters: GameFilters, most: int) -> list[int] | None:
    """Return the slots of the games that match; None if there may be more than `most`. Raises QueryError for
    an invalid query."""
    query = query_of(scope, filters)
    if query is None:
        return []
    if query.has_all and not query.filters_games:
        return None
    pieces = [games.embed("SELECT g.slot FROM {sql} LIMIT %s", most + 1) for games in query.matches()]
    slots = {slot for piece in pieces for (slot,) in engine().fetch_prepared(*piece, keep=False)}
    return None if len(slots) > most else [*slots]


def ids_matching(scope: Scope, filters: GameFilters, most: int) -> list[int]:
    """Return the ids of the games that match, the earliest day first and games without a day last; of more
    than `most` games, some `most` + 1. Raises the errors of `find_games`."""
    with time_limited(filters):
        query = query_of(scope, filters)
        if query is None:
            return []
        select = "SELECT g.id, g.played, g.slot FROM {sql} LIMIT %s"
        games = {row for one in query.matches() for row in query.fetch(one.embed(select, most + 1))}
    ordered = sorted(games, key=lambda game: (not game[1], game[1], game[2]))
    return [pk for pk, _played, _slot in ordered[: most + 1]]


def slots_among(scope: Scope, filters: GameFilters, slots: Sequence[int]) -> list[int]:
    """Return the slots whose games match the filters. Raises QueryError."""
    if query_of(scope, filters) is None:
        return []
    selection = Sql(f"d.slot IN (SELECT k.key FROM {engine().KEYS})", (engine().listed(slots),))
    games = over_all_games(scope, filters, "id").among(selection)
    return [slot for (slot,) in engine().fetch_prepared(*games.embed("SELECT g.slot FROM {sql}"), keep=False)]


def games_in(scope: Scope, slots: Sequence[int]) -> dict[int, GameRow]:
    """Return the games in some slots, by slot, as lists show them; missing games are left out."""
    if not slots:
        return {}
    conditions = [Sql(f"g.slot {one_of(slots)}", tuple(slots)), scope.condition("g")]
    return {row.place.slot: row for row in _load_rows(Sql("archive_game g").where(conditions))}


def game_by_id(scope: Scope, game_id: int) -> GameRow | None:
    """Return a game by its id; None if the scope has no such game."""
    if game_id > LARGEST_ID:
        return None
    games = Sql("archive_game g").where([Sql("g.id = %s", (game_id,)), scope.condition("g")])
    return next(iter(_load_rows(games, keep=True)), None)


def _load_rows(games: Sql, column: Column = "played", *, keep: bool = False) -> list[GameRow]:
    return [*map(_game_row, engine().fetch_prepared(*games.embed(_ROWS, column=column), keep=keep))]


def _fetch(listing: _Listing, phase: Phase, count: int) -> tuple[list[GameRow], PageEnd | None]:
    """Return the next games, and the place where the scan ended if it found fewer than `count`."""
    query, alias, phase = listing.query, listing.alias, phase.within(listing.query.days)
    end = _end(query, phase) if alias == "d" and query.filters_games else None
    within = conjunction([phase.keyset(alias=alias), *([] if end is None else [phase.until(end, alias)])])
    lists = [joined([source, within], " AND ") for source in listing.sources]
    places = _first_places(lists, phase, alias, count)
    rows = query.fetch(places.embed(_LIST, column=phase.column, games=engine().GAMES, order=phase.by("d")))
    return [*map(_game_row, rows)], end if len(rows) < count else None


def _end(query: ListQuery, phase: Phase) -> PageEnd | None:
    """Return the place up to which a page scans; None if it scans to the end of the list."""
    places = _first_places(query.lists(phase.keyset()), phase, "d", PAGE_GAMES)
    rows = query.fetch(places.embed("SELECT * FROM ({sql}) x LIMIT %s OFFSET %s", 1, PAGE_GAMES - 1))
    return PageEnd(*rows[0]) if rows else None


def _first_places(lists: Sequence[Sql], phase: Phase, alias: str, count: int) -> Sql:
    order = phase.by(alias)
    pieces = [rows.embed(_PLACES, count, column=phase.column, alias=alias, order=order) for rows in lists]
    return first_of(pieces, phase.order, count)


def _game_row(row: Sequence[Any]) -> GameRow:
    columns = by_name(row, "at", "slot")
    place = PageEnd(columns.pop("at"), columns.pop("slot"))
    return GameRow(**columns, place=place)
