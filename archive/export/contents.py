"""The contents of a collection as plain text, which lie beside the files of its games."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_noop as _

from archive.export.csv_text import BOM
from archive.queries.games.game_json import day_text

if TYPE_CHECKING:
    from archive.models import Collection
    from archive.queries.games.bulk import GameWithRecord

OPENS_AT: Final = _("opens at move %(ply)s")
_INDENT: Final = " " * 6


def heading(collection: Collection) -> bytes:
    """Return title and description. The byte order mark lets all editors of Windows read it as UTF-8."""
    return BOM + _lines(collection.title, collection.description)


def place_text(game: GameWithRecord, name: str, opens_at: str) -> bytes:
    """Return a game of a collection with the name of its file, and for each of its places the part, the ply
    that is shown first, in the words `opens_at`, and the note; nothing for a game of another list."""
    if not game.places:
        return b""
    row = game.row
    players = " – ".join(one or "?" for one in (row.first, row.second))
    words = [players, row.event, row.round, day_text(row.played_from, row.precision)]
    lines = [f"{game.number}  {'  '.join(word for word in words if word)}", f"{_INDENT}{name}"]
    for place in game.places:
        about = [place.part, opens_at % {"ply": place.ply} if place.ply else ""]
        lines += [indent(text, _INDENT) for text in ("  ".join(filter(None, about)), place.note)]
    return _lines(*lines)


def _lines(*texts: str) -> bytes:
    joined = "\n".join(text for text in texts if text.strip())
    return f"{joined}\n\n".replace("\n", "\r\n").encode("utf-8", "replace")
