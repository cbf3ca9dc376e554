"""Deletes libraries without members, which nobody could read or delete."""

from django.db.models import Exists, OuterRef

from archive.models import Entry, Game, Space, TakenDown, Upload
from archive.store.deletion import begin_deletion
from archive.store.games import delete_games


def end_abandoned(limit: int) -> None:
    """Delete libraries without members: start to delete their uploads, delete up to `limit` games from other
    uploads, then the libraries.

    The next call continues. An upload with a published game stays, and shows only that game.
    """
    spaces = list(Space.objects.filter(memberships=None).values_list("pk", flat=True))
    if not spaces:
        return
    for pk in _wholly_in(spaces):
        begin_deletion(pk)
    working = Upload.objects.filter(space__in=spaces).exclude(state=Upload.State.DONE).values("space")
    done = [space for space in spaces if space not in {row["space"] for row in working}]
    games = Game.objects.filter(space__in=done).order_by("pk").values_list("pk", flat=True)[:limit]
    if pks := list(games):
        delete_games(pks, hide_bytes=True)
    elif done:
        _forget(done)


def _wholly_in(spaces: list[int]) -> list[int]:
    """Return the uploads of libraries without a game in another space."""
    went = Entry.objects.filter(upload=OuterRef("pk"), game__isnull=False).exclude(
        game__space=OuterRef("space")
    )
    found = Upload.objects.filter(~Exists(went), space__in=spaces).exclude(state=Upload.State.DELETING)
    return list(found.values_list("pk", flat=True))


def _forget(spaces: list[int]) -> None:
    TakenDown.objects.filter(space__in=spaces).delete()
    kept = Upload.objects.filter(space__in=spaces).values("space")
    Space.objects.filter(pk__in=spaces).exclude(pk__in=kept).delete()
