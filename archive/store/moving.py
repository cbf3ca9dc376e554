"""Move games to another space, to publish them or take them back.

A game moves with some or all of its editions, each game in a transaction of its own, because its keys, names,
counters and identity belong to its space. If the same game is already there, it becomes an edition of that
one.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from django.db import transaction
from django.db.models import QuerySet
from django.db.utils import IntegrityError

from archive.derive.editions import edition, union
from archive.derive.game import DerivedGame, derive_stored
from archive.models import Arrival, Entry, Game, Share, Upload, codec
from archive.store import changes, dedupe, matching, taken_down
from archive.store.changes import Change, identity
from kifu_core.classes import PUBLIC


class TakenDownError(Exception):
    """The game was taken down in the space that it should go to."""


def move_game(pk: int, to: int, uploads: Collection[int] | None = None) -> int | None:
    """Move a game to a space, or only what it has from some uploads; return the id under which that is found
    then, None if there is nothing to move. Raises TakenDownError, and IndexDamagedError."""

    def work(change: Change) -> int | None:
        game = Game.objects.select_for_update().filter(pk=pk).first()
        entries = Entry.objects.filter(game=pk).order_by("pk")
        going = entries if uploads is None else entries.filter(upload__in=uploads)
        if game is None or not going.exists():
            return None
        if game.space == to:
            return pk
        stays = entries.exclude(pk__in=list(going.values_list("pk", flat=True)))
        left, rows = game.space, list(going.values_list("pk", flat=True))
        found = _split(change, game, going, to) if stays.exists() else _whole(change, game, to)
        _hide(Entry.objects.filter(pk__in=rows), to)
        change.write_rows()
        change.write_counters()
        changes.note_left([left])
        return change.home(found)

    return changes.run((), work)


def _whole(change: Change, game: Game, to: int) -> int:
    """Move a game with all of its editions. It keeps its id unless the same game is there already."""
    mine = dedupe.stored_edition(game)
    derived = derive_stored(codec.unpack(mine.record), mine.parsed_facts, to)
    _check(change, derived)
    Share.objects.filter(game=game).delete()
    known = changes.known_games([identity(derived)]).get(identity(derived))
    found = known or matching.target(derived, change.names.players)
    if found is None:
        changes.rewrite_games(change, [(game, derived)])
        Arrival.objects.create(game=game.pk, space=to, moved=True)
        return game.pk
    whole = union([edition(derived), dedupe.stored_edition(found)])
    dedupe.repoint(change, game, found)
    return dedupe.settle(change, found, dedupe.derive_with(found, whole))


def _split(change: Change, game: Game, going: QuerySet[Entry], to: int) -> int:
    """Move what some editions of a game say; the game becomes what the others say."""
    ids = list(going.values_list("pk", flat=True))
    mine = dedupe.stored_edition(game)
    whole = union([dedupe.edition_of(entry, mine) for entry in going])
    derived = derive_stored(codec.unpack(whole.record), whole.parsed_facts, to)
    _check(change, derived)
    changes.keep_own_records([game])
    found, new = dedupe.put(change, derived)
    if new:
        Arrival.objects.filter(game=found).update(moved=True)
    Entry.objects.filter(pk__in=ids).update(game=found)
    dedupe.restate(found)
    change.write_rows()
    dedupe.unite_editions(change, game)
    return found


def _hide(entries: QuerySet[Entry], to: int) -> None:
    """Hide the bytes of what left its upload's space, unless everybody may read them where it went."""
    entries.update(hidden=False)
    if to != PUBLIC:
        entries.filter(upload__in=Upload.objects.exclude(space=to)).update(hidden=True)


def _check(change: Change, derived: DerivedGame) -> None:
    change.know([derived])
    matching.lock([derived], change.names.players)
    if taken_down.held([derived]):
        raise TakenDownError


def begin_move(upload_id: int, to: int) -> bool:
    """Begin to move the games of an upload to a space; return whether there is still work to do."""
    done = Upload.objects.filter(pk=upload_id, state=Upload.State.DONE, moving_to=None).exclude(space=to)
    return bool(done.update(moving_to=to))


def move_upload(upload_id: int, limit: int) -> bool:
    """Move up to so many games of an upload whose move has begun; return whether all are done.

    Run again, it goes on. A game that was taken down in the other space stays where it is. At the end the
    upload itself moves to that space, unless it already has the same bytes of the same uploader.
    """
    upload = Upload.objects.filter(pk=upload_id).exclude(moving_to=None).first()
    if upload is None or upload.moving_to is None:
        return True
    left = Entry.objects.filter(upload=upload_id, game__space=upload.space).order_by("game")
    moved = 0
    for pk in list(left.values_list("game", flat=True).distinct()):
        if moved == limit:
            return False
        with suppress(TakenDownError):
            move_game(pk, upload.moving_to, [upload_id])
            moved += 1
    _arrive(upload, upload.moving_to)
    return True


def left_moving() -> list[int]:
    """Return the ids of uploads whose games are still to be moved."""
    return list(Upload.objects.exclude(moving_to=None).order_by("pk").values_list("pk", flat=True))


def _arrive(upload: Upload, to: int) -> None:
    mine = Upload.objects.filter(pk=upload.pk)
    there = Upload.objects.filter(uploader=upload.uploader_id, space=to, sha256=upload.sha256)
    with transaction.atomic():
        try:
            with transaction.atomic():
                mine.update(space=upload.space if there.exists() else to, moving_to=None)
        except IntegrityError:  # somebody sent the same bytes there meanwhile
            mine.update(moving_to=None)
        _hide_those_elsewhere(mine.get())


def _hide_those_elsewhere(upload: Upload) -> None:
    """Hide the bytes of an upload's games that are in a library other than its own."""
    entries = Entry.objects.filter(upload=upload).exclude(game=None)
    elsewhere = Game.objects.exclude(space__in=(PUBLIC, upload.space)).values("pk")
    entries.filter(hidden=True).exclude(game__in=elsewhere).update(hidden=False)
    entries.filter(hidden=False, game__in=elsewhere).update(hidden=True)
