"""Filters on the games through a position, as SQL.

The rows of a key can be read in three ways. The first reads every row and checks its game by one lookup for
each condition. If a filter has a name or an upload, the second reads the list of their games
and looks up each game under the key; the third loads that list's slots and compares each row with them. All
three read in the order of day and slot, so that all can be paged; the cheapest is used.

Conditions are scalar subqueries, which no planner turns into a join of large tables: they cost one lookup for
each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from archive.index.engine import engine
from archive.models import LABELS, NameKind
from archive.queries.games.filters import FILTERS, GameFilters
from archive.queries.names.ids_of_names import Ids, ids_of_collection, ids_of_name, ids_of_upload
from archive.queries.names.own_names import EITHER, OwnPlayer, has_own_side, own_games, own_players
from archive.queries.positions.position_query import PositionKeys
from archive.queries.positions.reading_plan import ReadingPlan
from archive.queries.scope import Scope
from archive.queries.sql import Sql, one_of
from kifu_core.shogi.formations import BY_NAME


class Driver(NamedTuple):
    """A list of games that can drive a query."""

    source: Sql
    """An item of FROM, named l, with the columns played and slot."""
    conditions: tuple[Sql, ...]
    length: Sql
    """Selects as many rows as the list has, or a few more."""
    slots: Sql
    """Selects the slots of the list, with duplicates."""
    probe: Sql
    """The condition that the game of the row d is in the list."""


@dataclass(frozen=True, slots=True)
class ResolvedFilters:
    """Filters with the ids of their names in a scope."""

    scope: Scope
    filters: GameFilters
    players: tuple[Ids, Ids, Ids]
    """The ids for `player`, `black` and `white`, as sides of the queried board."""
    labels: Mapping[NameKind, Ids]
    """The ids for `event` and `place`."""
    collections: Ids = None
    """A collection and its parts."""
    own: tuple[OwnPlayer, ...] = ()
    """The own players, for `me`."""

    @property
    def probing(self) -> bool:
        """Return whether the filters need a lookup of each row's game."""
        return bool(self._probes(0, ReadingPlan()))

    def on(self, day: int | None) -> ResolvedFilters:
        """Return the same filters for one day; unchanged for None."""
        if day is None:
            return self
        date_ = date.fromordinal(day)
        return replace(self, filters=replace(self.filters, since=date_, until=date_))

    def between(self, alias: str) -> Sql:
        """Return the condition on the day; TRUE without a filter on days."""
        days = self.filters.days()
        return Sql("TRUE") if days is None else Sql(f"{alias}.played BETWEEN %s AND %s", days)

    def probes(self, query: PositionKeys, key: int, plan: ReadingPlan) -> list[Sql]:
        """Return the conditions on the games of a key's rows d, one lookup each, without those of the
        plan's own list. With `ratings_at_once` all ratings are loaded up front: cheaper for very common
        positions."""
        return self._probes(int(query.turned(key)), plan)

    def _probes(self, turned: int, plan: ReadingPlan) -> list[Sql]:
        lists = enumerate(self._lists(turned))
        probes = [driver.probe for number, driver in lists if number not in (plan.at_hand, plan.driver)]
        for filter_ in FILTERS:
            if filter_.position_sql and (value := self.filters.value_of(filter_)) is not None:
                at_once = plan.ratings_at_once and filter_.attribute == "min_rating"
                probes.append(
                    Sql(_RATED_SLOTS if at_once else filter_.position_sql, (filter_.to_stored(value),))
                )
        return probes

    def result_of(self, query: PositionKeys, key: int) -> Sql:
        """Return the condition on a row's result."""
        if self.filters.result is None:
            return Sql("TRUE")
        return Sql("d.result = %s", (query.seen(self.filters.result, key),))

    def drivers(self, query: PositionKeys, key: int) -> Iterator[Driver]:
        """Yield the lists that can drive the query, in the same order for every key."""
        return self._lists(int(query.turned(key)))

    def _lists(self, turned: int) -> Iterator[Driver]:
        either, black, white = self.players
        if either is not None:
            of_player = Sql(f"l.player_id {one_of(either)}", either)
            probe = Sql(f"(SELECT count(*) {_SEAT} AND p.player_id + 0 {one_of(either)}) > 0", either)
            yield self._table("archive_gameplayer l", probe, of_player, Sql(_ONCE))
        for player, colour in ((black, turned), (white, 1 - turned)):
            if player is not None:
                of_player = Sql(f"l.player_id {one_of(player)} AND l.colour = {colour}", player)
                probe = Sql(f"(SELECT p.player_id {_SEAT} AND p.colour = {colour}) {one_of(player)}", player)
                yield self._table("archive_gameplayer l", probe, of_player)
        for kind, ids in self.labels.items():
            if ids is not None:
                of_label = Sql(f"l.{kind}_id {one_of(ids)}", ids)
                probe = Sql(f"{_LABEL.format(kind=kind)} {one_of(ids)}", ids)
                yield self._table(f"archive_game{kind} l", probe, of_label)
        if self.collections is not None:
            which, readable = one_of(self.collections), self.scope.condition("g")
            text = _COLLECTED.format(one_of=which, readable=readable.text)
            collected = Sql(text, (*self.collections, *readable.values))
            games = collected.embed("(SELECT DISTINCT g.played, g.slot {sql}) l")
            probe = Sql(_IN_COLLECTION.format(one_of=which), self.collections)
            slots = collected.embed("SELECT g.slot {sql}")
            yield Driver(games, (), slots, slots, probe)
        if (side := self.filters.me) is not None:
            side = side if side == EITHER else side ^ turned
            games = own_games(self.own, side)
            slots = games.embed("SELECT l.slot FROM ({sql}) l")
            yield Driver(games.embed("({sql}) l"), (), slots, slots, has_own_side(self.own, side, "d"))
        if (upload := self.filters.upload) is not None:
            games, probe = Sql(_OF_UPLOAD, (upload,)), Sql(_IN_UPLOAD, (upload,))
            yield Driver(games, (), Sql(_ENTRIES, (upload,)), games.embed(_SLOTS), probe)
        if (formation := self.filters.formation) is not None:
            number, readable = (BY_NAME[formation].number,), self.scope.condition("g")
            rows = Sql(f"{_OF_FORMATION} AND {readable.text}", (*number, *readable.values))
            slots = rows.embed("SELECT f.slot {sql}")
            games = rows.embed("(SELECT DISTINCT g.played, g.slot {sql}) l")
            yield Driver(games, (), slots, slots, Sql(_HAS_FORMATION, number))

    def _table(self, table: str, probe: Sql, mine: Sql, *conditions: Sql) -> Driver:
        """Return a list that is a table, in the order of its index."""
        slots = Sql(table).where([mine, self.between("l")]).embed(_SLOTS)
        return Driver(Sql(table), (mine, *conditions), slots, slots, probe)


def is_in_slots(slots: Sql) -> Sql:
    """Return the condition that the slot of row d is one of these."""
    return slots.embed(_IS_IN_SLOTS)


_SLOTS: Final = "SELECT l.slot FROM {sql}"
# A sum has no index, so the row's game is looked up, not all games of the player or upload for each row.
_SEAT: Final = "FROM archive_gameplayer p WHERE p.slot = d.slot"
# Inside CASE, PostgreSQL makes a hash table of the slots; otherwise it would join.
_IS_IN_SLOTS: Final = "CASE WHEN d.slot IN ({sql}) THEN 1 ELSE 0 END = 1"
_RATED_SLOTS: Final = _IS_IN_SLOTS.format(
    sql="SELECT p.slot FROM archive_gameplayer p WHERE p.rating >= %s GROUP BY p.slot HAVING count(*) = 2"
)
_LABEL: Final = "(SELECT e.{kind}_id FROM archive_game{kind} e WHERE e.slot = d.slot)"
_IN_UPLOAD: Final = """(SELECT count(*) FROM archive_game g JOIN archive_entry e ON e.game_id = g.id
    WHERE g.slot = d.slot AND e.upload_id + 0 = %s) > 0"""
# A game of a player against himself has two rows.
_ONCE: Final = """(l.colour = 0 OR coalesce((SELECT p.player_id FROM archive_gameplayer p
    WHERE p.slot = l.slot AND p.colour = 0), 0) <> l.player_id)"""
# SQLite never reorders a CROSS JOIN.
_OF_UPLOAD: Final = """(SELECT DISTINCT g.played, g.slot FROM archive_entry e
    CROSS JOIN archive_game g WHERE e.upload_id = %s AND g.id = e.game_id) l"""
_IN_COLLECTION: Final = """(SELECT count(*) FROM archive_game g
    JOIN archive_collectiongame c ON c.game_id = g.id
    WHERE g.slot = d.slot AND c.collection_id + 0 {one_of}) > 0"""
# Only readable games, as for formations.
_COLLECTED: Final = """FROM archive_collectiongame c CROSS JOIN archive_game g
    WHERE c.collection_id {one_of} AND g.id = c.game_id AND {readable}"""
# Both sides may have it. Only readable games are listed: the number of others would decide on the plan and on
# where a page ends.
_OF_FORMATION: Final = """FROM archive_gameformation f
    CROSS JOIN archive_game g WHERE f.formation = %s AND g.slot = f.slot"""
_HAS_FORMATION: Final = """(SELECT count(*) FROM archive_gameformation f
    WHERE f.slot = d.slot AND f.formation + 0 = %s) > 0"""
_ENTRIES: Final = "SELECT 1 FROM archive_entry WHERE upload_id = %s"


class SpaceQuery(NamedTuple):
    """A position query on one space, its filters with that space's ids of names, and the plan to read it."""

    query: PositionKeys
    resolved: ResolvedFilters
    plan: ReadingPlan = ReadingPlan()


def space_queries(scope: Scope, query: PositionKeys, filters: GameFilters) -> list[SpaceQuery]:
    """Return one query for each space of a scope, without the spaces that lack a name of the filters.

    Games of a space are under its own keys and in its own lists. So each space has its own cheapest plan.
    """
    collections = ids_of_collection(scope, filters.collection)
    if collections == ():
        return []
    by_space = zip(query.of_each_space(), scope.spaces, strict=True)
    resolved = (
        (one, resolve_filters(Scope((space,), account=scope.account), filters, collections))
        for one, space in by_space
    )
    return [SpaceQuery(one, its_filters) for one, its_filters in resolved if its_filters is not None]


def resolve_filters(scope: Scope, filters: GameFilters, collections: Ids = None) -> ResolvedFilters | None:
    """Return filters with the ids of their names; None if the scope lacks one of the names. `collections` are
    the ids of their collection, which has games of several spaces."""
    filters.check("positions")
    players = [ids_of_name(scope, "player", name) for name in (filters.player, filters.black, filters.white)]
    labels: dict[NameKind, Ids] = {kind: ids_of_name(scope, kind, getattr(filters, kind)) for kind in LABELS}
    own = None if filters.me is None else own_players(scope)
    if () in (*players, *labels.values(), own, ids_of_upload(scope, filters.upload)):
        return None
    return ResolvedFilters(
        scope, filters, (players[0], players[1], players[2]), labels, collections, own or ()
    )


def shortest_driver(resolved: ResolvedFilters, query: PositionKeys, limit: int) -> tuple[int, int] | None:
    """Return the number and the length of the shortest list that can drive, if its length is below `limit`.
    Reads at most `limit` entries of each list."""
    best: tuple[int, int] | None = None
    for number, driver in enumerate(resolved.drivers(query, query.keys[0])):
        count = driver.length.embed("SELECT count(*) FROM ({sql} LIMIT %s) x", limit)
        ((length,),) = engine().fetch_prepared(*count)
        if length < limit:
            best, limit = (number, length), length
    return best
