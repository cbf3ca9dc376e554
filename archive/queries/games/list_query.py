"""The query of a list of games: the table or list it reads, chosen by its filters, and its conditions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import Any, Final

from archive.index.engine import engine
from archive.index.schema import FORK
from archive.models import CollectionGame
from archive.queries.games.filters import FILTERS, Filter, GameFilters
from archive.queries.games.keyset import Column
from archive.queries.names.ids_of_names import IDS_BY_NUMBER, Ids, ids_of_collection
from archive.queries.names.name_matching import match_name
from archive.queries.names.own_names import own_condition, own_games, own_players
from archive.queries.scope import Scope
from archive.queries.search.compiling import CompiledQuery, compile_query
from archive.queries.search.parsing import parse
from archive.queries.search.words import few_games_of
from archive.queries.sql import Sql, first_of, joined, one_of
from kifu_core.games import SHOGI
from kifu_core.shogi.formations import BY_NAME

SORTED_GAMES: Final = 5_000
"""A list with at most so many games is read and sorted: about 20 ms on either engine. For a longer one, all
games are scanned in their order."""

LARGE_UPLOAD: Final = 50_000
"""For an upload with more entries all games are scanned, also by day: uploads have no index by day, and to
sort a million games took four seconds."""

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
        return first_of(pieces, "played DESC, slot DESC", limit)

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


def in_order_of_collection(scope: Scope, filters: GameFilters) -> ListQuery:
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
    """Return the shortest list and its filter: that of ids, a name, a collection, an upload, a
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
    for kind in ("event", "place"):
        if (pks := ids[kind]) is not None:
            return ListQuery(scope, Sql(f"archive_game{kind} d"), each=_each(f"d.{kind}_id", pks)), kind
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
