"""Lists of games: exact names, days, results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from itertools import product
from typing import Annotated, Any, Final, Literal, get_type_hints

from archive.index.engine import engine
from archive.index.schema import FORK
from archive.models import LARGEST_ID, CollectionGame
from archive.queries.games.filters import FILTERS, Filter, GameFilters
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
from archive.queries.names.ids_of_names import IDS_BY_NUMBER, Ids, ids_of_collection
from archive.queries.names.name_matching import match_name
from archive.queries.names.own_names import own_condition, own_games, own_players
from archive.queries.scope import Scope
from archive.queries.search.compiling import CompiledQuery, compile_query
from archive.queries.search.parsing import parse
from archive.queries.search.patience import time_limited
from archive.queries.search.words import few_games_of
from archive.queries.sql import Sql, conjunction, joined, one_of
from kifu_core.games import SHOGI
from kifu_core.shogi.formations import BY_NAME


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
    site: Annotated[str, "g.site"]
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

SORTED_GAMES: Final = 5_000
"""A list with at most so many games is read and sorted: about 20 ms on either engine. For a longer one, all
games are scanned in their order."""

LARGE_UPLOAD: Final = 50_000
"""For an upload with more entries all games are scanned, also by day: uploads have no index by day, and to
sort a million games took four seconds."""

_LIST: Final = f"SELECT {GAME_COLUMNS}, d.{{column}}, d.slot FROM ({{sql}}) d {{games}} ORDER BY {{order}}"
_PLACES: Final = "SELECT {alias}.{column}, {alias}.slot FROM {sql} ORDER BY {order} LIMIT %s"
_ROWS: Final = f"SELECT {GAME_COLUMNS}, g.{{column}}, g.slot FROM {{sql}}"
# SQLite never reorders a CROSS JOIN. Only readable games are counted: the number of others would decide on
# where pages end.
_OF_FORMATION: Final = """FROM archive_gameformation f
    CROSS JOIN archive_game g WHERE f.formation = %s AND g.slot = f.slot"""
_OF_UPLOAD: Final = """(SELECT DISTINCT g.played, g.slot FROM archive_entry e
    CROSS JOIN archive_game g WHERE e.upload_id = %s AND g.id = e.game_id) d"""
# Only readable games are in these lists: the number of others would decide on where pages end.
_OF_COLLECTION: Final = """(SELECT DISTINCT g.played, g.slot FROM archive_collectiongame c
    CROSS JOIN archive_game g WHERE c.collection_id {one_of} AND g.id = c.game_id AND {{sql}}) d"""
# A game in several parts has the first of its places.
_IN_ORDER: Final = """(SELECT min(s.place * {part} + c.position) AS position, g.played, g.slot
    FROM archive_collection s CROSS JOIN archive_collectiongame c CROSS JOIN archive_game g
    WHERE s.id {one_of} AND c.collection_id = s.id AND g.id = c.game_id AND {{sql}}
    GROUP BY g.played, g.slot) d"""
# SQLite uses a partial index only if its condition is part of the query.
_OF_RARER_GAME: Final = "d.kind = %s AND NOT (d.kind = 'shogi')"
# A game of a player against himself has two rows.
_ONCE: Final = Sql("(d.colour = 0 OR g.player0_id IS NULL OR g.player0_id <> d.player_id)")


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Where to read the games of a list."""

    scope: Scope
    source: Sql
    """A table or subquery d with the `columns`."""
    own: tuple[Sql, ...] = ()
    """Conditions on the rows d."""
    conditions: tuple[Sql, ...] = ()
    """Conditions on the joined games g."""
    columns: str = "d.played, d.slot"
    each: tuple[Sql, ...] = (Sql("TRUE"),)
    """For a name, which has a list of games in each space: one condition for each of these lists, which are
    read in their own orders."""
    rows: Sql | None = None
    """A query with at least as many rows as the list, which is faster to count."""
    most: int = 0
    """If `rows` has more rows, all games are scanned instead."""
    cached_plan: bool = True
    """False for a statement that is unlikely to be repeated."""
    days: tuple[int, int] | None = None
    """The first and the last day of the games, if filters limit them."""
    others: tuple[Sql, ...] = ()
    """Further sources of the same list; they share no game with `source`."""

    @property
    def has_all(self) -> bool:
        """Return whether the list has all games."""
        return self.source == _ALL_GAMES and not self.own

    @property
    def filters_games(self) -> bool:
        """Return whether the conditions can exclude games of the list."""
        return any(condition != _ONCE for condition in self.conditions)

    def matches(self) -> list[Sql]:
        """Return FROM and WHERE for the games of each list that meet all conditions."""
        return [self._games(source, (each, *self.own)) for source, each in self._lists()]

    def lists(self, condition: Sql) -> list[Sql]:
        """Return FROM and WHERE for the rows of each list, without the conditions on games."""
        return [source.where([each, *self.own, condition]) for source, each in self._lists()]

    def newest(self, limit: int) -> Sql:
        """Return SQL for the newest games of the lists, without the conditions on games."""
        pieces = [rows.embed(_NEWEST, limit, columns=self.columns) for rows in self.lists(_ANY_DAY)]
        return _first_of(pieces, "played DESC, slot DESC", limit)

    def among_newest(self, limit: int) -> Sql:
        """Return FROM and WHERE for those of the newest games that meet the conditions."""
        return self._games(self.newest(limit).embed("({sql}) d"))

    def among(self, selection: Sql) -> Sql:
        """Return FROM and WHERE for the games that meet all conditions and one more on rows d."""
        return self._games(self.source, (selection, *self.own))

    def fetch(self, sql: Sql) -> list[tuple[Any, ...]]:
        return engine().fetch_prepared(*sql, keep=self.cached_plan)

    def _lists(self) -> Iterator[tuple[Sql, Sql]]:
        return product((self.source, *self.others), self.each)

    def _games(self, source: Sql, own: Sequence[Sql] = ()) -> Sql:
        games = Sql(f"{source.text} {engine().GAMES}", source.values)
        return games.where([*own, *self.conditions, self.scope.condition("g")])


_ALL_GAMES: Final = Sql("archive_game d")

# True of all games, so that the index is searched from this day on, not scanned from its end.
_ANY_DAY: Final = Sql(f"d.played <= {date.max.toordinal()}")
_NEWEST: Final = "SELECT {columns} FROM {sql} ORDER BY d.played DESC, d.slot DESC LIMIT %s"


def _first_of(pieces: Sequence[Sql], order: str, limit: int) -> Sql:
    """Return SQL for the first rows of all pieces together. Each piece has its own first rows in this
    order."""
    if len(pieces) == 1:
        return pieces[0]
    rows = (piece.embed(f"SELECT * FROM ({{sql}}) p{number}") for number, piece in enumerate(pieces))
    return joined(rows, " UNION ALL ").embed("{sql} ORDER BY {order} LIMIT %s", limit, order=order)


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
    one that takes too long. Reads the player's or event's own list if the filters name one.
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
        query = _in_order_of_collection(scope, filters)
        return _Listing(query, query.matches(), "d")
    if column == "played" and (query.rows is None or _has_at_most(query.most, query)):
        return _Listing(query, query.matches(), "d")
    if column != "played" and not query.has_all and _has_at_most(SORTED_GAMES, query):
        return _Listing(query, [query.among_newest(SORTED_GAMES)], "g")
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
    return _first_of(pieces, phase.order, count)


def _game_row(row: Sequence[Any]) -> GameRow:
    columns = by_name(row, "at", "slot")
    place = PageEnd(columns.pop("at"), columns.pop("slot"))
    return GameRow(**columns, place=place)


def query_of(scope: Scope, filters: GameFilters) -> ListQuery | None:
    """Return the query for the filters; None if a filter has an unknown name. Raises QueryError for an
    invalid `q`."""
    filters.check("games")
    filters, compiled = _split_query(scope, filters)
    ids, partial_names = _ids(scope, filters)
    if () in ids.values():
        return None
    exact = {name: None if name in partial_names else found for name, found in ids.items()}
    players = () if filters.me is None else own_players(scope)
    if filters.me is not None and not players:
        return None
    query, driver = _shortest_list(scope, exact, filters.game, filters.formation)
    if players and filters.me is not None and driver != "ids":
        query, driver = ListQuery(scope, own_games(players, filters.me).embed("({sql}) d")), "me"
    few = compiled.few or (_few_of_names(ids, partial_names) if query.has_all else None)
    if few is not None:
        query, driver = ListQuery(scope, few), None
    elif compiled.keys and query.has_all and not engine().REMOTE_INDEX:
        query = _games_reaching(scope, compiled.keys)
    in_use = _filters_in_use(filters)
    days = [_condition(scope, filter_, filters, ids, "d") for filter_ in in_use if filter_.attribute in _DAYS]
    # As a second condition on the games, the driver would make planners expect far fewer of them.
    others = [filter_ for filter_ in in_use if filter_.attribute not in (*_DAYS, driver)]
    return replace(
        query,
        own=(*query.own, *days),
        conditions=(
            *query.conditions,
            *(_condition(scope, filter_, filters, ids) for filter_ in others),
            *compiled.conditions,
        ),
        cached_plan=not (compiled.conditions or partial_names),
        days=filters.days(),
    )


def _games_reaching(scope: Scope, keys: tuple[int, ...]) -> ListQuery:
    source, *others = (Sql(f"{table} d") for table in engine().TABLES)
    main = Sql(f"(d.flags & {FORK}) = 0")
    return ListQuery(scope, source, (main,), each=_each("d.key", keys), others=tuple(others))


def _split_query(
    scope: Scope, filters: GameFilters, *, driven: bool = True
) -> tuple[GameFilters, CompiledQuery]:
    """Split off `q`: turn its terms into plain filters where these are unset, compile the rest to a
    condition."""
    if filters.q is None:
        return filters, CompiledQuery()
    rest = replace(filters, q=None)
    used = {filter_.attribute for filter_ in _filters_in_use(rest)}
    compiled = compile_query(scope, parse(filters.q), used, driven=driven)
    return replace(rest, **compiled.filters), compiled


_DAYS: Final = ("since", "until")
_LENGTHS: Final = ("min_plies", "max_plies")


def over_all_games(scope: Scope, filters: GameFilters, column: Column) -> ListQuery:
    """Return a query for the same games that scans all games in the order of a column."""
    filters, compiled = _split_query(scope, filters, driven=False)
    ids, partial_names = _ids(scope, filters)
    in_use = _filters_in_use(filters)
    own = [filter_ for filter_ in in_use if column == "plies" and filter_.attribute in _LENGTHS]
    return ListQuery(
        scope,
        _ALL_GAMES,
        tuple(_condition(scope, filter_, filters, ids, "d") for filter_ in own),
        (
            *(_condition(scope, filter_, filters, ids) for filter_ in in_use if filter_ not in own),
            *compiled.conditions,
        ),
        each=_each("d.space", scope.spaces),
        cached_plan=not (compiled.conditions or partial_names),
        days=filters.days(),
    )


def _in_order_of_collection(scope: Scope, filters: GameFilters) -> ListQuery:
    """Return a query for the same games in the order of their collection. Raises ValueError if the filters
    name none."""
    collections = ids_of_collection(scope, filters.collection)
    if not collections:
        raise ValueError("order=collection is for the games of a collection")
    source = games_in_order(scope, collections)
    query = over_all_games(scope, replace(filters, collection=None), "position")
    return replace(query, source=source, each=(Sql("TRUE"),))


def games_in_order(scope: Scope, collections: tuple[int, ...]) -> Sql:
    """Return the readable games of collections as the source d of a query, with their positions in the order
    of the parts."""
    return _collected(scope, _IN_ORDER, collections)


def _collected(scope: Scope, template: str, collections: tuple[int, ...]) -> Sql:
    """Return the readable games of collections as the source d of a query."""
    readable, part = scope.condition("g"), CollectionGame.PART
    text = template.format(one_of=one_of(collections), part=part).format(sql=readable.text)
    return Sql(text, (*collections, *readable.values))


def _filters_in_use(filters: GameFilters) -> list[Filter]:
    return [filter_ for filter_ in FILTERS if filters.value_of(filter_) is not None]


def _condition(
    scope: Scope, filter_: Filter, filters: GameFilters, ids: Mapping[str, Ids], alias: str = "g"
) -> Sql:
    if filter_.own:
        return own_condition(scope, filter_.attribute, filters.value_of(filter_), filters.me, alias)
    values = ids.get(filter_.attribute) or (filter_.to_stored(filters.value_of(filter_)),)
    return filter_.condition(scope, values, alias)


def _ids(scope: Scope, filters: GameFilters) -> tuple[dict[str, Ids], list[str]]:
    """Return the ids for each filter by name, for the upload and the collection, and of chosen games, and the
    filters whose text matched names only in part."""
    ids: dict[str, Ids] = {
        name: ids_of(scope, getattr(filters, name)) for name, ids_of in IDS_BY_NUMBER.items()
    }
    ids["ids"] = None if filters.ids is None else tuple(map(int, filters.ids.split(",")))
    partial_names = []
    for filter_ in FILTERS:
        if filter_.name_kind:
            text = filters.value_of(filter_)
            match = None if text is None else match_name(scope, filter_.name_kind, text)
            ids[filter_.attribute] = match.ids if match else None
            partial_names += [filter_.attribute] if match and match.part else []
    return ids, partial_names


def _few_of_names(ids: Mapping[str, Ids], partial_names: Sequence[str]) -> Sql | None:
    """Return the games of partly matched names as the source d of a query; None if there are no such names or
    many games."""
    kinds = (
        (filter_.name_kind, ids[filter_.attribute])
        for filter_ in FILTERS
        if filter_.name_kind and filter_.attribute in partial_names
    )
    return next((few for kind, pks in kinds if pks and (few := few_games_of(kind, pks))), None)


def _each(column: str, ids: tuple[int, ...]) -> tuple[Sql, ...]:
    """Return one condition for each id. With spaces, games that the visitor may not read take no part in a
    page, which would reveal them."""
    return tuple(Sql(f"{column} = %s", (pk,)) for pk in ids)


def _shortest_list(
    scope: Scope, ids: Mapping[str, Ids], game: str | None, formation: str | None
) -> tuple[ListQuery, str | None]:
    """Return the shortest list and its filter: that of ids, a player, an event, a collection, an upload, a
    formation or a rarer kind of game; else the list of all games, which has no filter."""
    if (pks := ids["ids"]) is not None:
        chosen = Sql(f"d.id {one_of(pks)}", pks)
        return ListQuery(scope, _ALL_GAMES, (chosen,), each=_each("+d.space", scope.spaces)), "ids"
    if (player := ids["player"]) is not None:
        each = _each("d.player_id", player)
        columns = "d.played, d.slot, d.player_id, d.colour"
        return ListQuery(scope, Sql("archive_gameplayer d"), (), (_ONCE,), columns, each), "player"
    for colour, side in enumerate(("black", "white")):
        if (player := ids[side]) is not None:
            each, own = _each("d.player_id", player), (Sql(f"d.colour = {colour}"),)
            return ListQuery(scope, Sql("archive_gameplayer d"), own, each=each), side
    if (event := ids["event"]) is not None:
        return ListQuery(scope, Sql("archive_gameevent d"), each=_each("d.event_id", event)), "event"
    if (collections := ids["collection"]) is not None:
        return ListQuery(scope, _collected(scope, _OF_COLLECTION, collections)), "collection"
    if (upload := ids["upload"]) is not None:
        entries = Sql("SELECT 1 FROM archive_entry e WHERE e.upload_id = %s", upload)
        return ListQuery(scope, Sql(_OF_UPLOAD, upload), rows=entries, most=LARGE_UPLOAD), "upload"
    if formation is not None:
        of_formation = Sql(_OF_FORMATION, (BY_NAME[formation].number,))
        games = joined([of_formation, scope.condition("g")], " AND ")
        source = games.embed("(SELECT DISTINCT g.played, g.slot {sql}) d")
        return ListQuery(scope, source, rows=games.embed("SELECT 1 {sql}"), most=SORTED_GAMES), "formation"
    if game not in (None, SHOGI.name):
        # The sign keeps SQLite, which has no statistics, from scanning all games of a space.
        each = _each("+d.space", scope.spaces)
        return ListQuery(scope, Sql("archive_game d"), (Sql(_OF_RARER_GAME, (game,)),), each=each), "game"
    return ListQuery(scope, _ALL_GAMES, each=_each("d.space", scope.spaces)), None
