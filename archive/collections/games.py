"""Add games to collections, move, annotate, sort and remove them.

As in `editing`, each function is one transaction that locks the collection first. Games are locked by
ascending id, as `archive.store` locks them, so that none is deleted or becomes another one meanwhile.
"""

from collections.abc import Sequence
from typing import Final, Literal

from django.db import connection, transaction
from django.db.models import Max, Min

from archive.collections.editing import locked, text_of, touch
from archive.collections.errors import MOST_GAMES, CollectionError
from archive.collections.rights import check_editor
from archive.index.engine import engine
from archive.models import Collection, CollectionGame, User
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import ids_matching
from archive.queries.scope import Scope

BATCH: Final = 1_000
Order = Literal["oldest", "newest", "added"]


def add(user: User, scope: Scope, collection: Collection, games: Sequence[int]) -> int:
    """Add games of the scope to the end of a collection, in this order; return how many it did not have.
    Raises CollectionError, `unknown-game` for the first game that the scope does not have."""
    with transaction.atomic():
        collection = locked(collection.pk)
        check_editor(user, collection)
        readable = lock_games(scope, games)
        unknown = next((pk for pk in games if pk not in readable), None)
        if unknown is not None:
            raise CollectionError("unknown-game", game=unknown)
        return append(collection, games)


def add_search(user: User, scope: Scope, collection: Collection, filters: GameFilters) -> int:
    """Add all games of a search to the end of a collection, the earliest first; return how many it did not
    have. Raises CollectionError, QueryError."""
    check_editor(user, collection)
    games = ids_matching(scope, filters, MOST_GAMES)
    with transaction.atomic():
        collection = locked(collection.pk)
        check_editor(user, collection)
        readable = lock_games(scope, games)
        return append(collection, [pk for pk in games if pk in readable])


def append(collection: Collection, games: Sequence[int]) -> int:
    """Add locked games to the end of a locked collection; return how many it did not have. Raises
    CollectionError."""
    rows = CollectionGame.objects.filter(collection=collection)
    there = set(rows.values_list("game", flat=True))
    new = [pk for pk in dict.fromkeys(games) if pk not in there]
    if len(there) + len(new) > MOST_GAMES:
        raise CollectionError("too-many-collected")
    last = _room_after_last(collection, len(new))
    positions = {pk: last + CollectionGame.GAP * at for at, pk in enumerate(new, start=1)}
    CollectionGame.objects.bulk_create(
        (CollectionGame(collection=collection, game_id=pk, position=positions[pk]) for pk in sorted(new)),
        batch_size=BATCH,
    )
    if new:
        touch(collection)
    return len(new)


def _room_after_last(collection: Collection, count: int) -> int:
    """Return the last position, below which there is room for so many games before `PART`."""
    last = _last(collection)
    if last + CollectionGame.GAP * (count + 1) >= CollectionGame.PART:
        _number_anew(collection)
        last = _last(collection)
    return last


def _last(collection: Collection) -> int:
    rows = CollectionGame.objects.filter(collection=collection)
    return int(rows.aggregate(last=Max("position"))["last"] or 0)


def remove(user: User, collection: Collection, games: Sequence[int]) -> int:
    """Remove games from a collection; return how many it had. Raises CollectionError."""
    with transaction.atomic():
        collection = locked(collection.pk)
        check_editor(user, collection)
        removed, _of_each = CollectionGame.objects.filter(collection=collection, game__in=games).delete()
        touch(collection)
    return removed


def annotate(user: User, collection: Collection, game: int, text: str | None, ply: int | None) -> None:
    """Change the note on a game and the ply that is shown first, unless they are None. Raises
    CollectionError."""
    with transaction.atomic():
        collection = locked(collection.pk)
        check_editor(user, collection)
        row = _row(collection, game)
        row.note = row.note if text is None else text_of(text)
        row.ply = row.ply if ply is None else min(ply, row.game.plies)
        row.save(update_fields=["note", "ply"])
        touch(collection)


def move(user: User, collection: Collection, game: int, after: int | None) -> None:
    """Move a game behind another one, or before all others if `after` is None. Raises CollectionError."""
    if after == game:
        return
    with transaction.atomic():
        collection = locked(collection.pk)
        check_editor(user, collection)
        row = _row(collection, game)
        position = _between(collection, game, after)
        if position is None:
            _number_anew(collection)
            position = _between(collection, game, after)
        row.position = position or row.position
        row.save(update_fields=["position"])
        touch(collection)


def _between(collection: Collection, game: int, after: int | None) -> int | None:
    """Return a position behind another game and before the next one; None if there is none."""
    before = 0 if after is None else _row(collection, after).position
    others = CollectionGame.objects.filter(collection=collection).exclude(game=game)
    following = others.filter(position__gt=before).aggregate(next=Min("position"))["next"]
    if following is None:
        return before + CollectionGame.GAP
    middle = int(before + following) // 2
    return middle if middle > before else None


def _row(collection: Collection, game: int) -> CollectionGame:
    row = CollectionGame.objects.filter(collection=collection, game=game).select_related("game").first()
    if row is None:
        raise CollectionError("not-collected", game=game)
    return row


def sort(user: User, collection: Collection, order: Order) -> None:
    """Sort the games of a collection by day, those without a day last, or by arrival in the archive. Raises
    CollectionError."""
    with transaction.atomic():
        collection = locked(collection.pk)
        check_editor(user, collection)
        _number_anew(collection, _ORDERS[order])
        touch(collection)


_DAY: Final = "CASE WHEN g.played = 0 THEN 1 ELSE 0 END, g.played"
_ORDERS: Final[dict[Order, str]] = {
    "oldest": f"{_DAY}, g.slot",
    "newest": f"{_DAY} DESC, g.slot DESC",
    "added": "g.id",
}


def _number_anew(collection: Collection, order: str = "c.position, c.id") -> None:
    with connection.cursor() as cursor:
        cursor.execute(_NUMBER.format(order=order), [CollectionGame.GAP, collection.pk])


_NUMBER: Final = """
    UPDATE archive_collectiongame SET position = n.number * %s FROM (
        SELECT c.id, row_number() OVER (ORDER BY {order}) AS number
        FROM archive_collectiongame c JOIN archive_game g ON g.id = c.game_id WHERE c.collection_id = %s
    ) n WHERE archive_collectiongame.id = n.id
"""


def lock_games(scope: Scope, games: Sequence[int]) -> set[int]:
    """Return those of the games that the scope may read, locked."""
    lock = " FOR KEY SHARE" if connection.features.has_select_for_update else ""
    readable = scope.condition("g")
    sql = _READABLE.format(keys=engine().KEYS, readable=readable.text, lock=lock)
    rows = engine().fetch_prepared(sql, [engine().listed(list(games)), *readable.values], keep=False)
    return {pk for (pk,) in rows}


_READABLE: Final = """
    SELECT g.id FROM archive_game g WHERE g.id IN (SELECT k.key FROM {keys}) AND {readable}
    ORDER BY g.id{lock}
"""
