"""Names that are likely meant by a mistyped name.

A name with few wrong characters has some correct piece: one scan of the table selects the names of about the
same length that contain one of its pieces, and the nearest of them are returned.
"""

from itertools import pairwise
from typing import Final

from rapidfuzz.distance import OSA

from archive.derive import headers
from archive.models import NameKind
from archive.queries.scope import Scope
from archive.queries.sql import like_pattern

_MOST: Final = 5
_SHORTEST: Final = 2
_LONGEST: Final = 40
"""Characters of a name; nobody types longer ones."""
_SHORT: Final = 6
"""Names of up to so many characters may have one wrong character, longer ones two."""
_MOST_COMPARED: Final = 300

_NEAR: Final = """
    SELECT DISTINCT n.name, t.name FROM archive_{kind} t
    JOIN archive_{kind} n ON n.id = coalesce(t.home_id, t.id)
    WHERE {sql} AND length(t.name) BETWEEN %s AND %s AND ({likes})
    AND EXISTS (SELECT 1 FROM archive_game{kind} d WHERE d.{kind}_id = n.id) LIMIT %s
"""
_LIKE: Final = "lower(t.name) LIKE lower(%s) ESCAPE '!'"


def similar_spellings(scope: Scope, kind: NameKind, text: str) -> list[str]:
    """Return names that are spelled nearly like a text, the nearest first; none for a
    single letter and for a text of more than `_LONGEST` characters."""
    name = ((headers.player_name(text) if kind == "player" else "") or headers.plain(text)).replace("\0", "")
    if not _SHORTEST <= len(name) <= _LONGEST:
        return []
    wrong = 1 if len(name) <= _SHORT else 2
    likes = [like_pattern(*piece) for piece in _pieces(name, wrong)]
    spellings = scope.scan_condition("n").embed(
        _NEAR,
        len(name) - wrong,
        len(name) + wrong,
        *likes,
        _MOST_COMPARED,
        kind=kind,
        likes=" OR ".join([_LIKE] * len(likes)),
    )
    near = [(OSA.distance(name.lower(), spelling.lower()), one) for one, spelling in spellings.rows()]
    names = [one for far, one in sorted(near) if far <= wrong and one != name]
    return list(dict.fromkeys(names))[:_MOST]


def _pieces(name: str, wrong: int) -> list[tuple[str, ...]]:
    """Return pieces of a name, one of which is in every name with so many wrong characters. The last piece
    has both ends, between which two characters may be exchanged."""
    cuts = [round(place * len(name) / (wrong + 1)) for place in range(wrong + 2)]
    parts: list[tuple[str, ...]] = [("", name[begin:end], "") for begin, end in pairwise(cuts)]
    # In a name with an odd number of characters the middle one may be wrong.
    half = len(name) // 2
    return [*parts, ("", name[-half:], ""), (name[0], name[-1])]
