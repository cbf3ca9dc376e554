"""Create, change, share and delete collections.

Each function is one transaction, which locks the collection first; so changes of one collection follow each
other.
"""

import secrets

from django.db import transaction
from django.db.models import Count, Max

from archive.accounts.audit import note
from archive.collections.errors import MOST_COLLECTIONS, TEXT_LENGTH, TITLE_LENGTH, CollectionError
from archive.collections.rights import check_editor, may_own, may_show
from archive.models import AuditEvent, Collection, CollectionGame, Space, User
from archive.names.plain_text import JOINERS, plain
from archive.queries.scope import hash_of


def create(user: User, space: int, title: str, description: str = "") -> Collection:
    """Create a collection in a library. Raises CollectionError."""
    collection = Collection(space_id=space, title=title_of(title), description=text_of(description))
    check_editor(user, collection)
    with transaction.atomic():
        # Of several that are created at once, one more would be one too many.
        Space.objects.select_for_update().get(pk=space)
        if Collection.objects.filter(space=space, parent=None).count() >= MOST_COLLECTIONS:
            raise CollectionError("too-many-collections")
        collection.save()
    return collection


def create_part(user: User, parent: Collection, title: str, description: str = "") -> Collection:
    """Create a part of a collection, behind the others. Raises CollectionError."""
    with transaction.atomic():
        parent = locked(parent.pk)
        check_editor(user, parent)
        if parent.parent_id is not None:
            raise CollectionError("part-of-part")
        counted = parent.parts.aggregate(number=Count("pk"), last=Max("place"))
        if counted["number"] >= MOST_COLLECTIONS:
            raise CollectionError("too-many-collections")
        part = Collection.objects.create(
            space_id=parent.space_id,
            parent=parent,
            place=(counted["last"] or 0) + 1,
            title=title_of(title),
            description=text_of(description),
            visibility=parent.visibility,
        )
        touch(parent)
    return part


def describe(user: User, collection: Collection, title: str, description: str) -> None:
    """Change title and description. Raises CollectionError."""
    with transaction.atomic():
        collection = locked(collection.pk)
        check_editor(user, collection)
        collection.title, collection.description = title_of(title), text_of(description)
        collection.save(update_fields=["title", "description", "changed"])
        touch(collection.parent)


def show(user: User, collection: Collection, visibility: str) -> str:
    """Change who may read a collection and its parts; return the key of the link for LINK, else an empty
    text. An earlier link ends. Raises CollectionError, ValueError for an unknown visibility."""
    shown = Collection.Visibility(visibility)
    with transaction.atomic():
        collection = locked(collection.pk)
        if not may_show(user, collection, shown):
            raise CollectionError(_refusal(user, collection))
        key = secrets.token_urlsafe(24) if shown == Collection.Visibility.LINK else ""
        collection.visibility, collection.key = shown, hash_of(key) if key else None
        collection.save(update_fields=["visibility", "key", "changed"])
        for part in collection.parts.all():
            part.visibility = shown
            part.save(update_fields=["visibility", "changed"])
        note(_EVENTS[shown], user, f"collection {collection.pk}: {shown}")
    return key


_EVENTS = {
    Collection.Visibility.PRIVATE: AuditEvent.TAKE_BACK,
    Collection.Visibility.LINK: AuditEvent.SHARE,
    Collection.Visibility.PUBLIC: AuditEvent.PUBLISH,
}


def _refusal(user: User, collection: Collection) -> str:
    if collection.parent_id is not None:
        return "of-the-whole"
    return "no-publishing" if may_own(user, collection) else "not-an-owner"


def place_part(user: User, part: Collection, number: int) -> None:
    """Move a part to a place among the parts, counted from 1. Raises CollectionError."""
    with transaction.atomic():
        part = locked(part.pk)
        check_editor(user, part)
        if part.parent_id is None:
            return
        others = list(
            Collection.objects.filter(parent=part.parent_id).exclude(pk=part.pk).order_by("place", "pk")
        )
        at = max(0, min(number - 1, len(others)))
        for place, one in enumerate([*others[:at], part, *others[at:]], start=1):
            if one.place != place:
                one.place = place
                one.save(update_fields=["place", "changed"])
        touch(part.parent)


def delete(user: User, collection: Collection) -> None:
    """Delete a collection with its parts; the games stay. Raises CollectionError."""
    with transaction.atomic():
        collection = locked(collection.pk)
        if not may_own(user, collection):
            raise CollectionError("not-an-owner")
        if collection.visibility != Collection.Visibility.PRIVATE:
            note(AuditEvent.DELETE, user, f"collection {collection.pk}, {collection.visibility}")
        ids = [collection.pk, *collection.parts.values_list("pk", flat=True)]
        CollectionGame.objects.filter(collection__in=ids).delete()
        touch(collection.parent)
        collection.delete()


def locked(pk: int) -> Collection:
    """Return a collection, locked until the end of the transaction. Raises CollectionError."""
    collection = Collection.objects.select_for_update(of=("self",)).filter(pk=pk).first()
    if collection is None:
        raise CollectionError("no-collection")
    return collection


def touch(collection: Collection | None) -> None:
    """Note that a collection has changed, so that pages and tags with it are made anew."""
    if collection is not None:
        collection.save(update_fields=["changed"])


def title_of(text: str) -> str:
    """Return a title in one line, without characters that hide or reverse text. Raises CollectionError."""
    title = " ".join(plain(text).split())
    if len(title) > TITLE_LENGTH or not title.strip(JOINERS + " "):
        raise CollectionError("collection-title")
    return title


def text_of(text: str) -> str:
    """Return a description or a note, without characters that hide or reverse text. Raises
    CollectionError."""
    plain_text = plain(text.replace("\r\n", "\n")).strip()
    if len(plain_text) > TEXT_LENGTH:
        raise CollectionError("collection-text")
    return plain_text
