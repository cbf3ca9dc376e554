"""The names under which an account's owner plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q

from archive.following.errors import MOST_OWN_NAMES, SITE_LENGTH, FollowError
from archive.following.own_rows import get_or_create
from archive.models import OwnName, Player, User
from archive.names.plain_text import plain

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from archive.queries.scope import Scope


def own_names(user: User) -> QuerySet[OwnName]:
    """Return the names of an account, the first chosen first."""
    return OwnName.objects.filter(user=user).select_related("player").order_by("pk")


def add_own_name(user: User, player: Player, site: str = "") -> OwnName:
    """Note that an account's owner is a readable player, in games at a place (`Game.site`) or anywhere.
    Raises FollowError."""
    site = " ".join(plain(site).split())
    if len(site) > SITE_LENGTH:
        raise FollowError("own-site")
    own, values = OwnName.objects.filter(user=user), {"user": user}
    return get_or_create(user, own, MOST_OWN_NAMES, "too-many-own-names", values, player=player, site=site)


def remove_own_name(user: User, pk: int) -> bool:
    """Remove one of the names of an account; return whether it had it."""
    return bool(OwnName.objects.filter(pk=pk, user=user).delete()[0])


def own_name_of(user: User, player: Player) -> OwnName | None:
    """Return a name of an account that is a player, or was merged into it; None without one."""
    rows = Q(player=player) | Q(player__home=player)
    return OwnName.objects.filter(rows, user=user).order_by("pk").first()


class ShownName(NamedTuple):
    """A name of an account, and its player, or the one that it was merged into; None if it cannot be
    read."""

    own: OwnName
    player: Player | None


def shown_names(scope: Scope, user: User) -> list[ShownName]:
    """Return the names of an account with their players."""
    names = list(own_names(user))
    rows = Player.objects.filter(space__in=scope.spaces).in_bulk({one.player.root_id for one in names})
    return [ShownName(one, rows.get(one.player.root_id)) for one in names]
