"""File names for games: readable, and safe on every system whatever the record contains."""

import re
import unicodedata
from typing import Final

from archive.queries.games.game_json import day_text
from archive.queries.games.listing import GameRow

PART_BYTES: Final = 60
"""Of a player's or an event's name: 20 kanji. With day and number, a file name stays below 255 bytes, the
limit of file systems."""

_LONGEST_PART: Final = 400
"""Characters of a name that are examined."""
_UNSAFE: Final = re.compile(r"""[\s._/\\:*?"'<>|&;$`!#%^(){}\[\]~,，、+=@-]+""")
_INVISIBLE: Final = ("C", "Z")
"""Categories of invisible characters: controls, direction marks, surrogates, line ends."""


def file_name(row: GameRow, extension: str, number: str = "") -> str:
    """Return a file name for a game: day, black, white, event and id, without parts that are unknown; before
    them its number in a collection, if it has one.

    The id makes the name unique where case is ignored, too, and keeps it from being a device name of
    Windows.
    """
    day = day_text(row.played_from, row.precision) or ""
    parts = [
        number,
        day,
        *map(name_part, (row.first, row.second, row.event)),
        str(row.id),
    ]
    return f"{'_'.join(part for part in parts if part)}.{extension}"


def name_part(text: str) -> str:
    """Return a name with unsafe characters replaced by hyphens, cut to `PART_BYTES`."""
    composed = unicodedata.normalize("NFC", text[:_LONGEST_PART])
    visible = "".join(" " if unicodedata.category(char)[0] in _INVISIBLE else char for char in composed)
    safe = _UNSAFE.sub("-", visible).strip("-")
    return safe.encode("utf-8", "replace")[:PART_BYTES].decode("utf-8", "ignore").strip("-")
