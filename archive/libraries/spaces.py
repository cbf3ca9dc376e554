"""Spaces, which hold games and uploads: the public archive, own libraries and groups."""

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from archive.libraries.errors import LibraryError
from archive.models import Game, Membership, Space, Upload, User
from archive.queries.scope import NOWHERE
from kifu_core.classes import PUBLIC


def own_library(user: User) -> Space:
    """Return a user's own library; create it on first use."""
    libraries = Space.objects.filter(kind=Space.Kind.PERSON, memberships__user=user)
    library = libraries.first()
    if library is not None:
        return library
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        library = libraries.first()
        if library is None:
            library = Space.objects.create(kind=Space.Kind.PERSON)
            Membership.objects.create(space=library, user=user, owner=True)
    return library


def owns(user: User | AnonymousUser, space: int) -> bool:
    """Return whether a user owns a space; nobody owns the public one."""
    return Membership.objects.filter(space=space, user=user.pk, owner=True).exists()


def is_used(space: Space) -> bool:
    """Return whether there are games or uploads in a space."""
    return Game.objects.filter(space=space.pk).exists() or Upload.objects.filter(space=space.pk).exists()


def upload_targets(user: User) -> list[tuple[int, str, str]]:
    """Return the spaces that a user may send games to as (id, name in addresses, title): the public one, the
    own library, groups by title. Creates the own library on first use."""
    own, *groups = own_targets(user)
    ids = (int(name.removeprefix("group-")) for name, _title in groups)
    return [
        (PUBLIC, "public", str(_("Public"))),
        (own_library(user).pk, *own),
        *((pk, name, title) for pk, (name, title) in zip(ids, groups, strict=True)),
    ]


def own_targets(user: User) -> list[tuple[str, str]]:
    """Return name in addresses and title of the same spaces without the public one. It only reads: pages that
    read one snapshot, or a replica, must not create a library."""
    groups = Space.objects.filter(kind=Space.Kind.GROUP, memberships__user=user).order_by("name", "pk")
    return [("mine", str(_("My library"))), *((f"group-{group.pk}", group.name) for group in groups)]


def target_space(user: User | AnonymousUser, name: str) -> int:
    """Return the id of a space to send games to, by name: `public` or empty, `mine`, `group-` and its id.

    Raises LibraryError.
    """
    if name in ("", "public"):
        return PUBLIC
    if isinstance(user, User):
        if name == "mine":
            return own_library(user).pk
        for space, group_name, _title in upload_targets(user)[2:]:
            if name == group_name:
                return space
    raise LibraryError("unknown-space")


def space_names(spaces: Iterable[int]) -> dict[int, str]:
    """Return the titles of spaces, by id, for a user who reads them."""
    rows = Space.objects.filter(pk__in=set(spaces))
    titles = {space.pk: space.name or str(_("My library")) for space in rows}
    return {PUBLIC: str(_("Public")), NOWHERE: str(_("My library"))} | titles
