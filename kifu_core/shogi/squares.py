"""Squares: 0 to 80 in the reading order of an SFEN board, and their names in every notation.

Square 0 is 9a (file 9, rank 1, top left as Black sees it), 8 is 1a, 80 is 1i. Files count 1 to 9 from right
to left, ranks 1 to 9 from the top.
"""

from typing import Final

SQUARES: Final = range(81)

FILES: Final = tuple(9 - square % 9 for square in SQUARES)
RANKS: Final = tuple(square // 9 + 1 for square in SQUARES)

FILE_DIGITS: Final = "１２３４５６７８９"
RANK_KANJI: Final = "一二三四五六七八九"

DIGITS: Final = {
    digit: number
    for digits in ("123456789", FILE_DIGITS, RANK_KANJI)
    for number, digit in enumerate(digits, start=1)
}
"""Half-width and full-width digits and Chinese numerals to 1..9: records mix them for files and ranks."""

CSA: Final = tuple(f"{FILES[square]}{RANKS[square]}" for square in SQUARES)
USI: Final = tuple(f"{FILES[square]}{'abcdefghi'[RANKS[square] - 1]}" for square in SQUARES)
JAPANESE: Final = tuple(FILE_DIGITS[FILES[square] - 1] + RANK_KANJI[RANKS[square] - 1] for square in SQUARES)

BY_CSA: Final = {name: square for square, name in enumerate(CSA)}
BY_USI: Final = {name: square for square, name in enumerate(USI)}
BY_JAPANESE: Final = {file + rank: y * 9 - x for file, x in DIGITS.items() for rank, y in DIGITS.items()}
"""Two characters to a square, in every mixture of digits: `７六`, `76`, `7六`, `７６`."""

MIRRORED: Final = tuple(square // 9 * 9 + 8 - square % 9 for square in SQUARES)
"""Each square's image under the left-right mirror (file 1 for file 9)."""

TURNED: Final = tuple(80 - square for square in SQUARES)
"""Each square's image when the board is turned by 180 degrees."""


def square(file: int, rank: int) -> int:
    """Return the square on a file and rank (JKF's x and y), both 1..9; raise ValueError outside the board.

    >>> square(9, 1), square(7, 6), square(1, 9)
    (0, 47, 80)
    """
    if not (1 <= file <= 9 and 1 <= rank <= 9):
        raise ValueError(f"no square on file {file}, rank {rank}")
    return rank * 9 - file
