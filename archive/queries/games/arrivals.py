"""When games arrived: stored games with their upload, moved games with their move."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from django.db.models import Max, Min

from archive.models import Arrival, Entry, Upload
from archive.queries.scope import Scope

MOVED: Final = 200
"""Games of a scope that were moved there last, among which a feed looks for its own."""


def moved_last(scope: Scope) -> list[int]:
    """Return the ids of the games that were moved last to where they are read, the latest first."""
    found = Arrival.objects.filter(moved=True, space__in=scope.spaces).order_by("-id")
    return list(dict.fromkeys(found.values_list("game", flat=True)[:MOVED]))


def arrived_at(scope: Scope, games: Collection[int]) -> dict[int, datetime]:
    """Return by id when games came: moved to a space of the scope, or in the first upload that is seen there.

    One of which neither is known is left out.
    """
    editions = Entry.objects.filter(game__in=games, hidden=False, upload__space__in=scope.spaces)
    seen = editions.exclude(upload__state=Upload.State.DELETING).order_by()
    first = seen.values("game").annotate(first=Min("upload__received")).values_list("game", "first")
    arrivals = Arrival.objects.filter(game__in=games, moved=True, space__in=scope.spaces).order_by()
    moved = arrivals.values("game").annotate(last=Max("at")).values_list("game", "last")
    return dict(first) | dict(moved)
