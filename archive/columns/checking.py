"""Check column files: that they are unchanged and have the right games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from archive.columns.folder import column_path, sha256_of
from archive.columns.segments import SegmentGames, segment_games, slots_in
from archive.models import ColumnGone, ColumnSegment, ColumnWaiting, Game
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    import numpy as np
    from django.db.models import QuerySet
    from numpy.typing import NDArray

    Slots = NDArray[np.int32]

MOST_REPORTED: Final = 100
"""Slots of each fault that are reported."""


def wrong_files() -> Iterator[tuple[str, str]]:
    """Yield the files in use that have changed or whose runs are wrong, each with its fault. Missing runs are
    no fault: they are made at the next turn."""
    from archive.columns.runs import are_runs_right

    for segment in ColumnSegment.objects.filter(retired=None).order_by("pk").iterator():
        path = column_path(segment.space, segment.name)
        if not path.exists():
            if ColumnSegment.objects.filter(pk=segment.pk, retired=None).exists():
                yield str(segment), "is not there"
        elif (path.stat().st_size, sha256_of(path)) != (segment.size, segment.sha256):
            yield str(segment), "is not as it was written"
        elif segment_games(path) != SegmentGames(segment.first, segment.last, segment.games, segment.rows):
            yield str(segment), "has other games than it should"
        elif not are_runs_right(path):
            yield str(segment), "has runs that are not its own"


def wrong_slots() -> Iterator[tuple[int, str]]:
    """Yield the slots that are in no file and not waiting, that are in several files, or that no game has
    though they are not marked as deleted; at most `MOST_REPORTED` of each fault. They are checked twice,
    because games are stored and deleted meanwhile."""
    first = _wrong_slots()
    second = _wrong_slots() if any(first.values()) else {}
    for text, slots in first.items():
        for slot in sorted(slots & second.get(text, set()))[:MOST_REPORTED]:
            yield slot, text


def _wrong_slots() -> dict[str, set[int]]:
    import numpy as np

    games = _slots_of(Game.objects.filter(kind=SHOGI.name))
    waiting, deleted = _slots_of(ColumnWaiting.objects.all()), _slots_of(ColumnGone.objects.all())
    segments = ColumnSegment.objects.filter(retired=None).values_list("space", "name")
    paths = [path for space, name in segments if (path := column_path(space, name)).exists()]
    slots = [np.array(slots_in(path), np.int32) for path in paths]
    in_files, times = np.unique(np.concatenate([*slots, np.array([], np.int32)]), return_counts=True)
    usable = np.setdiff1d(in_files, deleted)
    return {
        "is in several files": _first(in_files[times > 1]),
        "is in no file and does not wait": _first(np.setdiff1d(np.setdiff1d(games, usable), waiting)),
        "is in a file and waits": _first(np.intersect1d(usable, waiting)),
        "is in a file, and no game has it": _first(np.setdiff1d(usable, games)),
    }


def _slots_of(rows: QuerySet[Game] | QuerySet[ColumnWaiting] | QuerySet[ColumnGone]) -> Slots:
    import numpy as np

    return np.fromiter(rows.values_list("slot", flat=True).iterator(chunk_size=10_000), np.int32)


def _first(slots: Slots) -> set[int]:
    return set(slots[:MOST_REPORTED].tolist())
