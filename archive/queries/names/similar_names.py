"""Names that somebody who mistyped one is likely to have meant.

Of a name with few wrong characters some piece is right: names of about the same length that hold one of its
pieces are looked through, in one look at the table as for a part of a name, and the nearest are told.
"""

from itertools import pairwise
from typing import Final

from archive.derive import headers
from archive.project.reading import connection
from archive.queries.names.ids_of_names import NameKind
from archive.queries.scope import Scope

_MOST: Final = 5
_SHORTEST: Final = 2
_LONGEST: Final = 40
"""Characters of a name that is looked for; longer ones are no names that somebody typed."""
_SHORT: Final = 6
"""Up to so many characters one may be wrong, beyond two."""
_LOOKED_AT: Final = 300

_NEAR: Final = """
    SELECT DISTINCT n.name, t.name FROM {table} n
    JOIN (SELECT id, name FROM {table} UNION ALL SELECT {kind}_id, name FROM {aliases}) t ON t.id = n.id
    WHERE {readable} AND length(t.name) BETWEEN %s AND %s AND ({likes})
    AND EXISTS (SELECT 1 FROM {games} d WHERE d.{kind}_id = n.id) LIMIT %s
"""
_LIKE: Final = "lower(t.name) LIKE lower(%s) ESCAPE '!'"


def similar_spellings(scope: Scope, kind: NameKind, text: str) -> list[str]:
    """Return names of players or events that are spelt nearly like a text, the nearest first. There are none
    for one letter, and for what is too long to have been typed."""
    name = ((headers.player_name(text) if kind == "player" else "") or headers.plain(text)).replace("\0", "")
    if not _SHORTEST <= len(name) <= _LONGEST:
        return []
    wrong = 1 if len(name) <= _SHORT else 2
    likes = [_pattern(piece) for piece in _pieces(name, wrong)]
    readable = scope.condition("n")
    sql = _NEAR.format(
        table=f"archive_{kind}",
        aliases=f"archive_{kind}alias",
        games=f"archive_game{kind}",
        kind=kind,
        readable=readable.text,
        likes=" OR ".join([_LIKE] * len(likes)),
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [*readable.values, len(name) - wrong, len(name) + wrong, *likes, _LOOKED_AT])
        near = [(distance(name.lower(), spelt.lower()), found) for found, spelt in cursor.fetchall()]
    found = [one for far, one in sorted(near) if far <= wrong and one != name]
    return list(dict.fromkeys(found))[:_MOST]


def _pieces(name: str, wrong: int) -> list[tuple[str, ...]]:
    """Return pieces of a name, one of which is in every name within so many wrong characters. The last holds
    both ends, between which two characters may have changed places."""
    cuts = [round(place * len(name) / (wrong + 1)) for place in range(wrong + 2)]
    parts: list[tuple[str, ...]] = [("", name[begin:end], "") for begin, end in pairwise(cuts)]
    # Of a name with an odd number of characters the wrong one may be that in the middle.
    half = len(name) // 2
    return [*parts, ("", name[-half:], ""), (name[0], name[-1])]


def _pattern(parts: tuple[str, ...]) -> str:
    return "%".join(part.replace("!", "!!").replace("%", "!%").replace("_", "!_") for part in parts)


def distance(one: str, other: str) -> int:
    """Count the characters that have to be put in, taken out, changed, or exchanged with their neighbour to
    make one text the other (optimal string alignment).

    >>> distance("羽生善冶", "羽生善治"), distance("Hefewiezen", "Hefeweizen"), distance("森内", "森内俊之")
    (1, 1, 2)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, start=1):
        following = [i]
        for j, another in enumerate(other, start=1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (char != another))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == another:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        before, row = row, following
    return row[-1]
