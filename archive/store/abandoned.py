"""Deletes libraries without members, which nobody could read or delete."""

from django.db.models import Exists, OuterRef

from archive.models import Collection, Entry, Game, Space, TakenDown, Upload
from archive.store.deletion import begin_deletion
from archive.store.games import delete_games


def end_abandoned(limit: int) -> None:
    """Delete libraries without members: delete their collections, start to delete their uploads, delete up to
    `limit` games from other uploads, then the libraries.

    The next call continues. An upload with a published game stays, and shows only that game.
    """
    spaces = list(Space.objects.filter(memberships=None).values_list("pk", flat=True))
    if not spaces:
        return
    Collection.objects.filter(space__in=spaces).delete()
    for pk in _private_uploads(spaces):
        begin_deletion(pk)
    unfinished = Upload.objects.filter(space__in=spaces).exclude(state=Upload.State.DONE)
    busy = {*unfinished.values_list("space", flat=True)}
    done = [space for space in spaces if space not in busy]
    games = Game.objects.filter(space__in=done).order_by("pk").values_list("pk", flat=True)[:limit]
    if pks := list(games):
        delete_games(pks, hide_bytes=True)
    elif done:
        TakenDown.objects.filter(space__in=done).delete()
        used = Upload.objects.filter(space__in=done).values("space")
        Space.objects.filter(pk__in=done).exclude(pk__in=used).delete()


def _private_uploads(spaces: list[int]) -> list[int]:
    """Return the uploads of libraries without a game in another space."""
    moved = Entry.objects.filter(upload=OuterRef("pk"), game__isnull=False)
    moved = moved.exclude(game__space=OuterRef("space"))
    uploads = Upload.objects.filter(~Exists(moved), space__in=spaces).exclude(state=Upload.State.DELETING)
    return list(uploads.values_list("pk", flat=True))
