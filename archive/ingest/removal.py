"""Taking entries out: of an upload that is deleted, or those that a later reading does not find any more.

A game goes only with its last entry; otherwise it becomes what its other editions say. A few entries at a
time are taken, each time in a transaction of its own, so that others can write in between.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet

from archive.ingest import placing, writing
from archive.ingest.writing import Change
from archive.models import Entry, Game, GameAlias, Upload, UploadChunk

BATCH: Final = 50


def begin_deletion(upload_id: int) -> bool:
    """Nobody works on the upload from now on, and it will be gone; whether there is one.

    The same bytes can be sent again from now on.
    """
    doomed = {"state": Upload.State.DELETING, "sha256": f"deleted-{upload_id}"}
    found = Upload.objects.filter(pk=upload_id)
    return bool(found.update(claimed_by=None, claimed_until=None, **doomed))


def delete_upload(upload_id: int, seconds: float | None = None) -> bool:
    """Delete an upload with its bytes, its entries, and the games that nobody else has sent; whether it is
    gone, or there is more to do after about so many seconds.

    Interrupted, it goes on where it is called again; `left_deleting` knows what is left. Raises
    IndexDamagedError.
    """
    begin_deletion(upload_id)
    until = None if seconds is None else time.monotonic() + seconds
    while remove_some(Entry.objects.filter(upload_id=upload_id)):
        if until is not None and time.monotonic() >= until:
            return False
    with transaction.atomic():
        Upload.objects.select_for_update().filter(pk=upload_id).first()
        UploadChunk.objects.filter(upload_id=upload_id).delete()
        Upload.objects.filter(pk=upload_id).delete()
    return True


def left_deleting() -> list[int]:
    """The ids of uploads whose deletion has begun."""
    return list(
        Upload.objects.filter(state=Upload.State.DELETING).order_by("pk").values_list("pk", flat=True)
    )


def remove_unread(upload_id: int) -> None:
    """Remove the entries that the upload's latest reading has not come across."""
    unread = Entry.objects.filter(upload_id=upload_id, reading__lt=F("upload__reading"))
    while unread.exists():
        remove_some(unread)


def remove_some(entries: QuerySet[Entry]) -> int:
    """Remove some of these entries in one transaction; how many."""

    def work(change: Change) -> int:
        chosen = entries.order_by("seq").values_list("pk", flat=True)[:BATCH]
        rows = list(Entry.objects.select_for_update().filter(pk__in=list(chosen)).order_by("pk"))
        _remove(change, rows)
        change.write_rows()
        change.write_counters()
        return len(rows)

    return writing.run((), work)


def _remove(change: Change, rows: Sequence[Entry]) -> None:
    Entry.objects.filter(pk__in=[row.pk for row in rows]).delete()
    ids = {row.game_id for row in rows if row.game_id is not None}
    locked = list(Game.objects.select_for_update().filter(pk__in=ids).order_by("pk"))
    going = [game for game in locked if not game.entries.exists()]
    drop(change, going)
    for game in locked:
        # What is made anew may turn out to be one with a game that follows.
        if game not in going and game.pk not in change.moved:
            placing.rebuild(change, Game.objects.get(pk=game.pk))


def drop(change: Change, games: Collection[Game]) -> None:
    """Delete games that have no entries, with their rows and aliases."""
    for game in games:
        writing.remove_rows(change, game)
    GameAlias.objects.filter(game__in=games).delete()
    writing.drop_games(games)
