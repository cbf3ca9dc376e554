"""The editions of a game side by side (校合): differences, sources, choices that become corrections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from archive.curation.policy import may_propose
from archive.models import Entry, Game, codec
from archive.project.site_address import public_address
from archive.queries.games.taken_down import (
    editions,
    game_called,
    game_shown,
    hide_names,
    hide_paths,
    sees_deleted,
    sees_entry,
)
from archive.queries.scope import readable_spaces
from archive.web.curation.comparing import LONGEST, Row, compare
from archive.web.lists.game_search import source_name
from archive.web.replay.game_page import facts

if TYPE_CHECKING:
    from kifu_core.jkf import Record

MOST: Final = 8
"""Editions side by side; a game may have a thousand."""


@dataclass(frozen=True, slots=True)
class Source:
    """An edition as the head of its column."""

    url: str
    name: str
    facts: str
    line: int | None
    """The line of its first finding."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of an edition. `choice` are the fields of the form that makes it the game's value, empty if it
    is that already, or if the form cannot."""

    text: str
    choice: dict[str, str]


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A header, or a ply, of the game as it is and of its editions."""

    title: str
    present: str
    cells: list[Cell]
    differs: bool


@never_cache
@require_safe
def side_by_side(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show a game as it is, and its first `MOST` editions."""
    game = game_shown(request, game_id)
    if game is None:
        return redirect("game-editions", game_called(request, game_id))
    entries, more = _entries(request, game)
    record = game.jkf
    records = [record, *(_record(game, entry) for entry in entries)]
    sources = [_source(entry) for entry in entries]
    comparison = compare(game.kind, records)
    shown = facts(game, record)
    context = {
        "game": game,
        "title": shown["title"],
        "sources": sources,
        "more": more,
        "headers": [_header_row(row, record, records[1:], sources) for row in comparison.headers],
        "moves": [_move_row(row, records, sources) for row in comparison.moves],
        "more_moves": comparison.more,
        "differences": comparison.differences,
        "corrects": may_propose(request.user, game),
        "citations": _citations(request, game, shown),
        "section": "games",
    }
    return render(request, "archive/curation/editions.html", context)


def _entries(request: HttpRequest, game: Game) -> tuple[list[Entry], int]:
    """Return the editions that a request sees, at most `MOST`, and the number of the others."""
    spaces = readable_spaces(request).values()
    rows = editions(game.pk, spaces, deleted=sees_deleted(request)).select_related("upload", "game")
    entries = [entry for entry in rows[:MOST] if sees_entry(request, entry)]
    hide_names(request, [entry.upload for entry in entries])
    hide_paths(request, entries)
    return entries, max(0, rows.count() - MOST)


def _record(game: Game, entry: Entry) -> Record:
    packed = entry.record or game.stored.base or game.stored.record
    return codec.unpack(bytes(packed))


def _source(entry: Entry) -> Source:
    name = entry.path or source_name(entry.upload_id, entry.upload.name)
    place = _("record %(number)s of the file") % {"number": entry.index + 1} if entry.index else ""
    lines = [issue["line"] for issue in entry.issues if issue.get("line")]
    return Source(
        reverse("upload-detail", args=[entry.upload_id]),
        name[:LONGEST],
        " · ".join(filter(None, [entry.format.upper(), place, entry.program[:LONGEST]])),
        min(lines, default=None),
    )


def _header_row(row: Row, record: Record, others: Sequence[Record], sources: Sequence[Source]) -> ShownRow:
    old = record["header"].get(row.name, "")
    cells = []
    for text, other, source in zip(row.values[1:], others, sources, strict=True):
        new = other["header"].get(row.name, "")
        choice = {"name": row.name, "old": old, "new": new} if new != old and len(new) <= LONGEST else {}
        cells.append(Cell(text, _with_reason(choice, source)))
    return ShownRow(row.title, row.values[0], cells, row.differs)


def _move_row(row: Row, records: Sequence[Record], sources: Sequence[Source]) -> ShownRow:
    old = _comments(records[0], int(row.name))
    cells = []
    for text, other, source in zip(row.values[1:], records[1:], sources, strict=True):
        new = _comments(other, int(row.name))
        choice = {}
        if None not in (old, new) and old != new:
            choice = {"at": row.name, "old-comment": str(old), "comment": str(new)}
        cells.append(Cell(text, _with_reason(choice, source)))
    return ShownRow(row.title, row.values[0], cells, row.differs)


def _comments(record: Record, ply: int) -> str | None:
    """Return the comments on a ply; None if the line has ended by then."""
    moves = record["moves"]
    return "\n".join(moves[ply].get("comments", ())) if ply < len(moves) else None


def _with_reason(choice: dict[str, str], source: Source) -> dict[str, str]:
    reason = _("As in the edition %(name)s") % {"name": source.name}
    return {**choice, "reason": reason, "do": "send", "back": "game-editions"} if choice else {}


def _citations(request: HttpRequest, game: Game, shown: dict[str, Any]) -> list[tuple[str, str]]:
    """Return citations of a game: as plain text, and as an entry of BibTeX."""
    address = public_address(request.build_absolute_uri(reverse("game", args=[game.pk])))
    words = [str(shown["title"]), str(shown["event"]), str(shown["date"]), str(shown["place"])]
    site = _("Kifu Archive")
    plain = ", ".join([*filter(None, words), f"{site} {game.pk}", address])
    values = {"title": words[0], "note": words[1], "year": words[2][:4], "howpublished": site, "url": address}
    lines = (f"  {name} = {{{_bibtex(text)}}}" for name, text in values.items() if text)
    return [("citation", plain), ("bibtex", f"@misc{{kifu{game.pk},\n" + ",\n".join(lines) + "\n}")]


def _bibtex(text: str) -> str:
    return "".join(" " if sign in "{}\\\n" else sign for sign in text)
