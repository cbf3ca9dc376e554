"""Facets of a list of games: its players, events, places, years and so on, each with its number of games.

Facets count the newest `SAMPLE` games of the list that a search reads (of a name, of an upload,
or all games), so that their cost does not grow with the archive; `Facets.sampled` says that the list has
more. For all records, or all of a kind, an archive of up to `EXACT_GAMES` games uses its statistics.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import QuerySet

from archive.caching.values import RECOUNT_LIMIT, cached
from archive.models import NAMED, NameKind, Upload
from archive.queries.games.filters import GameFilters
from archive.queries.games.list_query import ListQuery, query_of
from archive.queries.games.records_by_kind import CACHE_SECONDS as CACHE_SECONDS_OF_ALL
from archive.queries.games.records_by_kind import records_by_kind, summed
from archive.queries.games.statistics import counts
from archive.queries.names.own_names import own_key
from archive.queries.names.people import count_by_year
from archive.queries.patterns.formation_counts import formation_counts
from archive.queries.scope import Scope
from archive.queries.search.patience import time_limited
from archive.queries.sql import Sql, conjunction, rows_by_ids
from kifu_core.games import SHOGI
from kifu_core.shogi.formations import BY_NUMBER

SAMPLE: Final = RECOUNT_LIMIT
"""Games that are counted at most."""

MOST_VALUES: Final = 8
"""Values of each facet."""

EXACT_GAMES: Final = 100_000
"""In an archive of up to so many games, all names are counted, every ten minutes: about a second on a busy
machine."""

CACHE_SECONDS: Final = 60
"""How long the facets of a sample are cached."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The most frequent values among the games that match a search, with their numbers of games."""

    games: int = 0
    """The number of games that were counted: all that match or, if `sampled`, those among the newest `SAMPLE`
    games."""
    sampled: bool = False
    players: tuple[tuple[int, str, int], ...] = ()
    """Ids, names and numbers of games."""
    events: tuple[tuple[int, str, int], ...] = ()
    """Ids, names and numbers of games."""
    places: tuple[tuple[int, str, int], ...] = ()
    """Ids, names and numbers of games."""
    years: tuple[tuple[int, int], ...] = ()
    """The latest year comes first."""
    results: tuple[tuple[int, int], ...] = ()
    handicaps: tuple[tuple[str, int], ...] = ()
    endings: tuple[tuple[str, int], ...] = ()
    openings: tuple[tuple[str, int], ...] = ()
    formations: tuple[tuple[str, int], ...] = ()
    """Castles and openings by their identifiers."""
    kinds: tuple[tuple[str, int], ...] = ()
    """Kinds of records."""
    boards: tuple[tuple[str, int], ...] = ()
    """Kinds of games (shogi, ...)."""
    sources: tuple[tuple[int, str, int], ...] = ()
    """Ids of uploads, their names, which may be empty, and numbers of games."""
    exact: bool = True
    """Whether `games` is the exact number. If not, there are at least so many."""


_GAMES: Final = """
    SELECT g.id, g.slot, g.player0_id, g.player1_id, g.event_id, g.place_id, g.played, g.result, g.handicap,
        g.special, g.opening, g.record_kind, g.kind
    FROM {sql}
"""


def facets(scope: Scope, filters: GameFilters | None = None) -> Facets:
    """Count the games that match the filters, and their most frequent values."""
    filters = filters or GameFilters()
    with time_limited(filters):
        query = query_of(scope, filters)
    if query is None:
        return Facets()
    if _is_by_kind(filters) and SAMPLE < counts(scope).games <= EXACT_GAMES:
        return _of_all_records(scope, filters)

    def count() -> Facets:
        with time_limited(filters):
            return _count(query)

    return cached(
        f"facets {scope} {filters} {own_key(scope, filters)}",
        count,
        lambda counted: CACHE_SECONDS if counted.sampled else 0,
    ).value


def _is_by_kind(filters: GameFilters) -> bool:
    return filters == GameFilters(game=filters.game, record_kind=filters.record_kind)


def _of_all_records(scope: Scope, filters: GameFilters) -> Facets:
    records = records_by_kind(scope)
    chosen = {
        (game, kind): counts
        for (game, kind), counts in records.value.items()
        if filters.game in (None, game) and filters.record_kind in (None, kind)
    }
    total, names = summed(chosen.values()), _names(scope, filters)
    boards, kinds = (Counter[str](), Counter[str]())
    for (game, kind), one in chosen.items():
        boards[game] += one.games
        kinds[kind] += one.games
    return replace(
        names,
        games=total.games,
        years=tuple(sorted(total.years.most_common(MOST_VALUES), reverse=True)),
        results=tuple(total.results.most_common(MOST_VALUES)),
        handicaps=tuple(total.handicaps.most_common(MOST_VALUES)),
        endings=tuple(total.endings.most_common(MOST_VALUES)),
        openings=tuple(total.openings.most_common(MOST_VALUES)),
        formations=_most_formations(scope, filters),
        kinds=tuple(kinds.most_common(MOST_VALUES)),
        boards=tuple(boards.most_common(MOST_VALUES)),
        exact=records.exact,
    )


_SEATS: Final = """
    SELECT {one}, count(*) FROM (
        SELECT g.player0_id AS player FROM archive_game g WHERE g.player0_id IS NOT NULL AND {where}
        UNION ALL
        SELECT g.player1_id FROM archive_game g WHERE g.player1_id IS NOT NULL
        AND (g.player0_id IS NULL OR g.player0_id <> g.player1_id) AND {where}
    ) s {names} GROUP BY {key} ORDER BY count(*) DESC, {one} LIMIT %s
"""
_LABELS: Final = """
    SELECT {one}, count(*) FROM archive_game g {names} WHERE {column} IS NOT NULL AND {where}
    GROUP BY {key} ORDER BY count(*) DESC, {one} LIMIT %s
"""
_UPLOADS: Final = """
    SELECT e.upload_id, count(DISTINCT e.game_id) FROM archive_entry e JOIN archive_game g ON g.id = e.game_id
    WHERE {where} AND NOT EXISTS (
        SELECT 1 FROM archive_upload u WHERE u.id = e.upload_id AND u.state = 'deleting'
    ) GROUP BY e.upload_id ORDER BY count(DISTINCT e.game_id) DESC, e.upload_id LIMIT %s
"""


def _names(scope: Scope, filters: GameFilters) -> Facets:
    where = conjunction(
        [
            scope.condition("g"),
            *([Sql("g.kind = %s", (filters.game,))] if filters.game else []),
            *([Sql("g.record_kind = %s", (filters.record_kind,))] if filters.record_kind else []),
        ]
    )
    return cached(
        f"names {where}",
        lambda: Facets(
            players=_named("player", _most_of(_by_name(scope, _SEATS, "player"), where, 2)),
            events=_named("event", _most_of(_by_name(scope, _LABELS, "event"), where)),
            places=_named("place", _most_of(_by_name(scope, _LABELS, "place"), where)),
            sources=_with_names(_uploads(scope), _most_of(_UPLOADS, where)),
        ),
        lambda _counted: CACHE_SECONDS_OF_ALL,
    ).value


def _by_name(scope: Scope, sql: str, kind: NameKind) -> str:
    """Return the SQL of counts by name. A name in several spaces counts as one."""
    one = "s.player" if kind == "player" else f"g.{kind}_id"
    if len(scope.spaces) == 1:
        return sql.format(one=one, column=one, names="", key=one, where="{where}")
    names = f"JOIN archive_{kind} n ON n.id = {one}"
    return sql.format(one=f"min({one})", column=one, names=names, key="n.key", where="{where}")


def _most_of(sql: str, where: Sql, times: int = 1) -> Counter[int]:
    return Counter(dict(Sql(sql.format(where=where.text), (*where.values * times, MOST_VALUES)).rows()))


def _count(query: ListQuery) -> Facets:
    ((length,),) = query.newest(SAMPLE + 1).embed("SELECT count(*) FROM ({sql}) x").rows()
    sampled = length > SAMPLE
    rows = query.among_newest(SAMPLE).embed(_GAMES).rows()
    if not rows:
        return Facets(sampled=sampled, exact=not sampled)
    ids, slots, blacks, whites, events, places, days, *rest = zip(*rows, strict=True)
    results, handicaps, endings, openings, kinds, boards = rest
    years = count_by_year(days)
    # A game of a player against himself counts once.
    players = (player for pair in zip(blacks, whites, strict=True) for player in {*pair} - {None})
    return Facets(
        games=len(rows),
        sampled=sampled,
        exact=not sampled,
        players=_named("player", _unique(query.scope, "player", players)),
        events=_named("event", _unique(query.scope, "event", filter(None, events))),
        places=_named("place", _unique(query.scope, "place", filter(None, places))),
        years=tuple(sorted(years.most_common(MOST_VALUES), reverse=True)),
        results=_most(results),
        handicaps=_most(handicaps),
        endings=_most(filter(None, endings)),
        openings=_most(filter(None, openings)),
        formations=_formations(slots),
        kinds=_most(kinds),
        boards=_most(boards),
        sources=_sources(query.scope, ids),
    )


def _most_formations(scope: Scope, filters: GameFilters) -> tuple[tuple[str, int], ...]:
    """Return the most frequent formations of all games; none if the filters exclude games of shogi."""
    if filters.game not in (None, SHOGI.name) or filters.record_kind not in (None, "game"):
        return ()
    ranked = sorted(formation_counts(scope).items(), key=lambda one: (-one[1].games, one[0]))
    return tuple((name, one.games) for name, one in ranked[:MOST_VALUES])


def _formations(slots: Sequence[int]) -> tuple[tuple[str, int], ...]:
    by_name = {
        BY_NUMBER[number].name: n for number, n in rows_by_ids(_BY_FORMATION, slots) if number in BY_NUMBER
    }
    return tuple(sorted(by_name.items(), key=lambda row: (-row[1], row[0]))[:MOST_VALUES])


def _most(values: Iterable[Any]) -> tuple[tuple[Any, int], ...]:
    return tuple(Counter(values).most_common(MOST_VALUES))


def _named(kind: NameKind, counted: Counter[int]) -> tuple[tuple[int, str, int], ...]:
    return _with_names(NAMED[kind]._default_manager.all(), counted)


def _with_names(names: QuerySet[Any], counted: Counter[int]) -> tuple[tuple[int, str, int], ...]:
    most = counted.most_common(MOST_VALUES)
    name_of = dict(names.filter(pk__in=[pk for pk, _n in most]).values_list("pk", "name"))
    return tuple((pk, name_of[pk], n) for pk, n in most if pk in name_of)


def _uploads(scope: Scope) -> QuerySet[Upload]:
    """Return the uploads of the scope; a published game may be from an upload of another space."""
    return Upload.objects.filter(space__in=scope.spaces).exclude(state=Upload.State.DELETING)


def _unique(scope: Scope, kind: NameKind, ids: Iterable[int]) -> Counter[int]:
    """Count ids. A name in several spaces counts under its first id."""
    counted = Counter(ids)
    if len(scope.spaces) == 1:
        return counted
    keys = dict(rows_by_ids(_KEYS[kind], list(counted)))
    first: dict[str, int] = {}
    united: Counter[int] = Counter()
    for pk in sorted(counted):
        united[first.setdefault(keys[pk], pk)] += counted[pk]
    return united


def _sources(scope: Scope, games: Sequence[int]) -> tuple[tuple[int, str, int], ...]:
    """Return the uploads of the games. A game in two uploads counts in both."""
    counted = Counter(upload for _game, upload in {*rows_by_ids(_SOURCES, games)})
    readable = set(_uploads(scope).filter(pk__in=list(counted)).values_list("pk", flat=True))
    return _with_names(_uploads(scope), Counter({pk: n for pk, n in counted.items() if pk in readable}))


_BY_FORMATION: Final = """
    SELECT formation, count(DISTINCT slot) FROM archive_gameformation WHERE slot IN (SELECT k.key FROM {keys})
    GROUP BY formation
"""
_SOURCES: Final = "SELECT game_id, upload_id FROM archive_entry WHERE game_id IN (SELECT k.key FROM {keys})"
_KEYS: Final[dict[NameKind, str]] = {
    kind: f"SELECT id, key FROM archive_{kind} WHERE id IN (SELECT k.key FROM {{keys}})" for kind in NAMED
}
