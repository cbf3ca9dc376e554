"""Changes of the games of a scope, in the order in which they became visible: for those who copy them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from django.db.models import Max

from archive.index.engine import engine
from archive.models import GameAlias, GameChange
from archive.queries.games.bulk import being_deleted
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.games.list_query import over_all_games, query_of
from archive.queries.games.listing import GameRow, games_among
from archive.queries.scope import Scope
from archive.queries.search.patience import time_limited
from archive.queries.sql import Sql, one_of


@dataclass(frozen=True, slots=True)
class ChangedGame:
    """A game that was added to a scope, changed there, or is gone from it."""

    id: int
    change: Literal["added", "changed", "gone"]
    merged_into: int | None
    """The game in the scope whose edition a gone game has become."""


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Changes up to a number, and whether there were no later ones."""

    games: tuple[ChangedGame, ...]
    last: int
    complete: bool


def changes_after(scope: Scope, number: int, limit: int) -> ChangesPage:
    """Return up to `limit` changes after a number; 0 for the first ones.

    Each game is as it is now; so a game that changed again is on a later page, too. Raises InvalidCursorError
    for a number of another order, such as that of an archive before its restoration.
    """
    end = last_change()
    if number and not is_of_order(number, end):
        raise InvalidCursorError("these changes are no longer numbered so: begin anew")
    new = GameChange.objects.filter(space__in=scope.spaces, number__gt=number, number__lte=end)
    rows: list[tuple[int, int]] = list(new.order_by("number").values_list("number", "game")[:limit])  # type: ignore[arg-type]
    complete = len(rows) < limit
    games = _now(scope, list(dict.fromkeys(game for _number, game in rows)))
    return ChangesPage(games, end if complete else rows[-1][0], complete)


def last_change() -> int:
    """Return the number of the last change; 0 without any."""
    return GameChange.objects.aggregate(last=Max("number"))["last"] or 0


def is_of_order(number: int, end: int) -> bool:
    """Return whether a number belongs to the order of the last change `end`, not to that of an archive before
    its restoration."""
    return number <= end and number >> GameChange.COUNT_BITS == end >> GameChange.COUNT_BITS


def _now(scope: Scope, pks: Collection[int]) -> tuple[ChangedGame, ...]:
    deleted = being_deleted(pks)
    stored = {row.id: row for row in games_among(scope, GameFilters(), sorted(pks)) if row.id not in deleted}
    aliases = GameAlias.objects.filter(pk__in=pks, game__space__in=scope.spaces)
    homes = dict(aliases.values_list("pk", "game_id"))
    return tuple(ChangedGame(pk, _kind(stored[pk]) if pk in stored else "gone", homes.get(pk)) for pk in pks)


def _kind(row: GameRow) -> Literal["added", "changed"]:
    later = row.changed is not None and row.arrived is not None and row.changed > row.arrived
    return "changed" if later else "added"


def ids_changed(scope: Scope, filters: GameFilters, after: int, latest: int, most: int) -> list[int]:
    """Return up to `most` ids of games that match, among the latest changes of the scope after a number
    (`GameChange`), the largest id first. Raises QueryError."""
    with time_limited(filters):
        if query_of(scope, filters) is None:
            return []
        changed = Sql(_CHANGED.format(one_of=one_of(scope.spaces)), (*scope.spaces, after, latest))
        games = over_all_games(scope, filters, "id").among(changed)
        rows = engine().fetch_prepared(*games.embed(_LARGEST, most), keep=False)
        return [pk for (pk,) in rows]


_CHANGED: Final = """d.id IN (SELECT c.game FROM (SELECT game FROM archive_gamechange
    WHERE space {one_of} AND number > %s ORDER BY number DESC LIMIT %s) c)"""
_LARGEST: Final = "SELECT g.id FROM {sql} ORDER BY g.id DESC LIMIT %s"
