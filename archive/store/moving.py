"""Moves games to another space, to publish them or take them back.

A game moves with some or all of its editions, in a transaction of its own: its keys, names, counters and
identity belong to its space. If the space has the same game, it becomes an edition of that one.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from django.db import transaction
from django.db.utils import IntegrityError

from archive.derive.corrections import attach, correct
from archive.derive.editions import derive_edition, union
from archive.derive.game import DerivedGame
from archive.models import Arrival, Entry, Game, Share, Upload
from archive.store import apply, existing, history
from archive.store.change import Change, run
from archive.store.entry_rows import edition_of, mark_first, stored_edition, unite_editions
from archive.store.hidden_bytes import hide_by_game


class TakenDownError(Exception):
    """The game was taken down in the destination space."""


def move_game(pk: int, to: int, uploads: Collection[int] | None = None) -> int | None:
    """Move a game to a space, or only its editions from some uploads; return the id of the game there, None
    if there is nothing to move. Raises TakenDownError and IndexDamagedError."""

    def work(change: Change) -> int | None:
        game = Game.objects.select_for_update().filter(pk=pk).first()
        entries = Entry.objects.filter(game=pk).order_by("pk")
        going = entries if uploads is None else entries.filter(upload__in=uploads)
        if game is None or not going.exists():
            return None
        if game.space == to:
            return pk
        source, ids = game.space, list(going.values_list("pk", flat=True))
        partial = entries.exclude(pk__in=ids).exists()
        moved = _move_some(change, game, ids, to) if partial else _move_all(change, game, to)
        hide_by_game(Entry.objects.filter(pk__in=ids))
        change.write_rows()
        change.write_counters()
        apply.count_departures([source])
        return change.home(moved)

    return run((), work)


def _move_all(change: Change, game: Game, to: int) -> int:
    """Move a game with all of its editions. It keeps its id unless the space has the same game."""
    history.move(game.pk, to)
    derived = _corrected(game, to)
    _check(change, derived)
    Share.objects.filter(game=game).delete()
    moved = apply.plan_and_apply_one(change, lambda plan: plan.move(game.pk, derived)).pk
    if moved == game.pk:
        Arrival.objects.create(game=game.pk, space=to, moved=True)
    return moved


def _corrected(game: Game, to: int) -> DerivedGame:
    """Return a game as derived for another space."""
    mine = stored_edition(game)
    own = existing.corrected_games([game])[game.pk] if game.corrected else None
    if own is None or not own.corrections:
        return derive_edition(mine, to)
    corrected = correct(mine, own.corrections)
    return attach(derive_edition(corrected.edition, to), derive_edition(mine, to, kept_rows=0), corrected)


def _move_some(change: Change, game: Game, ids: Collection[int], to: int) -> int:
    """Move some entries of a game with their editions; the game becomes the union of the others."""
    mine = stored_edition(game)
    entries = Entry.objects.filter(pk__in=ids).order_by("pk")
    derived = derive_edition(union([edition_of(entry, mine) for entry in entries]), to)
    _check(change, derived)
    apply.keep_own_records([game])
    placed = apply.place(change, derived)
    change.note(to, placed.pk)
    if placed.new:
        Arrival.objects.filter(game=placed.pk).update(moved=True)
    Entry.objects.filter(pk__in=ids).update(game=placed.pk)
    mark_first(placed.pk)
    change.write_rows()
    unite_editions(change, game)
    return placed.pk


def _check(change: Change, derived: DerivedGame) -> None:
    change.names.add_names_of([derived])
    existing.lock([derived], change.names)
    if existing.taken_down({derived.identity}):
        raise TakenDownError


def begin_move(upload_id: int, to: int) -> bool:
    """Start to move the games of an upload to a space; return whether there is work to do."""
    done = Upload.objects.filter(pk=upload_id, state=Upload.State.DONE, moving_to=None).exclude(space=to)
    return bool(done.update(moving_to=to))


def move_upload(upload_id: int, limit: int) -> bool:
    """Move up to `limit` games of an upload; return whether all are moved. The next call continues.

    A game that was taken down in the other space stays. At the end the upload moves too, unless the space has
    the same bytes of the same uploader.
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


def unfinished_moves() -> list[int]:
    """Return the ids of uploads with games to move."""
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
        hide_by_game(Entry.objects.filter(upload=upload))
