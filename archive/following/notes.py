"""Notes on positions, and bookmarks of them, which are notes without text.

A note lies in a library: its members and the author read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from archive import libraries
from archive.accounts.roles import may_dispose, may_read_private
from archive.following.errors import MOST_NOTES, TEXT_LENGTH, FollowError
from archive.following.own_rows import get_or_create
from archive.models import Membership, PositionNote, User
from archive.names.plain_text import plain
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from django.db.models import QuerySet

    from archive.accounts.roles import AnyUser


def readable_notes(user: AnyUser, readable: Mapping[str, int]) -> QuerySet[PositionNote]:
    """Return the notes that a user may read, the latest first: own ones, and those of `readable` spaces."""
    if not may_read_private(user):
        return PositionNote.objects.none()
    private = [space for space in readable.values() if space != PUBLIC]
    mine = Q(author=user.pk) | Q(space__in=private)
    return PositionNote.objects.filter(mine).select_related("author", "space").order_by("-pk")


def notes_on(
    user: AnyUser, readable: Mapping[str, int], game: str, codes: Collection[str]
) -> list[PositionNote]:
    """Return the notes on any of these positions of a game that a user may read, the latest first."""
    return list(readable_notes(user, readable).filter(game=game, code__in=codes)[:MOST_SHOWN])


MOST_SHOWN = 50
"""Notes that are shown at a position."""


def write_note(user: User, space: int, game: str, code: str, text: str) -> PositionNote:
    """Write a note on a position, whose code is valid, into a library. Raises FollowError."""
    text = _text_of(text)
    if not (may_dispose(user) and Membership.objects.filter(space=space, user=user).exists()):
        raise FollowError("not-a-member")
    own, fields = PositionNote.objects.filter(author=user), {"game": game, "code": code, "text": text}
    return get_or_create(user, own, MOST_NOTES, "too-many-notes", {"author": user}, space_id=space, **fields)


def change_note(user: User, pk: int, text: str) -> PositionNote | None:
    """Change the text of an own note; return None if the account has no such note. Raises FollowError."""
    note = PositionNote.objects.filter(pk=pk, author=user).first()
    if note is not None:
        note.text = _text_of(text)
        note.save(update_fields=["text", "changed"])
    return note


def remove_note(user: User, pk: int) -> bool:
    """Remove a note, as its author or as an owner of its library; return whether it was removed."""
    note = PositionNote.objects.filter(pk=pk).first()
    if note is None or not may_remove(user, note):
        return False
    return bool(PositionNote.objects.filter(pk=pk).delete()[0])


def may_remove(user: AnyUser, note: PositionNote) -> bool:
    """Return whether a user may remove a note."""
    if not isinstance(user, User) or not may_dispose(user):
        return False
    return note.author_id == user.pk or libraries.owns(user, note.space_id)


def _text_of(text: str) -> str:
    text = plain(text.replace("\r\n", "\n")).strip()
    if len(text) > TEXT_LENGTH:
        raise FollowError("note-text")
    return text
