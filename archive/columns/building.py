"""Write files of columns: add waiting games, merge small files, delete old ones.

One process at a time does this (`folder.columns_lock`), while others store games and query. It writes a file
first and registers it in the database afterwards, in the transaction that removes its games from the waiting
ones. So a process that is killed leaves at most an unregistered file, which the next one deletes.
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

from archive.columns import slots as waiting
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
from archive.models import ColumnGone, ColumnSegment, ColumnWaiting, Game, GamePlayer, GameRecord, codec

BATCH_GAMES: Final = 15_000
BATCH_ROWS: Final = 1_500_000
"""Games and positions of a file that is written by a command: some seconds and 400 MB. So large a file need
not be put together with others."""

TURN_GAMES: Final = 2_000
"""Games that are enough for a file between uploads: it takes half a second, for which whoever pastes a game
waits."""

SETTLED: Final = timedelta(seconds=5)
PATIENCE: Final = timedelta(minutes=1)
"""Games wait for those that come with them until none has come for the first, for the second at most."""

SMALL_BYTES: Final = 10 * 1024 * 1024
"""A smaller file is put together with others."""

MERGED_BYTES: Final = 24 * 1024 * 1024
"""So much is put together at most: two million positions."""

MANY: Final = 16
"""So many small files of a space that are alike are put together. What comes of it has many times as many
games as each of them: so a game is written a few times only, however many come after it. A power of two."""

GONE_SHARE: Final = 20
"""A file of which one game in so many is gone is written anew; any, with ARCHIVE_DUMPS_FORGET."""

GRACE: Final = timedelta(minutes=10)
"""How long a file stays after others have its games: longer than any question takes."""

Report = Callable[[int], None]
"""Called with the games that were written so far."""


def has_work() -> bool:
    """Tell whether there is anything to write, to put together, to forget or to tell."""
    if ColumnWaiting.objects.exists() or ColumnSegment.objects.filter(retired__lt=_forgotten()).exists():
        return True
    if _many_small() or _much_gone() or any(_without_runs()):
        return True
    return not all(is_manifest(space, manifest_of(space)) for space in _spaces())


def build(seconds: float = math.inf, report: Report = lambda games: None, *, patient: bool = False) -> bool:
    """Write the games that wait, for about so many seconds; return whether none is to be written any more,
    after which small files are put together and old ones deleted. With `patient` games wait for others that
    are just coming, as many games in a file cost less than many files; and no more is written at once than
    an upload may wait for. Raises ColumnsLockedError."""
    with columns_lock():
        # Nobody else writes: what went while it waited is in no file.
        ColumnGone.objects.filter(waited=True).delete()
        deadline, done = monotonic() + seconds, 0
        most = TURN_GAMES if patient else BATCH_GAMES
        while (not patient or _is_time()) and (batch := _batch(most)):
            done = _write(batch, done, report)
            if monotonic() > deadline or (patient and _is_time()):
                return False
        _tidy(deadline)
    return True


def _is_time() -> bool:
    """Tell whether the games that wait have waited enough for others, or are enough for a file."""
    in_order = ColumnWaiting.objects.order_by("pk")
    first, last, now = in_order.first(), in_order.last(), timezone.now()
    if first is None or last is None:
        return False
    if last.since <= now - SETTLED or first.since <= now - PATIENCE:
        return True
    return in_order[TURN_GAMES - 1 : TURN_GAMES].exists()


def rebuild() -> None:
    """Have all files written anew: those there are belong to nobody from now on. Raises
    ColumnsLockedError."""
    with columns_lock(), transaction.atomic():
        waiting.rebuild_all()


# --- what waits ------------------------------------------------------------------------------------------


class _Waiting(NamedTuple):
    """Slots of a space that wait, with the rows that say so."""

    space: int
    slots: tuple[int, ...]
    rows: tuple[int, ...]


def _batch(most: int) -> _Waiting | None:
    """Return the next slots to write, so many at most, of the space of which one has waited longest."""
    first = ColumnWaiting.objects.order_by("pk").first()
    if first is None:
        return None
    mine = ColumnWaiting.objects.filter(space=first.space).order_by("pk")
    found = sorted(mine.values_list("slot", "pk")[:most])
    return _Waiting(first.space, tuple(slot for slot, _ in found), tuple(pk for _, pk in found))


def _write(batch: _Waiting, done: int, report: Report) -> int:
    """Write a file of as many of these slots as are enough for one; return how many are `done` then."""
    positions, taken = Positions(), 0
    for part in waiting.chunks(batch.slots):
        for about, lines in _games(part):
            positions.add(about, lines)
        taken += len(part)
        report(done + taken)
        if len(positions) >= BATCH_ROWS:
            break
    slots, rows = [game.slot for game in positions.games], batch.rows[:taken]
    if not slots:
        waiting.remove_waiting(rows)
        return done + taken
    path = _named(batch.space, slots[0], slots[-1])
    write_segment(positions, path)
    with transaction.atomic():
        # Waits for who is about to take one of them away.
        waiting.remove_waiting(rows)
        gone = {*ColumnGone.objects.filter(waited=True).values_list("slot", flat=True)}
        for part in waiting.chunks(sorted(gone.intersection(slots))):
            ColumnGone.objects.filter(slot__in=part).update(waited=False)
        _register(batch.space, path, SegmentGames(slots[0], slots[-1], len(slots), len(positions)))
    _write_manifest(batch.space)
    return done + taken


def _games(slots: Sequence[int]) -> Iterator[tuple[PositionGame, bytes]]:
    """Yield the games in these slots that are still there, in their order, with their packed lines."""
    columns = ("slot", "pk", "played", "result", "record_kind")
    wanted = {*slots}
    there = Game.objects.filter(_in(slots)).values_list(*columns)
    found = sorted(row for row in there if row[0] in wanted)
    lines = _lines(slots, {slot: pk for slot, pk, *_ in found})
    rated = GamePlayer.objects.filter(_in(slots)).values_list("slot", "colour", "rating")
    ratings = {(slot, colour): rating for slot, colour, rating in rated if rating is not None}
    for slot, pk, played, result, kind in found:
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


def _in(slots: Sequence[int]) -> Q:
    """Return the condition that something is in one of these slots, ascending. Where few others lie between
    them, these are asked for, too: naming many slots takes longer than reading what is in them."""
    first, last = slots[0], slots[-1]
    return Q(slot__range=(first, last)) if last - first < 2 * len(slots) else Q(slot__in=slots)


def _lines(slots: Sequence[int], games: Mapping[int, int]) -> dict[int, bytes]:
    """Return the packed lines of games, which are given by slot: as they wait, else by their records."""
    told = ColumnWaiting.objects.filter(_in(slots)).values_list("slot", "lines")
    found = {slot: bytes(lines) for slot, lines in told if slot in games and lines is not None}
    others = {pk: slot for slot, pk in games.items() if slot not in found}
    records = GameRecord.objects.filter(game__in=[*others]).values_list("game_id", "record")
    return found | {others[pk]: pack_lines(codec.unpack(record)) for pk, record in records}


def _named(space: int, first: int, last: int) -> Path:
    """Return a place for a file that no other ever had."""
    return column_path(space, f"{first:010}-{last:010}-{secrets.token_hex(6)}{SUFFIX}")


def _register(space: int, path: Path, held: SegmentGames) -> None:
    ColumnSegment.objects.create(
        space=space,
        name=path.name,
        size=path.stat().st_size,
        sha256=sha256_of(path),
        version=VERSION,
        **held._asdict(),
    )


def _spaces() -> Iterable[int]:
    """Return the spaces that have files."""
    return ColumnSegment.objects.values_list("space", flat=True).distinct()


def _write_manifest(space: int) -> None:
    """Write what the folder of a space has, for whoever reads it without the database."""
    write_manifest(space, manifest_of(space))


def manifest_of(space: int) -> dict[str, Any]:
    """Return what a manifest has to say: nothing of other spaces, also not what has gone from there."""
    segments = ColumnSegment.objects.filter(space=space, retired=None).order_by("first", "pk")
    told = ("name", "first", "last", "games", "rows", "size", "sha256")
    gone = ColumnGone.objects.filter(Q(space=space) | Q(space=None), waited=False).order_by("slot")
    return {
        "version": VERSION,
        "space": space,
        "files": [dict(zip(told, row, strict=True)) for row in segments.values_list(*told)],
        "gone": [*gone.values_list("slot", flat=True)],
    }


# --- what is put together and forgotten ------------------------------------------------------------------


def _tidy(deadline: float) -> None:
    """Put small files together and write those anew of which much is gone, while there is time; delete what
    nobody reads any more."""
    while monotonic() <= deadline and (segments := _many_small()):
        _merge(segments[0].space, _enough(segments))
    if _much_gone():
        _drop_gone(deadline)
    make_missing_runs(deadline)
    ColumnSegment.objects.filter(retired__lt=_forgotten()).delete()
    delete_unknown()
    write_manifests()


def write_manifests() -> None:
    """Write what the folder of each space has."""
    for space in _spaces():
        _write_manifest(space)


def _many_small() -> list[ColumnSegment]:
    """Return many small files of a space that have about as many games as each other, the smallest first;
    empty where there are not many such."""
    found: dict[tuple[int, int], list[ColumnSegment]] = {}
    for segment in ColumnSegment.objects.filter(retired=None, size__lt=SMALL_BYTES).order_by("size", "pk"):
        magnitude = (segment.games.bit_length() - 1) // (MANY.bit_length() - 1)
        found.setdefault((segment.space, magnitude), []).append(segment)
    return next((alike for alike in found.values() if len(alike) >= MANY), [])


def _enough(segments: Sequence[ColumnSegment]) -> list[ColumnSegment]:
    """Return the smallest of some files, as many as are put together at once."""
    taken, size = list[ColumnSegment](), 0
    for segment in segments:
        if taken and size + segment.size > MERGED_BYTES:
            break
        taken.append(segment)
        size += segment.size
    return taken


def _gone() -> list[int]:
    return sorted(ColumnGone.objects.filter(waited=False).values_list("slot", flat=True))


def _much_gone() -> bool:
    """Tell whether so much is gone that one file at least has much of it."""
    games = ColumnSegment.objects.filter(retired=None).aggregate(games=Sum("games"))["games"] or 0
    gone = ColumnGone.objects.filter(waited=False).count()
    return _is_much(gone, games)


def _is_much(gone: int, games: int) -> bool:
    """Tell whether so many games that are gone are reason to write a file with so many anew: each is, where
    nothing that is gone is to stay in what is offered."""
    return gone > 0 and (settings.ARCHIVE_DUMPS_FORGET or gone * GONE_SHARE >= games)


def _drop_gone(deadline: float) -> None:
    """Write the files anew of which much is gone, while there is time; forget what no file has."""
    gone, somewhere = _gone(), set[int]()
    for segment in ColumnSegment.objects.filter(retired=None).order_by("pk"):
        if monotonic() > deadline:
            return
        held = {*gone[bisect_left(gone, segment.first) : bisect_right(gone, segment.last)]}
        # A file that cannot have much of it is not read: a turn would not get through all of them.
        if much := _is_much(len(held), segment.games):
            held &= {*slots_in(column_path(segment.space, segment.name))}
        somewhere |= held
        if much and _is_much(len(held), segment.games):
            _merge(segment.space, [segment])
    for part in waiting.chunks(sorted({*gone} - somewhere)):
        ColumnGone.objects.filter(slot__in=part).delete()


def _merge(space: int, segments: Sequence[ColumnSegment]) -> None:
    """Write what is left of files into one, which takes their place."""
    path = _named(space, min(one.first for one in segments), max(one.last for one in segments))
    held, left_out = merge_segments([column_path(space, one.name) for one in segments], _gone(), path)
    with transaction.atomic():
        if held is not None:
            _register(space, path, held)
        retired = ColumnSegment.objects.filter(pk__in=[one.pk for one in segments])
        retired.update(retired=timezone.now())
        for part in waiting.chunks(left_out):
            ColumnGone.objects.filter(slot__in=part).delete()
    _write_manifest(space)


def _without_runs() -> Iterator[Path]:
    """Yield the files in use whose runs are not here, though they are."""
    for space, name in ColumnSegment.objects.filter(retired=None).values_list("space", "name"):
        path = column_path(space, name)
        if path.exists() and not runs_of(path).exists():
            yield path


def make_missing_runs(deadline: float = math.inf) -> None:
    """Make the runs that are missing, while there is time."""
    from archive.columns.runs import make_runs

    for path in _without_runs():
        if monotonic() > deadline:
            return
        make_runs(path)


def _forgotten() -> datetime:
    return timezone.now() - GRACE


def delete_unknown() -> None:
    """Delete the files that nobody knows: replaced a while ago, or of processes that were killed."""
    known = {column_path(space, name) for space, name in ColumnSegment.objects.values_list("space", "name")}
    known |= {*map(runs_of, known)}
    for path in files():
        if path not in known:
            path.unlink(missing_ok=True)


# --- what is told ----------------------------------------------------------------------------------------


class Lag(NamedTuple):
    """How far the files are behind the archive: games that wait, the seconds for which the first of them
    does, slots that questions leave out, and files in use that this machine does not have."""

    games: int
    seconds: float
    gone: int
    missing: int


def lag() -> Lag:
    """Return how far the files are behind the archive, as this machine sees them."""
    first = ColumnWaiting.objects.order_by("pk").first()
    seconds = (timezone.now() - first.since).total_seconds() if first else 0.0
    known = ColumnSegment.objects.filter(retired=None).values_list("space", "name")
    missing = sum(not is_complete(column_path(space, name)) for space, name in known)
    gone = ColumnGone.objects.filter(waited=False).count()
    return Lag(ColumnWaiting.objects.count(), seconds, gone, missing)


def columns_size() -> tuple[int, int]:
    """Return how many files are in use, and their bytes."""
    found = ColumnSegment.objects.filter(retired=None)
    return found.count(), found.aggregate(size=Sum("size"))["size"] or 0
