"""ShogiGUI's opening books (.sbk), in Protocol Buffers: `SBook` of its public schema.

A book has an author (1), a description (2) and positions (3). A position has an id (1), two hashes of a kind
that is not public (2, 3), the numbers of its games (4), of Black's (5) and of White's wins (6), its SFEN (7),
a comment (8), moves (9) and engines' evaluations (10). A move has its squares and pieces in 32 bits (1), a
mark (2), a weight (3) and the id of the position after it (4; -1: none). Positions that a move leads to may
leave out their SFEN (https://qiita.com/sunfish-shogi/items/f47eafe6ca36d086e578).

Nothing says from whose side evaluations are, so they are not read; the weight is the number of times.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.shogi.binary import binary_mark
from kifu_core.shogi.books import Book, BookEntry, BookMove, BookPlace, clipped, key_of, read_sfen
from kifu_core.shogi.formats.book_trees import book_format
from kifu_core.shogi.moves import DROP, pack, promotes, source, target
from kifu_core.shogi.packed import KIND_NUMBERS, KINDS
from kifu_core.shogi.pieces import KI
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, RANKS, square

_WHITE: Final = 0x10
"""Added to the number of a piece of White."""

_VARINT: Final = 0
_BYTES: Final = 2
_SIZES: Final = {1: 8, 5: 4}
"""Bytes of the values of the other types."""
_MOST_VARINT: Final = 10
_NO_STATE: Final = -1


@dataclass(slots=True)
class _State:
    """A position of the file: its id, SFEN or an empty text, comment, and moves: the move, its weight and the
    id of the next position."""

    number: int = 0
    sfen: str = ""
    comment: str = ""
    moves: list[tuple[int, int, int]] = field(default_factory=list)


class _DamagedError(ValueError):
    """Bytes that are no fields."""


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and the offset after it."""
    value = 0
    for shift, byte in enumerate(data[at : at + _MOST_VARINT]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, at + shift + 1
    raise _DamagedError


def _fields(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the fields of a message: its number, and the value as a number or as bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value, b""
            continue
        size = _SIZES.get(tag & 7, 0)
        if tag & 7 == _BYTES:
            size, at = _varint(data, at)
        if (not size and tag & 7 != _BYTES) or at + size > len(data):
            raise _DamagedError
        yield tag >> 3, 0, data[at : at + size]
        at += size


def _state(data: bytes) -> _State:
    state = _State()
    for number, value, content in watched(_fields(data)):
        if number == 1:
            state.number = _int32(value)
        elif number == 7:
            state.sfen = content.decode("utf-8", "replace")
        elif number == 8:
            state.comment = content.decode("utf-8", "replace")
        elif number == 9:
            parts = {1: 0, 3: 0, 4: _NO_STATE}
            parts |= {one: _int32(part) for one, part, _ in _fields(content) if one in parts}
            state.moves.append((parts[1], parts[3], parts[4]))
    return state


def _int32(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _move_of(number: int) -> int:
    """Return the packed move of 32 bits, 0 for none."""
    from_rank, from_file, rank, file = (number >> shift & 15 for shift in (0, 4, 8, 12))
    kind = number >> 24 & 15
    if not (1 <= rank <= 9 and 1 <= file <= 9):
        return 0
    if not from_rank and not from_file:
        return pack(DROP + KINDS[kind], square(file, rank)) if 0 < kind <= KIND_NUMBERS[KI] else 0
    if not (1 <= from_rank <= 9 and 1 <= from_file <= 9):
        return 0
    return pack(square(from_file, from_rank), square(file, rank), number >> 19 & 1)


def _number_of(move: int, position: Position) -> int:
    """Return a move as 32 bits; the inverse of `_move_of`."""
    origin, to, turn = source(move), target(move), position.turn
    number = FILES[to] << 12 | RANKS[to] << 8 | turn << 31
    if origin > DROP:
        return number | (KIND_NUMBERS[origin - DROP] | turn * _WHITE) << 24
    number |= FILES[origin] << 4 | RANKS[origin] | promotes(move) << 19
    number |= KIND_NUMBERS[abs(position.board[to])] << 20
    return number | (KIND_NUMBERS[abs(position.board[origin])] | turn * _WHITE) << 24


def read_book(source: Source, notes: Notes) -> Book:
    """Return the book of a file, whose text has a character for each byte."""
    book, states = Book(notes), list[_State]()
    try:
        for number, _, content in watched(_fields(source.text.encode("latin-1"))):
            if number == 2 and content:
                book.remarks += content.decode("utf-8", "replace").splitlines()
            elif number == 3:
                states.append(_state(content))
    except _DamagedError:
        notes.add("book-damaged", None, "error", count=1)
    _place(states, book)
    return book


def _place(states: list[_State], book: Book) -> None:
    """Add positions to a book, from those with an SFEN along their moves."""
    by_number = {state.number: state for state in states}
    waiting: list[tuple[_State, Position, int]] = []
    for state in watched(states):
        if not state.sfen or by_number.get(state.number) is not state:
            continue
        text = state.sfen.removeprefix("position ").removeprefix("sfen ")
        try:
            waiting = [(by_number.pop(state.number), *read_sfen(text))]
        except DecodeError as error:
            book.notes.add(error.code, None, "error", None, **error.params)
        while waiting:
            one, position, ply = waiting.pop()
            place = book.place(position, ply)
            place.remarks += one.comment.splitlines()
            for number, weight, following in watched(one.moves):
                after = _add(book, place, position, number, weight)
                if after is not None and following in by_number:
                    waiting.append((by_number.pop(following), after, ply + 1))
    if by_number:
        book.notes.add("book-unreached", None, "error", count=len(by_number))


def _add(book: Book, place: BookPlace, position: Position, number: int, weight: int) -> Position | None:
    return book.add(place, position, BookMove(_move_of(number), times=weight or None))


# --- writing ---------------------------------------------------------------------------------------------


def write(entries: Iterable[BookEntry]) -> Iterator[bytes]:
    """Yield a book; all of it is in memory.

    Positions to which no other leads come first and have their SFEN, as ShogiGUI expects.
    """
    positions = [(Position.from_sfen(one.sfen), one) for one in entries]
    book = {key_of(position): (position, one) for position, one in positions}
    after = {
        key: [_key_after(position, move.move) for move in one.moves] for key, (position, one) in book.items()
    }
    roots = _roots(after)
    numbers = {key: number for number, key in enumerate(dict.fromkeys((*roots, *book)))}
    for key, number in numbers.items():
        position, one = book[key]
        state = _message(number, 0, 0, 0, 0, 0)
        if key in roots:
            state += _text(7, f"{one.sfen} {one.ply + 1}")
        if one.remarks:
            state += _text(8, "\n".join(one.remarks))
        for move, following in zip(one.moves, after[key], strict=True):
            weight = clipped(move.times or 0, 32, signed=True)
            state += _content(
                9, _message(_number_of(move.move, position), 0, weight, numbers.get(following, _NO_STATE))
            )
        yield _content(3, state)


def _key_after(position: Position, move: int) -> bytes:
    captured = position.do_move(move)
    key = key_of(position)
    position.undo_move(move, captured)
    return key


def _roots(after: dict[bytes, list[bytes]]) -> dict[bytes, None]:
    """Return the positions that no other leads to, and one of each circle that none of these leads to."""
    reached = {key for keys in after.values() for key in keys}
    candidates = (*(key for key in after if key not in reached), *after)
    roots: dict[bytes, None] = {}
    seen: set[bytes] = set()
    for key in candidates:
        if key in seen:
            continue
        roots[key] = None
        waiting = [key]
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += [following for following in after[one] if following in after]
    return roots


def _message(*numbers: int) -> bytes:
    """Return a message of numbers, the fields 1, 2 and so on."""
    parts = (_encoded(field << 3) + _encoded(_signed(value)) for field, value in enumerate(numbers, start=1))
    return b"".join(parts)


def _signed(value: int) -> int:
    """Return the number of 64 bits by which a number of 32 bits with a sign is written."""
    value &= 0xFFFFFFFF if value >= 0 else (1 << 64) - 1
    return value | 0xFFFFFFFF << 32 if value >> 31 else value


def _encoded(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _content(number: int, data: bytes) -> bytes:
    return _encoded(number << 3 | _BYTES) + _encoded(len(data)) + data


def _text(number: int, text: str) -> bytes:
    return _content(number, text.encode("utf-8", "replace"))


FORMAT: Final = book_format("sbk", read_book, binary_mark("sbk"))
