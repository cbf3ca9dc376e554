"""Who may change, share and publish a collection."""

from django.contrib.auth.models import AnonymousUser

from archive import libraries
from archive.accounts.roles import may_curate, may_dispose, may_upload
from archive.collections.errors import CollectionError
from archive.models import Collection, Membership, User

AnyUser = User | AnonymousUser


def may_edit(user: AnyUser, collection: Collection) -> bool:
    """Return whether a user may change a collection: a member of its library."""
    return may_dispose(user) and Membership.objects.filter(space=collection.space_id, user=user.pk).exists()


def may_own(user: AnyUser, collection: Collection) -> bool:
    """Return whether a user may share and delete a collection: an owner of its library."""
    return may_dispose(user) and libraries.owns(user, collection.space_id)


def may_show(user: AnyUser, collection: Collection, visibility: str) -> bool:
    """Return whether a user may give a collection this visibility. Only accounts that may send public games
    publish; a curator may hide any public collection."""
    if collection.parent_id is not None:
        return False
    if visibility == Collection.Visibility.PUBLIC:
        return may_own(user, collection) and may_upload(user)
    hides = visibility == Collection.Visibility.PRIVATE and may_curate(user)
    return may_own(user, collection) or (hides and collection.visibility == Collection.Visibility.PUBLIC)


def check_editor(user: User, collection: Collection) -> None:
    """Raise CollectionError unless a user may change a collection."""
    if not may_edit(user, collection):
        raise CollectionError("not-an-editor")
