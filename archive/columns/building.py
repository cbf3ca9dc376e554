"""Write column files: add waiting games, merge small files, delete old ones.

One process at a time does this (`folder.columns_lock`), while others store games and query. It writes a file
first and registers it in the database afterwards, in the transaction that removes its games from the waiting
ones. So a killed process leaves at most an unregistered file, which the next one deletes.
"""

from __future__ import annotations

import math
import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from archive.columns.folder import (
    SUFFIX,
    column_path,
    columns_lock,
    files,
    is_complete,
    is_manifest,
    runs_of,
    sha256_of,
    write_manifest,
)
from archive.columns.lines import pack_lines
from archive.columns.positions import UNKNOWN, PositionGame, Positions
from archive.columns.schema import RECORD_KINDS, VERSION
from archive.columns.segments import SegmentGames, merge_segments, slots_in, write_segment
from archive.columns.slots import chunks, rebuild_all, remove_waiting
from archive.models import ColumnGone, ColumnSegment, ColumnWaiting, Game, GamePlayer, GameRecord, codec

BATCH_GAMES: Final = 15_000
BATCH_ROWS: Final = 1_500_000
"""Games and positions of a file that a command writes: some seconds and 400 MB. So large a file is never
merged."""

TURN_GAMES: Final = 2_000
"""Games of a file that is written between uploads: half a second, which delays an upload of one game."""

SETTLED: Final = timedelta(seconds=5)
PATIENCE: Final = timedelta(minutes=1)
"""Games wait for others until none has arrived for `SETTLED`, at most for `PATIENCE`."""

SMALL_BYTES: Final = 10 * 1024 * 1024
"""Smaller files are merged."""

MERGED_BYTES: Final = 24 * 1024 * 1024
"""Bytes that are merged at once, at most: two million positions."""

MANY: Final = 16
"""Small files of a space with similar numbers of games are merged when there are so many. The merged file has
many times their games, so each game is rewritten only a few times. A power of two."""

GONE_SHARE: Final = 20
"""A file is rewritten if one game in so many is deleted; with ARCHIVE_DUMPS_FORGET for any deleted game."""

GRACE: Final = timedelta(minutes=10)
"""How long a merged file stays: longer than any query takes."""

Report = Callable[[int], None]
"""Called with the number of games written so far."""


def has_work() -> bool:
    """Return whether there is anything to write, merge, delete or list in a manifest."""
    if ColumnWaiting.objects.exists() or ColumnSegment.objects.filter(retired__lt=_expired()).exists():
        return True
    if _small_files() or _has_many_deleted() or any(_missing_runs()):
        return True
    return not all(is_manifest(space, manifest_of(space)) for space in _spaces())


def build(seconds: float = math.inf, report: Report = lambda games: None, *, patient: bool = False) -> bool:
    """Write waiting games for about so many seconds; return whether all are written, after which small files
    are merged and old ones deleted. With `patient` games wait for others that are just arriving, since one
    file costs less than many, and files are small enough for an upload to wait for. Raises
    ColumnsLockedError."""
    with columns_lock():
        # Nobody else writes files: games that were deleted while they waited are in none.
        ColumnGone.objects.filter(waited=True).delete()
        deadline, done = monotonic() + seconds, 0
        most = TURN_GAMES if patient else BATCH_GAMES
        while (not patient or _is_due()) and (batch := _batch(most)):
            done = _write(batch, done, report)
            if monotonic() > deadline or (patient and _is_due()):
                return False
        _tidy(deadline)
    return True


def _is_due() -> bool:
    in_order = ColumnWaiting.objects.order_by("pk")
    first, last, now = in_order.first(), in_order.last(), timezone.now()
    if first is None or last is None:
        return False
    if last.since <= now - SETTLED or first.since <= now - PATIENCE:
        return True
    return in_order[TURN_GAMES - 1 : TURN_GAMES].exists()


def rebuild() -> None:
    """Retire all files and have them written again. Raises ColumnsLockedError."""
    with columns_lock(), transaction.atomic():
        rebuild_all()


# --- waiting games ---------------------------------------------------------------------------------------


class _Waiting(NamedTuple):
    """Waiting slots of a space, with the ids of their rows."""

    space: int
    slots: tuple[int, ...]
    rows: tuple[int, ...]


def _batch(most: int) -> _Waiting | None:
    first = ColumnWaiting.objects.order_by("pk").first()
    if first is None:
        return None
    waiting_rows = ColumnWaiting.objects.filter(space=first.space).order_by("pk")
    rows = sorted(waiting_rows.values_list("slot", "pk")[:most])
    return _Waiting(first.space, tuple(slot for slot, _ in rows), tuple(pk for _, pk in rows))


def _write(batch: _Waiting, done: int, report: Report) -> int:
    """Write the first of these slots, as many as fit into a file; return the number of slots `done` so
    far."""
    positions, count = Positions(), 0
    for part in chunks(batch.slots):
        for game, lines in _games(part):
            positions.add(game, lines)
        count += len(part)
        report(done + count)
        if len(positions) >= BATCH_ROWS:
            break
    slots, rows = [game.slot for game in positions.games], batch.rows[:count]
    if not slots:
        remove_waiting(rows)
        return done + count
    path = _new_path(batch.space, slots[0], slots[-1])
    write_segment(positions, path)
    with transaction.atomic():
        # Waits for transactions that are just deleting one of them.
        remove_waiting(rows)
        deleted = {*ColumnGone.objects.filter(waited=True).values_list("slot", flat=True)}
        for part in chunks(sorted(deleted.intersection(slots))):
            ColumnGone.objects.filter(slot__in=part).update(waited=False)
        _register(batch.space, path, SegmentGames(slots[0], slots[-1], len(slots), len(positions)))
    _write_manifest(batch.space)
    return done + count


def _games(slots: Sequence[int]) -> Iterator[tuple[PositionGame, bytes]]:
    """Yield the games in these slots that still exist, in order of slots, with their packed lines."""
    columns = ("slot", "pk", "played", "result", "record_kind")
    wanted_slots = {*slots}
    games = Game.objects.filter(_in_slots(slots)).values_list(*columns)
    rows = sorted(row for row in games if row[0] in wanted_slots)
    lines = _lines(slots, {slot: pk for slot, pk, *_ in rows})
    rated = GamePlayer.objects.filter(_in_slots(slots)).values_list("slot", "colour", "rating")
    ratings = {(slot, colour): rating for slot, colour, rating in rated if rating is not None}
    for slot, pk, played, result, kind in rows:
        if slot in lines:
            yield (
                PositionGame(
                    slot,
                    result if kind == Game.RecordKind.GAME else UNKNOWN,
                    played or UNKNOWN,
                    ratings.get((slot, 0), UNKNOWN),
                    ratings.get((slot, 1), UNKNOWN),
                    RECORD_KINDS.index(kind),
                    pk,
                ),
                lines[slot],
            )


def _in_slots(slots: Sequence[int]) -> Q:
    """Return a condition for these slots, ascending. If there are few others between them it includes these:
    reading their rows is faster than listing the slots."""
    first, last = slots[0], slots[-1]
    return Q(slot__range=(first, last)) if last - first < 2 * len(slots) else Q(slot__in=slots)


def _lines(slots: Sequence[int], games: Mapping[int, int]) -> dict[int, bytes]:
    """Return the packed lines by slot, of games by slot: from the waiting rows, else from the records."""
    waiting = ColumnWaiting.objects.filter(_in_slots(slots)).values_list("slot", "lines")
    packed = {slot: bytes(lines) for slot, lines in waiting if slot in games and lines is not None}
    slot_of = {pk: slot for slot, pk in games.items() if slot not in packed}
    records = GameRecord.objects.filter(game__in=[*slot_of]).values_list("game_id", "record")
    return packed | {slot_of[pk]: pack_lines(codec.unpack(record)) for pk, record in records}


def _new_path(space: int, first: int, last: int) -> Path:
    """Return a path for a file that no other file ever had."""
    return column_path(space, f"{first:010}-{last:010}-{secrets.token_hex(6)}{SUFFIX}")


def _register(space: int, path: Path, games: SegmentGames) -> None:
    ColumnSegment.objects.create(
        space=space,
        name=path.name,
        size=path.stat().st_size,
        sha256=sha256_of(path),
        version=VERSION,
        **games._asdict(),
    )


def _spaces() -> Iterable[int]:
    return ColumnSegment.objects.values_list("space", flat=True).distinct()


def _write_manifest(space: int) -> None:
    write_manifest(space, manifest_of(space))


def manifest_of(space: int) -> dict[str, Any]:
    """Return the manifest of a space, without anything about other spaces or their deleted games."""
    segments = ColumnSegment.objects.filter(space=space, retired=None).order_by("first", "pk")
    names = ("name", "first", "last", "games", "rows", "size", "sha256")
    deleted = ColumnGone.objects.filter(Q(space=space) | Q(space=None), waited=False).order_by("slot")
    return {
        "version": VERSION,
        "space": space,
        "files": [dict(zip(names, row, strict=True)) for row in segments.values_list(*names)],
        "gone": [*deleted.values_list("slot", flat=True)],
    }


# --- merging and deleting --------------------------------------------------------------------------------


def _tidy(deadline: float) -> None:
    """Merge small files and rewrite those with many deleted games, while there is time; delete files that are
    not read any more."""
    while monotonic() <= deadline and (segments := _small_files()):
        _merge(segments[0].space, _mergeable(segments))
    if _has_many_deleted():
        _rewrite_files(deadline)
    make_missing_runs(deadline)
    ColumnSegment.objects.filter(retired__lt=_expired()).delete()
    delete_unknown()
    write_manifests()


def write_manifests() -> None:
    """Write the manifest of each space."""
    for space in _spaces():
        _write_manifest(space)


def _small_files() -> list[ColumnSegment]:
    """Return `MANY` or more small files of a space with similar numbers of games, the smallest first; none if
    there are fewer."""
    alike_files: dict[tuple[int, int], list[ColumnSegment]] = {}
    for segment in ColumnSegment.objects.filter(retired=None, size__lt=SMALL_BYTES).order_by("size", "pk"):
        magnitude = (segment.games.bit_length() - 1) // (MANY.bit_length() - 1)
        alike_files.setdefault((segment.space, magnitude), []).append(segment)
    return next((files for files in alike_files.values() if len(files) >= MANY), [])


def _mergeable(segments: Sequence[ColumnSegment]) -> list[ColumnSegment]:
    chosen, size = list[ColumnSegment](), 0
    for segment in segments:
        if chosen and size + segment.size > MERGED_BYTES:
            break
        chosen.append(segment)
        size += segment.size
    return chosen


def _deleted_slots() -> list[int]:
    return sorted(ColumnGone.objects.filter(waited=False).values_list("slot", flat=True))


def _has_many_deleted() -> bool:
    games = ColumnSegment.objects.filter(retired=None).aggregate(games=Sum("games"))["games"] or 0
    deleted = ColumnGone.objects.filter(waited=False).count()
    return _is_many(deleted, games)


def _is_many(deleted: int, games: int) -> bool:
    """Return whether a file with so many games is to be rewritten because of so many deleted ones. With
    ARCHIVE_DUMPS_FORGET any deleted game is reason enough."""
    return deleted > 0 and (settings.ARCHIVE_DUMPS_FORGET or deleted * GONE_SHARE >= games)


def _rewrite_files(deadline: float) -> None:
    """Rewrite the files with many deleted games, while there is time; drop deleted games that no file has."""
    deleted, in_files = _deleted_slots(), set[int]()
    for segment in ColumnSegment.objects.filter(retired=None).order_by("pk"):
        if monotonic() > deadline:
            return
        deleted_here = {*deleted[bisect_left(deleted, segment.first) : bisect_right(deleted, segment.last)]}
        # Files that cannot have many of them are not read: a turn has no time for all files.
        if rewrite := _is_many(len(deleted_here), segment.games):
            deleted_here &= {*slots_in(column_path(segment.space, segment.name))}
        in_files |= deleted_here
        if rewrite and _is_many(len(deleted_here), segment.games):
            _merge(segment.space, [segment])
    for part in chunks(sorted({*deleted} - in_files)):
        ColumnGone.objects.filter(slot__in=part).delete()


def _merge(space: int, segments: Sequence[ColumnSegment]) -> None:
    path = _new_path(space, min(one.first for one in segments), max(one.last for one in segments))
    games, left_out = merge_segments(
        [column_path(space, one.name) for one in segments], _deleted_slots(), path
    )
    with transaction.atomic():
        if games is not None:
            _register(space, path, games)
        retired = ColumnSegment.objects.filter(pk__in=[one.pk for one in segments])
        retired.update(retired=timezone.now())
        for part in chunks(left_out):
            ColumnGone.objects.filter(slot__in=part).delete()
    _write_manifest(space)


def _missing_runs() -> Iterator[Path]:
    for space, name in ColumnSegment.objects.filter(retired=None).values_list("space", "name"):
        path = column_path(space, name)
        if path.exists() and not runs_of(path).exists():
            yield path


def make_missing_runs(deadline: float = math.inf) -> None:
    """Make missing runs, while there is time."""
    from archive.columns.runs import make_runs

    for path in _missing_runs():
        if monotonic() > deadline:
            return
        make_runs(path)


def _expired() -> datetime:
    return timezone.now() - GRACE


def delete_unknown() -> None:
    """Delete unregistered files: of replaced segments, or left by killed processes."""
    existing = {
        column_path(space, name) for space, name in ColumnSegment.objects.values_list("space", "name")
    }
    existing |= {*map(runs_of, existing)}
    for path in files():
        if path not in existing:
            path.unlink(missing_ok=True)


# --- reports ---------------------------------------------------------------------------------------------


class Lag(NamedTuple):
    """How far the files are behind the archive: waiting games, the seconds since the first of them, deleted
    games that are in files, and files in use that this machine lacks."""

    games: int
    seconds: float
    gone: int
    missing: int


def lag() -> Lag:
    """Return the lag of the files on this machine."""
    first = ColumnWaiting.objects.order_by("pk").first()
    seconds = (timezone.now() - first.since).total_seconds() if first else 0.0
    segments = ColumnSegment.objects.filter(retired=None).values_list("space", "name")
    missing = sum(not is_complete(column_path(space, name)) for space, name in segments)
    deleted = ColumnGone.objects.filter(waited=False).count()
    return Lag(ColumnWaiting.objects.count(), seconds, deleted, missing)


def columns_size() -> tuple[int, int]:
    """Return the number and the bytes of the files in use."""
    segments = ColumnSegment.objects.filter(retired=None)
    return segments.count(), segments.aggregate(size=Sum("size"))["size"] or 0
