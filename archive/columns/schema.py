"""The columns of a position with their types, in the column files.

A row is a position of a game. `slot` is the game's place in the index, `ply` counts from 0, `fork` tells a
variation from the main line. `node` numbers the positions of a game so that all successors of one, in any
line, have the numbers after it up to its `last`. Squares are named by file and rank, `s76`; a square holds a
signed piece of `kifu_core.shogi.pieces`: Black's 1 to 14, White's the same with a minus, 0 for none. `move`
is the packed move that its line plays there, 0 at the end. `result` (0 Black won, 1 White, 2 a draw, 3
unknown), `played` (days since the year 1, which begins with 1) and the ratings are the game's, null where it
has none; `kind` is what kind of record it is, by `RECORD_KINDS`, `game` its id.
"""

from typing import Final

from kifu_core.shogi.pieces import CODES, HAND_KINDS, KINDS
from kifu_core.shogi.squares import CSA

VERSION: Final = 1
"""It changes with the columns of files or with their meaning."""

RECORD_KINDS: Final = ("game", "problem", "tree", "position")

COLORS: Final = ("black", "white")

SQUARES: Final = tuple(f"s{name}" for name in CSA)
"""By square, 0 to 80."""

HANDS: Final = {
    (color, kind): f"{name}_hand_{CODES[kind]}" for color, name in enumerate(COLORS) for kind in HAND_KINDS
}
"""By colour and kind."""

COUNTS: Final = {
    (color, kind.value): f"{name}_{kind.code}" for color, name in enumerate(COLORS) for kind in KINDS
}
"""By colour and kind: the number on the board."""

OF_POSITION: Final = {
    "slot": "INTEGER",
    "node": "SMALLINT",
    "last": "SMALLINT",
    "ply": "SMALLINT",
    "fork": "BOOLEAN",
    "turn": "TINYINT",
    "move": "INTEGER",
}

OF_GAME: Final = {
    "result": "TINYINT",
    "played": "INTEGER",
    "black_rating": "SMALLINT",
    "white_rating": "SMALLINT",
    "kind": "TINYINT",
    "game": "BIGINT",
}
"""Columns of the game for searches: the same in all its rows, so they compress to nothing."""

CONTENTS: Final = (*SQUARES, *HANDS.values(), *COUNTS.values())
"""Small numbers: the pieces on squares, the numbers in hands and on the board, in this order."""

TYPES: Final = OF_POSITION | OF_GAME | dict.fromkeys(CONTENTS, "TINYINT")
