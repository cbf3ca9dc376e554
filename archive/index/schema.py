"""The position index: its rows, the meaning of their numbers, and its tables.

A row says that a game reaches a position, and which move it plays there::

    key int8      class of the position and its orientation (kifu_core.classes)
    played int4   proleptic ordinal of the game's day, 0 when unknown
    slot int4     the game's place in the index
    ply int2      half-moves from the start of the line
    move int2     packed move in the canonical orientation, 0 when nothing was played
    flags int2    FORK, FIRST
    result int2   the game's own result, or NOT_A_GAME

See docs/position-index.md.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

FORK: Final = 1
"""The row is of a fork; without this flag, of the main line."""

FIRST: Final = 2
"""The first row of this game for this key. Every row of a main line has it."""

BLACK_WINS: Final = 0
WHITE_WINS: Final = 1
DRAW: Final = 2
UNKNOWN: Final = 3
NOT_A_GAME: Final = 4
"""In rows only: a problem, an opening tree or a position, which does not count in results."""

UNKNOWN_DAY: Final = 0

KEY_VERSIONS: Final[dict[int, int]] = {1: 1}
"""Every version of the index that this code can read and remove, with the version of its keys.

A new version gets an entry here and becomes INDEX_VERSION; its keys must differ from all earlier ones, so
that the index can hold rows of both. Versions are dropped when no archive has games in them any more.
"""

INDEX_VERSION: Final = 1
"""Version of the rows that are written: of the key and of the rules that make rows from a record."""

HOT_GAMES: Final = 250
"""A key with about this many rows or more has counters."""

PARTED_ROWS: Final = 5_000
"""A key with about this many rows or more has counters by year and by rating, too."""

BAND: Final = 50
"""Rating points in one part of a key's rows."""

FIRST_BAND: Final = -10_000
"""The part of games whose lower rating is below `BAND`; years are parts by their own number, above 0."""

COLOR_BIT: Final = 2
"""The bit of a key that says that the board was turned, so that White is to move in the game."""


GameAtKey = tuple[int, int, int]
"""Key, played and slot of a game's rows; sorted as the primary key."""

Value = int | str | Sequence[int]
"""A parameter of a statement: a number, a text, a list of keys."""

Statement = tuple[str, Sequence[Value]]
"""A statement with its values."""


def union_all(pieces: Sequence[Statement], columns: str = "*") -> tuple[str, tuple[Value, ...]]:
    """Return one SELECT of the rows of all pieces."""
    if len(pieces) == 1 and columns == "*":
        return pieces[0][0], (*pieces[0][1],)
    texts = (f"SELECT {columns} FROM ({text}) p{number}" for number, (text, _) in enumerate(pieces))
    return " UNION ALL ".join(texts), tuple(value for _, values in pieces for value in values)


class CounterKey(NamedTuple):
    """The columns that rows are counted by."""

    key: int
    flags: int
    move: int
    result: int


class IndexRow(NamedTuple):
    """One row of the index; sorts as the primary key does."""

    key: int
    played: int
    slot: int
    ply: int
    move: int
    flags: int
    result: int

    @property
    def counter(self) -> CounterKey:
        return CounterKey(self.key, self.flags, self.move, self.result)


class Segment(NamedTuple):
    """A part of the index: the slots from `start` to before `end`, the first `taken` of them assigned."""

    name: str
    start: int
    end: int
    taken: int

    @property
    def room(self) -> int:
        """Return how many more games fit in."""
        return self.end - self.start - self.taken


def mover(key: int) -> int:
    """Return the colour to move in the game's own position: canonical positions have colour 0 to move."""
    return (key & COLOR_BIT) >> 1
