"""The new games of follows: those that came or changed since the account last opened them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from archive.models import NAMED, AnyName, Follow
from archive.queries.games.changes import ids_changed, is_of_order, last_change
from archive.queries.games.filters import MOST_IDS, stored_filters
from archive.queries.names.ids_of_names import unique_name
from archive.queries.scope import Scope, UnknownScopeError, scope_by_names
from archive.queries.search.errors import QueryError
from archive.queries.search.printing import text_of
from archive.queries.search.terms import ReachesPosition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from archive.models import NameKind

CHANGES: Final = 10_000
"""The latest changes of the archive that are examined for a follow."""
SECONDS: Final = 3.0
"""Time for the follows of an account; those that remain are not counted."""


class News(NamedTuple):
    """The new games of a follow, the largest id first; at most `MOST_IDS`."""

    games: list[int]
    more: bool
    """Whether there are more."""


def news_of(follows: Iterable[Follow], readable: Mapping[str, int]) -> dict[int, News]:
    """Return the new games of each follow by its id, of the spaces that may be read, by name. Follows that
    cannot be searched are left out."""
    until, end = time.monotonic() + SECONDS, last_change()
    news = {}
    for follow in follows:
        if time.monotonic() > until:
            break
        found = _news(follow, readable, end)
        if found is not None:
            news[follow.pk] = found
    return news


def open_news(follow: Follow, readable: Mapping[str, int]) -> list[int]:
    """Return the new games of a follow, and note that the account has seen them."""
    end = last_change()
    found = _news(follow, readable, end)
    Follow.objects.filter(pk=follow.pk).update(seen=end)
    return found.games if found else []


def _news(follow: Follow, readable: Mapping[str, int], end: int) -> News | None:
    scope = scope_of_follow(follow, readable)
    parameters = search_of(follow, scope) if scope else None
    if scope is None or parameters is None:
        return None
    if not is_of_order(follow.seen, end):  # the archive was restored, and numbers its changes anew
        Follow.objects.filter(pk=follow.pk).update(seen=end)
        return News([], more=False)
    if follow.seen == end:
        return News([], more=False)
    try:
        games = ids_changed(scope, stored_filters(parameters), follow.seen, CHANGES, MOST_IDS + 1)
    except QueryError:
        return None
    return News(games[:MOST_IDS], len(games) > MOST_IDS)


def scope_of_follow(follow: Follow, readable: Mapping[str, int]) -> Scope | None:
    """Return those of the spaces of a follow that may be read; None without any."""
    names = [name for name in follow.scope.split(",") if name == "all" or name in readable]
    try:
        found = scope_by_names(",".join(names), dict(readable)) if names else None
    except UnknownScopeError:
        return None
    return replace(found, account=follow.user_id) if found else None


def search_of(follow: Follow, scope: Scope) -> dict[str, Any] | None:
    """Return the parameters of the list of a follow's games; None if the scope lacks the name."""
    if follow.kind == Follow.Kind.SEARCH:
        return dict(follow.search or {})
    if follow.kind == Follow.Kind.POSITION:
        return {"q": text_of(ReachesPosition(follow.game, follow.code))}
    row = name_of(follow, scope)
    return {str(follow.kind): unique_name(row)} if row else None


def name_of(follow: Follow, scope: Scope) -> AnyName | None:
    """Return the row of the name of a follow, or the one that it was merged into; None if the scope lacks
    it."""
    rows = NAMED[cast("NameKind", follow.kind)]._default_manager.filter(space__in=scope.spaces)
    row = rows.filter(pk=follow.target or 0).first()
    return rows.filter(pk=row.home_id).first() if row and row.home_id else row
