"""Split large texts of many games into chunks of whole games, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

Chunk = tuple[int, bytes]
"""The number of a chunk's first line, from 1, and its bytes."""

Cutter = Callable[[Iterable[bytes], int, Callable[[int], None]], Iterator[Chunk]]
"""Splits lines into chunks.

Short games are joined up to about as many bytes as the second argument says. The third is called with the
size of a chunk while it grows, and raises an error if that is too large.
"""

Begins = Callable[[bytes, bytes, int], bool]
"""Tells whether a game begins with a line: by the line, the last line with text, and the number of open
braces."""

_OPENING: Final = (b"{", b"(")
_CLOSING: Final = (b"}", b")")


def cutter(begins: Begins) -> Cutter:
    """Return a cutter whose chunks are groups of lines, each beginning with a game.

    Lines after a game belong to it.
    """

    def cut(lines: Iterable[bytes], group: int, check: Callable[[int], None]) -> Iterator[Chunk]:
        piece, first, before, depth = bytearray(), 1, b"", 0
        for number, line in enumerate(lines, 1):
            if len(piece) >= group and begins(line, before, depth):
                yield first, bytes(piece)
                piece, first, depth = bytearray(), number, 0
            piece += line
            before = line if line.strip() else before
            depth = max(0, depth + sum(map(line.count, _OPENING)) - sum(map(line.count, _CLOSING)))
            check(len(piece))
        if piece.strip():
            yield first, bytes(piece)

    return cut
