"""What a list of games is made of: its players, events, years and so on, each with its number of games.

Counted over the newest `LOOKED_AT` games of the list that drives a search (a player's, an event's, an
upload's, or all games), so that no answer costs more however large the archive is; `Facets.sampled` tells
that there are others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from typing import Any, Final

from django.core.cache import cache
from django.db import connection
from django.db.models import QuerySet

from archive.models import Entry, Event, Player, Upload
from archive.queries.games import GameFilters, Query, query_of
from archive.taken_down import last_gone

LOOKED_AT: Final = 5_000
"""Games that are looked at: about 25 ms on either engine."""

LISTED: Final = 8
"""Values of each kind that are named."""

KEPT_SECONDS: Final = 60
"""How long the answer to a search that had to be cut is kept."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The most frequent values among the games that a search finds, with their numbers of games.

    `players`, `events` and `sources` (uploads) are id, name, number; the name of an upload may be empty.
    `years` begin with the latest. `games` is how many were found, and if `sampled`, among the newest
    `LOOKED_AT` of the list only. `kinds` are those of records, `boards` those of games (shogi, ...).
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
    kinds: tuple[tuple[str, int], ...] = ()
    boards: tuple[tuple[str, int], ...] = ()
    sources: tuple[tuple[int, str, int], ...] = ()


_FOUND: Final = """
    SELECT g.id, g.player0_id, g.player1_id, g.event_id, g.played, g.result, g.handicap, g.special, g.opening,
        g.record_kind, g.kind
    FROM {found} AND g.space = %s
"""
_LENGTH: Final = "SELECT count(*) FROM ({read}) x"


def facets(filters: GameFilters | None = None, space: int = 0) -> Facets:
    """What the games that have all that is asked for are made of."""
    filters = filters or GameFilters()
    query = query_of(filters)
    if query is None:
        return Facets()
    kept = f"facets-{last_gone()}-{blake2b(repr((space, filters)).encode()).hexdigest()}"
    found: Facets | None = cache.get(kept)
    if found is None:
        found = _count(query, space)
        if found.sampled:
            cache.set(kept, found, KEPT_SECONDS)
    return found


def _count(query: Query, space: int) -> Facets:
    read, found = query.newest(LOOKED_AT + 1), query.among_newest(LOOKED_AT)
    with connection.cursor() as cursor:
        cursor.execute(_LENGTH.format(read=read.text), read.values)
        sampled = cursor.fetchone()[0] > LOOKED_AT
        cursor.execute(_FOUND.format(found=found.text), [*found.values, space])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    if not rows:
        return Facets(sampled=sampled)
    ids, blacks, whites, events, days, results, handicaps, endings, openings, kinds, boards = zip(
        *rows, strict=True
    )
    years = Counter(date.fromordinal(day).year for day in days if day)
    # Who plays himself is in one game.
    seats = ({*pair} - {None} for pair in zip(blacks, whites, strict=True))
    return Facets(
        games=len(rows),
        sampled=sampled,
        players=_named(Player.objects.all(), Counter(player for both in seats for player in both)),
        events=_named(Event.objects.all(), Counter(event for event in events if event is not None)),
        years=tuple(sorted(years.most_common(LISTED), reverse=True)),
        results=_most(results),
        handicaps=_most(handicaps),
        endings=_most(ending for ending in endings if ending),
        openings=_most(opening for opening in openings if opening),
        kinds=_most(kinds),
        boards=_most(boards),
        sources=_sources(ids),
    )


def _most(values: Iterable[Any]) -> tuple[tuple[Any, int], ...]:
    return tuple(Counter(values).most_common(LISTED))


def _named(names: QuerySet[Any], counted: Counter[int]) -> tuple[tuple[int, str, int], ...]:
    most = counted.most_common(LISTED)
    known = dict(names.filter(pk__in=[pk for pk, _n in most]).values_list("pk", "name"))
    return tuple((pk, known[pk], n) for pk, n in most)


def _sources(games: Sequence[int]) -> tuple[tuple[int, str, int], ...]:
    """The uploads in which the games came; a game that came in two counts in both."""
    counted: Counter[int] = Counter()
    for first in range(0, len(games), _PIECE):
        entries = Entry.objects.filter(game_id__in=games[first : first + _PIECE]).order_by()
        counted.update(upload for _game, upload in {*entries.values_list("game_id", "upload_id")})
    for doomed in Upload.objects.filter(state=Upload.State.DELETING).values_list("pk", flat=True):
        counted.pop(doomed, None)
    most = counted.most_common(LISTED)
    known = dict(Upload.objects.filter(pk__in=[pk for pk, _n in most]).values_list("pk", "name"))
    return tuple((pk, known[pk], n) for pk, n in most if pk in known)


_PIECE: Final = 1_000
"""Ids in one statement."""
