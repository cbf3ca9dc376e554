"""Facets of a list of games: its players, events, years and so on, each with its number of games.

Facets count the newest `LOOKED_AT` games of the list that a search reads (a player's, an event's, an
upload's, or all games), so that their cost does not grow with the archive; `Facets.sampled` says that the
list has more. For all records, or all of a kind, an archive of up to `EXACT_GAMES` games uses its statistics.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from django.db.models import QuerySet

from archive.caching.values import COUNTED, cached
from archive.index.engine import engine
from archive.models import Event, Player, Upload
from archive.project.reading import connection
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import ListQuery, query_of
from archive.queries.games.records_by_kind import CACHE_SECONDS as CACHE_SECONDS_OF_ALL
from archive.queries.games.records_by_kind import records_by_kind, summed
from archive.queries.games.statistics import counts
from archive.queries.names.people import years_of
from archive.queries.patterns.formation_counts import formation_counts
from archive.queries.scope import Scope
from archive.queries.search.patience import time_limited
from archive.queries.sql import Sql, conjunction
from kifu_core.games import SHOGI
from kifu_core.shogi.formations import BY_NUMBER

_Kind = Literal["player", "event"]

LOOKED_AT: Final = COUNTED
"""Games that are counted at most."""

LISTED: Final = 8
"""Values of each kind that are named."""

EXACT_GAMES: Final = 100_000
"""Games of an archive whose names are counted whole, every ten minutes: about a second on a busy machine."""

CACHE_SECONDS: Final = 60
"""How long the answer to a search that had to be cut is used."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The most frequent values among the games that a search finds, with their numbers of games.

    `players`, `events` and `sources` (uploads) are id, name, number; the name of an upload may be empty.
    `formations` are castles and openings by their names for programs; `years` begin with the latest. `games`
    is how many were found, and if `sampled`, among the newest `LOOKED_AT` of the list only. `kinds` are those
    of records, `boards` those of games (shogi, ...). If they are not `exact`, the list has at least so many
    games.
    """

    games: int = 0
    sampled: bool = False
    players: tuple[tuple[int, str, int], ...] = ()
    events: tuple[tuple[int, str, int], ...] = ()
    years: tuple[tuple[int, int], ...] = ()
    results: tuple[tuple[int, int], ...] = ()
    handicaps: tuple[tuple[str, int], ...] = ()
    endings: tuple[tuple[str, int], ...] = ()
    openings: tuple[tuple[str, int], ...] = ()
    formations: tuple[tuple[str, int], ...] = ()
    kinds: tuple[tuple[str, int], ...] = ()
    boards: tuple[tuple[str, int], ...] = ()
    sources: tuple[tuple[int, str, int], ...] = ()
    exact: bool = True


_FOUND: Final = """
    SELECT g.id, g.slot, g.player0_id, g.player1_id, g.event_id, g.played, g.result, g.handicap, g.special,
        g.opening, g.record_kind, g.kind
    FROM {found}
"""
_LENGTH: Final = "SELECT count(*) FROM ({read}) x"


def facets(scope: Scope, filters: GameFilters | None = None) -> Facets:
    """Count the games that match the filters, and their most frequent values."""
    filters = filters or GameFilters()
    with time_limited(filters):
        query = query_of(scope, filters)
    if query is None:
        return Facets()
    if _is_by_kind(filters) and LOOKED_AT < counts(scope).games <= EXACT_GAMES:
        return _of_all_records(scope, filters)
    return cached(
        f"facets {scope} {filters}",
        lambda: _count_patiently(query, filters),
        lambda found: CACHE_SECONDS if found.sampled else 0,
    ).value


def _is_by_kind(filters: GameFilters) -> bool:
    """Tell whether the filters select all records, or all of a kind."""
    return filters == GameFilters(game=filters.game, record_kind=filters.record_kind)


def _of_all_records(scope: Scope, filters: GameFilters) -> Facets:
    """Return the facets of all records, or of all of a kind."""
    records = records_by_kind(scope)
    chosen = {
        kinds: found
        for kinds, found in records.value.items()
        if filters.game in (None, kinds[0]) and filters.record_kind in (None, kinds[1])
    }
    found, names = summed(chosen.values()), _names(scope, filters)
    boards, kinds = (Counter[str](), Counter[str]())
    for (board, kind), one in chosen.items():
        boards[board] += one.games
        kinds[kind] += one.games
    return replace(
        names,
        games=found.games,
        years=tuple(sorted(found.years.most_common(LISTED), reverse=True)),
        results=tuple(found.results.most_common(LISTED)),
        handicaps=tuple(found.handicaps.most_common(LISTED)),
        endings=tuple(found.endings.most_common(LISTED)),
        openings=tuple(found.openings.most_common(LISTED)),
        formations=_most_formations(scope, filters),
        kinds=tuple(kinds.most_common(LISTED)),
        boards=tuple(boards.most_common(LISTED)),
        exact=records.exact,
    )


_SEATS: Final = """
    SELECT {one}, count(*) FROM (
        SELECT g.player0_id AS player FROM archive_game g WHERE g.player0_id IS NOT NULL AND {asked}
        UNION ALL
        SELECT g.player1_id FROM archive_game g WHERE g.player1_id IS NOT NULL
        AND (g.player0_id IS NULL OR g.player0_id <> g.player1_id) AND {asked}
    ) s {names} GROUP BY {together} ORDER BY count(*) DESC, {one} LIMIT %s
"""
_EVENTS: Final = """
    SELECT {one}, count(*) FROM archive_game g {names} WHERE g.event_id IS NOT NULL AND {asked}
    GROUP BY {together} ORDER BY count(*) DESC, {one} LIMIT %s
"""
_UPLOADS: Final = """
    SELECT e.upload_id, count(DISTINCT e.game_id) FROM archive_entry e JOIN archive_game g ON g.id = e.game_id
    WHERE {asked} AND NOT EXISTS (
        SELECT 1 FROM archive_upload u WHERE u.id = e.upload_id AND u.state = 'deleting'
    ) GROUP BY e.upload_id ORDER BY count(DISTINCT e.game_id) DESC, e.upload_id LIMIT %s
"""


def _names(scope: Scope, filters: GameFilters) -> Facets:
    """Return the players, events and uploads of all records, or of all of a kind, kept like other numbers."""
    asked = conjunction(
        [
            scope.condition("g"),
            *([Sql("g.kind = %s", (filters.game,))] if filters.game else []),
            *([Sql("g.record_kind = %s", (filters.record_kind,))] if filters.record_kind else []),
        ]
    )
    return cached(
        f"names {asked}",
        lambda: Facets(
            players=_named(Player.objects.all(), _most_of(_by_name(scope, _SEATS, "player"), asked, 2)),
            events=_named(Event.objects.all(), _most_of(_by_name(scope, _EVENTS, "event"), asked)),
            sources=_named(_uploads(scope), _most_of(_UPLOADS, asked)),
        ),
        lambda _found: CACHE_SECONDS_OF_ALL,
    ).value


def _by_name(scope: Scope, sql: str, kind: _Kind) -> str:
    """Return the SQL of counts by name. Who is known in several spaces is one there."""
    one, key = {"player": ("s.player", "key"), "event": ("g.event_id", "name")}[kind]
    if len(scope.spaces) == 1:
        return sql.format(one=one, names="", together=one, asked="{asked}")
    names = f"JOIN archive_{kind} n ON n.id = {one}"
    return sql.format(one=f"min({one})", names=names, together=f"n.{key}", asked="{asked}")


def _most_of(sql: str, asked: Sql, times: int = 1) -> Counter[int]:
    """Return the ids with the most games, and how many each has."""
    with connection.cursor() as cursor:
        cursor.execute(sql.format(asked=asked.text), [*asked.values * times, LISTED])
        return Counter(dict(cursor.fetchall()))


def _count_patiently(query: ListQuery, filters: GameFilters) -> Facets:
    with time_limited(filters):
        return _count(query)


def _count(query: ListQuery) -> Facets:
    read, found = query.newest(LOOKED_AT + 1), query.among_newest(LOOKED_AT)
    with connection.cursor() as cursor:
        cursor.execute(_LENGTH.format(read=read.text), read.values)
        sampled = cursor.fetchone()[0] > LOOKED_AT
        cursor.execute(_FOUND.format(found=found.text), found.values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    if not rows:
        return Facets(sampled=sampled, exact=not sampled)
    ids, slots, blacks, whites, events, days, results, handicaps, endings, openings, kinds, boards = zip(
        *rows, strict=True
    )
    years = years_of(days)
    # Who plays himself is in one game.
    seats = ({*pair} - {None} for pair in zip(blacks, whites, strict=True))
    return Facets(
        games=len(rows),
        sampled=sampled,
        exact=not sampled,
        players=_named(
            Player.objects.all(), _one(query.scope, "player", (one for both in seats for one in both))
        ),
        events=_named(Event.objects.all(), _one(query.scope, "event", (one for one in events if one))),
        years=tuple(sorted(years.most_common(LISTED), reverse=True)),
        results=_most(results),
        handicaps=_most(handicaps),
        endings=_most(ending for ending in endings if ending),
        openings=_most(opening for opening in openings if opening),
        formations=_formations(slots),
        kinds=_most(kinds),
        boards=_most(boards),
        sources=_sources(query.scope, ids),
    )


def _most_formations(scope: Scope, filters: GameFilters) -> tuple[tuple[str, int], ...]:
    """Return the most frequent formations of all games, where these are asked for."""
    if filters.game not in (None, SHOGI.name) or filters.record_kind not in (None, "game"):
        return ()
    ranked = sorted(formation_counts(scope).items(), key=lambda one: (-one[1].games, one[0]))
    return tuple((name, one.games) for name, one in ranked[:LISTED])


def _formations(slots: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """Count the games that have a castle or an opening on either side, by its name."""
    counted: Counter[str] = Counter()
    for number, n in _among(_FORMED, slots):
        if number in BY_NUMBER:
            counted[BY_NUMBER[number].name] += n
    return tuple(sorted(counted.most_common(), key=lambda row: (-row[1], row[0]))[:LISTED])


def _most(values: Iterable[Any]) -> tuple[tuple[Any, int], ...]:
    return tuple(Counter(values).most_common(LISTED))


def _named(names: QuerySet[Any], counted: Counter[int]) -> tuple[tuple[int, str, int], ...]:
    most = counted.most_common(LISTED)
    known = dict(names.filter(pk__in=[pk for pk, _n in most]).values_list("pk", "name"))
    return tuple((pk, known[pk], n) for pk, n in most if pk in known)


def _uploads(scope: Scope) -> QuerySet[Upload]:
    """Return the uploads that are named: a published game may have come in one that few may read."""
    return Upload.objects.filter(space__in=scope.spaces).exclude(state=Upload.State.DELETING)


def _one(scope: Scope, kind: _Kind, ids: Iterable[int]) -> Counter[int]:
    """Count ids. Who is known in several spaces is one."""
    counted = Counter(ids)
    if len(scope.spaces) == 1:
        return counted
    known = dict(_among(_KNOWN_BY[kind], list(counted)))
    first: dict[str, int] = {}
    found: Counter[int] = Counter()
    for pk in sorted(counted):
        found[first.setdefault(known[pk], pk)] += counted[pk]
    return found


def _sources(scope: Scope, games: Sequence[int]) -> tuple[tuple[int, str, int], ...]:
    """Return the uploads in which the games came. A game that came in two counts in both."""
    counted = Counter(upload for _game, upload in {*_among(_CAME_IN, games)})
    named = set(_uploads(scope).filter(pk__in=list(counted)).values_list("pk", flat=True))
    return _named(_uploads(scope), Counter({pk: n for pk, n in counted.items() if pk in named}))


_FORMED: Final = """
    SELECT formation, count(DISTINCT slot) FROM archive_gameformation WHERE slot IN (SELECT k.key FROM {keys})
    GROUP BY formation
"""
_CAME_IN: Final = "SELECT game_id, upload_id FROM archive_entry WHERE game_id IN (SELECT k.key FROM {keys})"
_KNOWN_BY: Final[dict[_Kind, str]] = {
    "player": "SELECT id, key FROM archive_player WHERE id IN (SELECT k.key FROM {keys})",
    "event": "SELECT id, name FROM archive_event WHERE id IN (SELECT k.key FROM {keys})",
}


def _among(sql: str, ids: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return what is asked about many ids, which are one value of the statement."""
    return engine().fetch_prepared(sql.format(keys=engine().KEYS), [engine().listed(ids)])
