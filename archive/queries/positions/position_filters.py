"""Filters on the games through a position, as SQL.

There are three ways to look at the rows of a key. Each row is looked at and its game checked by one probe per
condition. Or, where a filter names a player, an event or an upload, the list of their games is read first:
then it drives and each game is looked up under the key, or its slots are kept at hand and each row is looked
up among them. All read in the order of day and slot, so pages work on all; the shortest is taken.

Conditions are scalar subqueries, which no planner turns into a join over whole tables: their cost is a probe
for each row read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from archive.index.engine import engine
from archive.queries.games.filters import FILTERS, GameFilters
from archive.queries.names.ids_of_names import Ids, listed_upload, named
from archive.queries.positions.position_query import Asked
from archive.queries.positions.reading_plan import ReadingPlan
from archive.queries.scope import Scope
from archive.queries.sql import Sql, conjunction, one_of
from kifu_core.shogi.formations import BY_NAME


class Driver(NamedTuple):
    """A list of games: `source` has columns played and slot under the alias l; `length` selects as many rows
    as it has, or a few more; `slots` its slots, perhaps one twice. `probe` asks it of the game of row d."""

    source: Sql
    conditions: tuple[Sql, ...]
    length: Sql
    slots: Sql
    probe: Sql


@dataclass(frozen=True, slots=True)
class Resolved:
    """Filters with names looked up in a scope."""

    scope: Scope
    filters: GameFilters
    players: tuple[Ids, Ids, Ids]
    """Either side, the asker's Black, the asker's White."""
    event: Ids

    @property
    def probing(self) -> bool:
        """Tell whether each row's game has to be looked at."""
        return bool(self._probes(0, ReadingPlan()))

    def on(self, day: int | None) -> Resolved:
        """Return the same filters for one day; for all days asked for where it is None."""
        if day is None:
            return self
        only = date.fromordinal(day)
        return replace(self, filters=replace(self.filters, since=only, until=only))

    def between(self, alias: str) -> Sql:
        """Return the condition on the day, which is true for all where no day is asked for."""
        days = self.filters.days()
        return Sql("TRUE") if days is None else Sql(f"{alias}.played BETWEEN %s AND %s", days)

    def probes(self, asked: Asked, key: int, reading: ReadingPlan) -> list[Sql]:
        """Return the conditions on the games of rows d under a key, one probe each, but for that of the list
        by which they were found. Where it reads ratings at once, all of the archive are, which is less for
        a position that most games reach."""
        return self._probes(int(asked.turned(key)), reading)

    def _probes(self, turned: int, reading: ReadingPlan) -> list[Sql]:
        lists = enumerate(self._lists(turned))
        found = [driver.probe for number, driver in lists if number not in (reading.at_hand, reading.driver)]
        for one in FILTERS:
            if one.positions and (value := self.filters.asked(one)) is not None:
                at_once = reading.ratings_at_once and one.attribute == "min_rating"
                found.append(Sql(_RATED_SLOTS if at_once else one.positions, (one.stored(value),)))
        return found

    def result_of(self, asked: Asked, key: int) -> Sql:
        """Return the condition on a row's result."""
        if self.filters.result is None:
            return Sql("TRUE")
        return Sql("d.result = %s", (asked.seen(self.filters.result, key),))

    def drivers(self, asked: Asked, key: int) -> Iterator[Driver]:
        """Return the lists that could be read first, in the same order for every key."""
        return self._lists(int(asked.turned(key)))

    def _lists(self, turned: int) -> Iterator[Driver]:
        either, black, white = self.players
        if either is not None:
            mine = Sql(f"l.player_id {one_of(either)}", either)
            probe = Sql(f"(SELECT count(*) {_SEAT} AND p.player_id + 0 {one_of(either)}) > 0", either)
            yield self._listed("archive_gameplayer l", probe, mine, Sql(_ONCE))
        for player, colour in ((black, turned), (white, 1 - turned)):
            if player is not None:
                mine = Sql(f"l.player_id {one_of(player)} AND l.colour = {colour}", player)
                probe = Sql(f"(SELECT p.player_id {_SEAT} AND p.colour = {colour}) {one_of(player)}", player)
                yield self._listed("archive_gameplayer l", probe, mine)
        if self.event is not None:
            mine = Sql(f"l.event_id {one_of(self.event)}", self.event)
            probe = Sql(f"{_EVENT} {one_of(self.event)}", self.event)
            yield self._listed("archive_gameevent l", probe, mine)
        if (upload := self.filters.upload) is not None:
            games, probe = Sql(_UPLOADED, (upload,)), Sql(_UPLOAD, (upload,))
            slots = Sql(f"SELECT l.slot FROM {games.text}", games.values)
            yield Driver(games, (), Sql(_ENTRIES, (upload,)), slots, probe)
        if (formation := self.filters.formation) is not None:
            number, readable = (BY_NAME[formation].number,), self.scope.condition("g")
            values = (*number, *readable.values)
            games = Sql(_HAVING.format(readable=readable.text), values)
            slots = Sql(_FORMED_SLOTS.format(readable=readable.text), values)
            yield Driver(games, (), slots, slots, Sql(_FORMED, number))

    def _listed(self, table: str, probe: Sql, mine: Sql, *conditions: Sql) -> Driver:
        """Return a list that is a table of its own, in the order of the index."""
        counted = conjunction([mine, self.between("l")])
        slots = Sql(f"SELECT l.slot FROM {table} WHERE {counted.text}", counted.values)
        return Driver(Sql(table), (mine, *conditions), slots, slots, probe)


def at_hand(slots: Sql) -> Sql:
    """Return the condition that a row's game is one of these."""
    return Sql(_AT_HAND.format(slots=slots.text), slots.values)


# A sum is not a column, so the game is looked up, and not all games of the player or upload each time.
_SEAT: Final = "FROM archive_gameplayer p WHERE p.slot = d.slot"
# Inside CASE, PostgreSQL keeps a table of the slots that it looks into; otherwise it would join.
_AT_HAND: Final = "CASE WHEN d.slot IN ({slots}) THEN 1 ELSE 0 END = 1"
_RATED_SLOTS: Final = _AT_HAND.format(
    slots="SELECT p.slot FROM archive_gameplayer p WHERE p.rating >= %s GROUP BY p.slot HAVING count(*) = 2"
)
_EVENT: Final = "(SELECT e.event_id FROM archive_gameevent e WHERE e.slot = d.slot)"
_UPLOAD: Final = """(SELECT count(*) FROM archive_game g JOIN archive_entry e ON e.game_id = g.id
    WHERE g.slot = d.slot AND e.upload_id + 0 = %s) > 0"""
# Who plays himself has two rows for one game.
_ONCE: Final = """(l.colour = 0 OR coalesce((SELECT p.player_id FROM archive_gameplayer p
    WHERE p.slot = l.slot AND p.colour = 0), 0) <> l.player_id)"""
# To SQLite a CROSS JOIN says which table to read first.
_UPLOADED: Final = """(SELECT DISTINCT g.played, g.slot FROM archive_entry e
    CROSS JOIN archive_game g WHERE e.upload_id = %s AND g.id = e.game_id) l"""
# Both sides may have it. Games of other spaces are in no position asked for, but how many they are would show
# in which way is taken and where a page ends.
_HAVING: Final = """(SELECT DISTINCT g.played, g.slot FROM archive_gameformation f
    CROSS JOIN archive_game g WHERE f.formation = %s AND g.slot = f.slot AND {readable}) l"""
_FORMED_SLOTS: Final = """SELECT f.slot FROM archive_gameformation f
    CROSS JOIN archive_game g WHERE f.formation = %s AND g.slot = f.slot AND {readable}"""
_FORMED: Final = """(SELECT count(*) FROM archive_gameformation f
    WHERE f.slot = d.slot AND f.formation + 0 = %s) > 0"""
_ENTRIES: Final = "SELECT 1 FROM archive_entry WHERE upload_id = %s"


class Part(NamedTuple):
    """What is asked about one space: under its keys, with the names of its filters looked up there. `reading`
    is the way to its games."""

    asked: Asked
    resolved: Resolved
    reading: ReadingPlan = ReadingPlan()


def parts_of(scope: Scope, asked: Asked, filters: GameFilters) -> list[Part]:
    """Return what is asked about each space of a scope; nothing about those in which a name is not known.

    Games of one space are under its keys and in its lists only. So each is asked about its own lists, and the
    shortest way to its games does not depend on the others.
    """
    alone = zip(asked.of_each_space(), scope.spaces, strict=True)
    found = ((one, resolve(Scope((space,)), filters)) for one, space in alone)
    return [Part(one, resolved) for one, resolved in found if resolved is not None]


def resolve(scope: Scope, filters: GameFilters) -> Resolved | None:
    """Return filters with their names looked up; None where one is asked for that nobody has."""
    filters.check("positions")
    players = [named(scope, "player", name) for name in (filters.player, filters.black, filters.white)]
    event = named(scope, "event", filters.event)
    if () in (*players, event, listed_upload(scope, filters.upload)):
        return None
    return Resolved(scope, filters, (players[0], players[1], players[2]), event)


def shortest(resolved: Resolved, asked: Asked, limit: int) -> tuple[int, int] | None:
    """Return the number and the length of the shortest list that could drive, if its length is below `limit`.

    Reads no more than `limit` entries of each list.
    """
    best: tuple[int, int] | None = None
    for number, driver in enumerate(resolved.drivers(asked, asked.keys[0])):
        sql = f"SELECT count(*) FROM ({driver.length.text} LIMIT %s) x"
        ((length,),) = engine().fetch_prepared(sql, [*driver.length.values, limit])
        if length < limit:
            best, limit = (number, length), length
    return best
