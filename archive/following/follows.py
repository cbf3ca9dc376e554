"""Follows of accounts: saved searches, names and positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.db.models import Q

from archive.following.errors import MOST_FOLLOWS, FollowError
from archive.following.own_rows import get_or_create
from archive.models import NAMED, Follow, User
from archive.models.following import TITLE_LENGTH
from archive.names.plain_text import plain
from archive.queries.games.changes import last_change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.models import QuerySet

    from archive.models import NameKind


def own_follows(user: User) -> QuerySet[Follow]:
    """Return what an account follows, the latest first."""
    return Follow.objects.filter(user=user).order_by("-pk")


def save_search(user: User, search: Mapping[str, Any], title: str, scope: str) -> Follow:
    """Save a search by its `stored_parameters`, in spaces by their names. Raises FollowError."""
    return _follow(user, title, kind=Follow.Kind.SEARCH, search=dict(search), scope=scope)


def follow_name(user: User, kind: NameKind, pk: int) -> Follow:
    """Follow a player, an event or a place by id. Raises FollowError."""
    return _follow(user, "", kind=Follow.Kind(kind), target=pk)


def follow_position(user: User, game: str, code: str, title: str = "") -> Follow:
    """Follow a position by its kind of game and its code, which is valid. Raises FollowError."""
    return _follow(user, title, kind=Follow.Kind.POSITION, game=game, code=code)


def _follow(user: User, title: str, **fields: Any) -> Follow:
    title = " ".join(plain(title).split())
    if len(title) > TITLE_LENGTH:
        raise FollowError("follow-title")
    values = {"user": user, "title": title, "seen": last_change()}
    own = Follow.objects.filter(user=user)
    return get_or_create(user, own, MOST_FOLLOWS, "too-many-follows", values, **fields)


def unfollow(user: User, pk: int) -> bool:
    """Remove one of the follows of an account; return whether it had it."""
    return bool(Follow.objects.filter(pk=pk, user=user).delete()[0])


def follow_of(user: User, kind: str, target: int = 0, game: str = "", code: str = "") -> Follow | None:
    """Return the follow of an account for a name, also by the id of one that was merged into
    it, or for a position; None without one."""
    own = Follow.objects.filter(user=user, kind=kind)
    if kind == Follow.Kind.POSITION:
        return own.filter(game=game, code=code).first()
    merged = NAMED[cast("NameKind", kind)]._default_manager.filter(home=target).values("pk")
    return own.filter(Q(target=target) | Q(target__in=merged)).first()
