"""The times of arrival of games: of a stored game by its upload, of a moved game by its move."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from django.db.models import Max, Min

from archive.models import Arrival, Entry, Upload
from archive.queries.scope import Scope

MOST_MOVED: Final = 200
"""The latest moved games of a scope, from which a feed selects its own."""


def moved_last(scope: Scope) -> list[int]:
    """Return the ids of the games that were moved into the scope last, the latest first."""
    arrivals = Arrival.objects.filter(moved=True, space__in=scope.spaces).order_by("-id")
    return list(dict.fromkeys(arrivals.values_list("game", flat=True)[:MOST_MOVED]))


def arrived_at(scope: Scope, games: Collection[int]) -> dict[int, datetime]:
    """Return the times of arrival by id: of the move into the scope, or of the first visible upload there.
    Games without either are left out."""
    editions = Entry.objects.filter(game__in=games, hidden=False, upload__space__in=scope.spaces)
    visible = editions.exclude(upload__state=Upload.State.DELETING).order_by()
    first = visible.values("game").annotate(first=Min("upload__received")).values_list("game", "first")
    arrivals = Arrival.objects.filter(game__in=games, moved=True, space__in=scope.spaces).order_by()
    moved = arrivals.values("game").annotate(last=Max("at")).values_list("game", "last")
    return dict(first) | dict(moved)
