"""Names of files for games: readable, and safe on every system whatever stands in a record."""

import re
import unicodedata
from typing import Final

from archive.queries.games.game_json import day_text
from archive.queries.games.listing import GameRow

PART_BYTES: Final = 60
"""Of a player's or an event's name: 20 kanji. With day and number a name stays below the 255 bytes of a file
system."""

_LOOKED_AT: Final = 400
_UNSAFE: Final = re.compile(r"""[\s._/\\:*?"'<>|&;$`!#%^(){}\[\]~,，、+=@-]+""")
_UNSEEN: Final = ("C", "Z")
"""Categories of characters that nobody sees: controls, marks of direction, halves of pairs, line ends."""


def file_name(row: GameRow, extension: str) -> str:
    """Return a game's name as a file: day, black, white, event and number, what is not known left out.

    The number makes it the only one of its name, also where letters differ in case alone, and keeps it from
    being a name that Windows has for a device.
    """
    day = day_text(row.played_from, row.precision) or ""
    parts = [day, *map(_part, (row.first, row.second, row.event)), str(row.id)]
    return f"{'_'.join(part for part in parts if part)}.{extension}"


def _part(text: str) -> str:
    """Return a name as a part of a file's; what is unsafe there becomes a hyphen."""
    composed = unicodedata.normalize("NFC", text[:_LOOKED_AT])
    seen = "".join(" " if unicodedata.category(char)[0] in _UNSEEN else char for char in composed)
    return _cut(_UNSAFE.sub("-", seen).strip("-"), PART_BYTES).strip("-")


def _cut(text: str, most: int) -> str:
    """Return as much of the text as takes at most so many bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
