"""Batches of games, for commands that run while the archive is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from archive.models import Game

if TYPE_CHECKING:
    from django.db.models import QuerySet


def batches(games: QuerySet[Game], size: int) -> Iterator[list[int]]:
    """Yield ids in ascending order, without games that are stored meanwhile by the current version."""
    last = Game.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    ids = games.filter(pk__lte=last).order_by("pk").values_list("pk", flat=True)
    batch = list(ids[:size])
    while batch:
        yield batch
        batch = list(ids.filter(pk__gt=batch[-1])[:size])
