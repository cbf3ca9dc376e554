"""Keeps the games of collections right when games become one."""

from archive.models import CollectionGame


def follow(game: int, home: int) -> None:
    """Put a game in the place of another one in all collections. If a collection has both, the place and the
    note of the game that stays are kept; the other note is added."""
    rows = CollectionGame.objects.filter(game=game)
    there = CollectionGame.objects.filter(game=home, collection__in=rows.values("collection"))
    for row in there:
        other = rows.get(collection=row.collection_id)
        row.note = "\n".join(filter(None, (row.note, other.note)))
        row.save(update_fields=["note"])
        other.delete()
    rows.update(game=home)
