"""Apery's opening books (book.bin): hashes of positions and their moves.

Each move has 16 bytes: the hash of the position (64 bits), by which the file is sorted, the move as in `hcpe`
(16), the number of times it was chosen (16), its score from the mover's side (32), all little-endian
(https://github.com/HiraokaTakuya/apery, book.cpp). A hash says nothing of its position, so a book is read by
playing: from the usual start and the handicaps, its moves, and any reply that leads into the book again.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from kifu_core.deadline import check_time, watched
from kifu_core.decoding import Notes, Source
from kifu_core.shogi.binary import APERY_MOVE, binary_mark
from kifu_core.shogi.books import Book, BookEntry, BookMove, clipped
from kifu_core.shogi.formats.book_trees import book_format
from kifu_core.shogi.handicaps import HANDICAPS
from kifu_core.shogi.moves import DROP, promotes, source, target
from kifu_core.shogi.packed import KINDS, SQUARES, encoded_move, move_of
from kifu_core.shogi.pieces import HAND_KINDS, PROMOTED
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves

_PIECE_NUMBERS: Final = 31
"""Apery's numbers of pieces: those of White are 16 higher than those of Black."""
_COUNTS_IN_HAND: Final = 19
_SEED: Final = 5489


def _random_numbers(count: int) -> Iterator[int]:
    """Yield the first numbers of MT19937-64, the 64-bit Mersenne twister, from its usual seed.

    M. Matsumoto and T. Nishimura, http://www.math.sci.hiroshima-u.ac.jp/m-mat/MT/emt64.html
    """
    size, middle, mask = 312, 156, (1 << 64) - 1
    state = [_SEED]
    for index in range(1, size):
        state.append(6364136223846793005 * (state[-1] ^ state[-1] >> 62) + index & mask)
    for number in range(count):
        at = number % size
        if not at:
            for index in range(size):
                bits = state[index] & ~0x7FFFFFFF | state[(index + 1) % size] & 0x7FFFFFFF
                twisted = bits >> 1 ^ (0xB5026F5AA96619E9 if bits & 1 else 0)
                state[index] = state[(index + middle) % size] ^ twisted
        value = state[at]
        value ^= value >> 29 & 0x5555555555555555
        value ^= value << 17 & 0x71D67FFFEDA60000
        value ^= value << 37 & 0xFFF7EEE000000000
        yield value ^ value >> 43


class _Hashes(NamedTuple):
    """The numbers that make up a hash: by signed piece and square, by kind in hand and count, of White."""

    pieces: list[list[int]]
    hands: dict[int, list[int]]
    white: int


@cache
def _hashes() -> _Hashes:
    numbers = _random_numbers(_PIECE_NUMBERS * 81 + len(HAND_KINDS) * _COUNTS_IN_HAND + 1)
    by_number = [[next(numbers) for _ in range(81)] for _ in range(_PIECE_NUMBERS)]
    hands = {kind: [next(numbers) for _ in range(_COUNTS_IN_HAND)] for kind in HAND_KINDS}
    places = sorted(range(81), key=lambda number: SQUARES[number])
    pieces = [[0] * 81 for _ in range(29)]
    for number, kind in enumerate(KINDS[1:], start=1):
        pieces[kind] = [by_number[number][place] for place in places]
        pieces[-kind] = [by_number[number + 16][place] for place in places]
    return _Hashes(pieces, hands, next(numbers))


def hash_of(position: Position) -> int:
    """Return the hash of a position: of the board, the side to move and its hand."""
    return _board_hash(position) ^ _hand_hash(position, position.turn)


def _board_hash(position: Position) -> int:
    pieces, value = _hashes().pieces, 0
    for square, piece in enumerate(position.board):
        value ^= pieces[piece][square]
    return value


def _hand_hash(position: Position, color: int) -> int:
    """Return the hash of a side to move and its hand."""
    hashes = _hashes()
    value = hashes.white if color else 0
    for kind in HAND_KINDS:
        value ^= hashes.hands[kind][min(position.hands[color][kind], _COUNTS_IN_HAND - 1)]
    return value


def _hashes_after(position: Position, moves: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield each move with the hash after it: a move does not change the hand of the side that is next."""
    pieces, turn, board = _hashes().pieces, position.turn, position.board
    rest = _board_hash(position) ^ _hand_hash(position, turn ^ 1)
    for move in moves:
        origin, to = source(move), target(move)
        if origin > DROP:
            placed = DROP - origin if turn else origin - DROP
            yield move, rest ^ pieces[placed][to]
        else:
            piece = board[origin]
            placed = PROMOTED[piece] if promotes(move) else piece
            yield move, rest ^ pieces[piece][origin] ^ pieces[board[to]][to] ^ pieces[placed][to]


def read_book(source: Source, notes: Notes) -> Book:
    """Return the book of a file, whose text has a character for each byte.

    Positions that no moves from a start reach are left out and reported (`book-unreached`). A position
    takes a tenth of a millisecond, and as much for each of its moves that leads out of the book.
    """
    return _AperyReader(source.text.encode("latin-1"), notes).read()


class _AperyReader:
    def __init__(self, data: bytes, notes: Notes) -> None:
        self.book = Book(notes)
        self.notes = notes
        self.moves: dict[int, list[BookMove]] = {}
        complete = data[: len(data) // APERY_MOVE.size * APERY_MOVE.size]
        for value, move, times, score in APERY_MOVE.iter_unpack(complete):
            packed = move_of(move, "hcpe")
            self.moves.setdefault(value, []).append(BookMove(packed, 0, times, score))
        self.waiting: deque[tuple[Position, int]] = deque()

    def read(self) -> Book:
        for handicap in HANDICAPS:
            start = Position.from_sfen(handicap.sfen)
            self._reach(hash_of(start), start, 0)
            while self.waiting:
                check_time()
                self._add(*self.waiting.popleft())
        if self.moves:
            self.notes.add("book-unreached", None, "error", count=len(self.moves))
        return self.book

    def _reach(self, value: int, position: Position, ply: int) -> None:
        """Add the moves of a position to the book, if it has any that were not added yet."""
        if (moves := self.moves.pop(value, None)) is None:
            return
        place = self.book.place(position, ply)
        for one in watched(moves):
            self.book.add(place, position, one)
        self.waiting.append((position, ply))

    def _add(self, position: Position, ply: int) -> None:
        """Reach the positions after a position of the book, and those after one more move from its moves."""
        chosen = {choice.book_move.move for choice in self.book.place(position, ply).choices}
        for move, value in _hashes_after(position, legal_moves(position)):
            if value not in self.moves and move not in chosen:
                continue
            after = position.copy()
            after.do_move(move)
            self._reach(value, after, ply + 1)
            if move in chosen and self.moves:
                self._reach_replies(after, ply + 1)

    def _reach_replies(self, position: Position, ply: int) -> None:
        for move, value in _hashes_after(position, legal_moves(position)):
            if value in self.moves:
                after = position.copy()
                after.do_move(move)
                self._reach(value, after, ply + 1)


def write(entries: Iterable[BookEntry]) -> Iterator[bytes]:
    """Yield a book; all of it is in memory.

    The times that a move was chosen are cut to 16 bits; they are 1 where the book does not say, since engines
    choose no move that was chosen never.
    """
    listed = sorted(
        (hash_of(Position.from_sfen(one.sfen)), number, one.moves) for number, one in enumerate(entries)
    )
    for value, _, moves in listed:
        for one in moves:
            times = 1 if one.times is None else clipped(one.times, 16, signed=False)
            yield APERY_MOVE.pack(
                value, encoded_move(one.move, "hcpe"), times, clipped(one.score or 0, 32, signed=True)
            )


FORMAT: Final = book_format("apery", read_book, binary_mark("apery"))
