"""Notes on a position and the follow of it, for pages that show the position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from archive import libraries
from archive.following import follows, notes
from archive.following.errors import TEXT_LENGTH
from archive.models import Follow, PositionNote, User
from archive.models.following import TITLE_LENGTH
from archive.queries.scope import read_private, readable_spaces, reads, selectable_spaces
from archive.web.pages.library_pages import private_names
from kifu_core.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note, the name of its library, the code of its position in addresses, and the visitor's rights."""

    note: PositionNote
    library: str
    code: str
    own: bool
    may_remove: bool


def notes_context(request: HttpRequest, kind: str, codes: Collection[str]) -> dict[str, Any]:
    """Return the notes on any of these positions that the visitor may read; empty for strangers."""
    if not isinstance(request.user, User):
        return {}
    found = notes.notes_on(request.user, readable_spaces(request), kind, codes)
    return {"notes": note_rows(request, found)}


def form_context(request: HttpRequest, kind: str, code: str) -> dict[str, Any]:
    """Return the libraries for a new note on a position, and the visitor's follow; empty for strangers."""
    if not isinstance(request.user, User):
        return {}
    read_private(request)
    return {
        "follow": follows.follow_of(request.user, Follow.Kind.POSITION, game=kind, code=code),
        "note_targets": own_libraries(request),
        "note_length": TEXT_LENGTH,
        "title_length": TITLE_LENGTH,
    }


def own_libraries(request: HttpRequest) -> list[tuple[str, str]]:
    """Return name in addresses and title of the visitor's libraries, the own one first, also if it does not
    exist yet."""
    private = {name: space for name, space in selectable_spaces(request).items() if name != "public"}
    titles = libraries.space_names(private.values())
    rows = [(name, titles[space]) for name, space in private.items()]
    return sorted(rows, key=lambda row: (row[0] != "mine", row[1]))


def note_rows(request: HttpRequest, written: Iterable[PositionNote]) -> list[NoteRow]:
    """Return notes for a page."""
    written = list(written)
    if written:
        read_private(request)
    names = private_names(request, {one.space_id for one in written if reads(request, one.space_id)})
    return [
        NoteRow(
            one,
            names.get(one.space_id, ""),
            GAMES[one.game].codec.path_code(one.code),
            one.author_id == request.user.pk,
            notes.may_remove(request.user, one),
        )
        for one in written
    ]
