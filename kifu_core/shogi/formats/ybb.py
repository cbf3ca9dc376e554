"""YaneuraOu's binary opening books (.ybb).

A file begins with `YANE-BINBOOK-V1` and a zero byte, the number of positions (64 bits) and flags (64; bit 0:
moves have depths). Each position has 44 bytes: its 32 bytes as in `psv`, by which they are sorted, the offset
of its moves among all moves (64 bits), its ply as in SFEN (16) and the number of its moves (16). The moves
follow: the move as in `psv` (16 bits), the score from the mover's side (16; 0x7FFF: none) and, by the flag,
the depth (16). Numbers are little-endian (https://github.com/yaneurao/YaneuraOu-ScriptCollection,
https://github.com/sunfish-shogi/shogihome).
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from kifu_core.deadline import check_time
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.shogi.binary import YBB_MAGIC, binary_mark
from kifu_core.shogi.books import Book, BookEntry, BookMove, clipped
from kifu_core.shogi.formats.book_trees import book_format
from kifu_core.shogi.packed import decode, encode, encoded_move, is_encodable, move_of
from kifu_core.shogi.position import Position

_HEADER: Final = struct.Struct("<16sQQ")
_POSITION: Final = struct.Struct("<32sQHH")
_MOVE: Final = struct.Struct("<Hh")
_MOVE_AND_DEPTH: Final = struct.Struct("<HhH")
_HAS_DEPTHS: Final = 1
_NO_SCORE: Final = 0x7FFF
_MOST_MOVES: Final = 593
"""Legal moves of a position. Positions of a damaged file could share millions of moves."""


def read_book(source: Source, notes: Notes) -> Book:
    """Return the book of a file, whose text has a character for each byte."""
    return _read(source.text.encode("latin-1"), notes)


def _read(data: bytes, notes: Notes) -> Book:
    book = Book(notes)
    if len(data) < _HEADER.size:
        notes.add("book-damaged", None, "error")
        return book
    _, count, flags = _HEADER.unpack_from(data)
    layout = _MOVE_AND_DEPTH if flags & _HAS_DEPTHS else _MOVE
    moves_at = _HEADER.size + count * _POSITION.size
    complete = min(count, (len(data) - _HEADER.size) // _POSITION.size)
    damaged = count - complete
    for number in range(complete):
        check_time()
        packed, offset, ply, moves = _POSITION.unpack_from(data, _HEADER.size + number * _POSITION.size)
        begin = moves_at + offset
        if moves > _MOST_MOVES or begin + moves * layout.size > len(data):
            damaged += 1
            continue
        try:
            position = decode(packed, "psv")
        except DecodeError as error:
            notes.add(error.code, None, "error", None, **{**error.params, "number": number + 1})
            continue
        place = book.place(position, max(0, ply - 1))
        for at in range(begin, begin + moves * layout.size, layout.size):
            move, score, *depth = layout.unpack_from(data, at)
            one = BookMove(
                move_of(move, "psv"),
                score=None if score == _NO_SCORE else score,
                depth=depth[0] if depth and depth[0] else None,
            )
            book.add(place, position, one)
    if damaged:
        notes.add("book-damaged", None, "error", count=damaged)
    return book


def write(entries: Iterable[BookEntry]) -> Iterator[bytes]:
    """Yield a book; all of it is in memory.

    Scores and depths are cut to 16 bits. Positions that cannot be packed are left out.
    """
    positions = ((Position.from_sfen(one.sfen), one) for one in entries)
    listed = sorted(
        (encode(position, "psv"), one.ply, one.moves) for position, one in positions if is_encodable(position)
    )
    has_depths = any(move.depth for _, _, moves in listed for move in moves)
    layout = _MOVE_AND_DEPTH if has_depths else _MOVE
    yield _HEADER.pack(YBB_MAGIC, len(listed), _HAS_DEPTHS if has_depths else 0)
    offset = 0
    for packed, ply, moves in listed:
        yield _POSITION.pack(packed, offset, clipped(ply + 1, 16, signed=False), len(moves))
        offset += len(moves) * layout.size
    for _, _, moves in listed:
        for one in moves:
            score = _NO_SCORE if one.score is None else max(-_NO_SCORE, min(_NO_SCORE - 1, one.score))
            depth = (clipped(one.depth or 0, 16, signed=False),) if has_depths else ()
            yield layout.pack(encoded_move(one.move, "psv"), score, *depth)


FORMAT: Final = book_format("ybb", read_book, binary_mark("ybb"))
