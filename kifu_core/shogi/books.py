"""Opening books: positions and their moves, as read from a file of any format, and as written.

`kifu_core.shogi.formats` has a module for each format of books: `db`, `ybb`, `sbk`, `apery`.
"""

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, Self

from kifu_core.deadline import watched
from kifu_core.decoding import Notes
from kifu_core.jkf import Record
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import main_line
from kifu_core.shogi.rules import violation

_KEY: Final = struct.Struct("81b8b8bb")


def key_of(position: Position) -> bytes:
    """Return a position as bytes, in a tenth of the time of an SFEN."""
    return _KEY.pack(*position.board, *position.hands[0], *position.hands[1], position.turn)


def position_of(key: bytes) -> Position:
    """Return the position of a key as a new object."""
    numbers = _KEY.unpack(key)
    return Position([*numbers[:81]], [[*numbers[81:89]], [*numbers[89:97]]], numbers[97])


def read_sfen(text: str) -> tuple[Position, int]:
    """Return the position of an SFEN and the half-moves before it, which are 0 without a number.

    Raises the errors of `Position.from_sfen`.
    """
    position, number = Position.from_sfen(text), text.split()[3:]
    return position, max(0, int(number[0]) - 1) if number else 0


class BookMove(NamedTuple):
    """A packed move of a book, the expected reply (0 for none), how often the move was chosen, its score from
    the mover's side, and the depth of the search; None where the book does not say.

    `remarks` are the lines after it in a text.
    """

    move: int
    reply: int = 0
    times: int | None = None
    score: int | None = None
    depth: int | None = None
    remarks: Sequence[str] = ()


class BookEntry(NamedTuple):
    """A position of a book: SFEN without a number, the half-moves before it, its moves and remarks."""

    sfen: str
    ply: int
    moves: Sequence[BookMove]
    remarks: Sequence[str] = ()


class BookChoice(NamedTuple):
    """A move of a book that was read, and remarks after it. `after` is the key of the next position; the move
    stands in the source from the offset `begin` to `end`, which are 0 in files without lines."""

    book_move: BookMove
    after: bytes
    begin: int
    end: int
    remarks: list[str]


@dataclass(slots=True)
class BookPlace:
    """A position of a book that was read: its ply, and the offset where it stands."""

    ply: int
    begin: int = 0
    choices: list[BookChoice] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class Book:
    """A book that was read: its positions by their keys, and remarks about all of it.

    Repeated positions have the moves of all their places. Moves that cannot be played are left out and noted
    (`book-move`).
    """

    def __init__(self, notes: Notes) -> None:
        self.places: dict[bytes, BookPlace] = {}
        self.remarks: list[str] = []
        self.notes = notes

    @property
    def is_scored(self) -> bool:
        """Return whether any score is not 0: books made of games have 0 everywhere."""
        return any(choice.book_move.score for place in self.places.values() for choice in place.choices)

    def place(self, position: Position, ply: int, begin: int = 0) -> BookPlace:
        """Return the place of a position, which is added if it is new."""
        return self.places.setdefault(key_of(position), BookPlace(ply, begin))

    def add(
        self,
        place: BookPlace,
        position: Position,
        book_move: BookMove,
        begin: int | None = None,
        end: int = 0,
    ) -> Position | None:
        """Add a move to a place, and return the position after it; None if the move cannot be played.

        A move that the place has already is not changed. `position` is that of the place.
        """
        after = position.copy()
        if code := violation(after, book_move.move):
            text = to_usi(book_move.move) if code != "bad-move" else "?"
            self.notes.add("book-move", begin, "error", None, text=text, reason=code)
            return None
        after.do_move(book_move.move)
        if all(choice.book_move.move != book_move.move for choice in place.choices):
            if book_move.reply and violation(after, book_move.reply):
                book_move = book_move._replace(reply=0)
            place.choices.append(BookChoice(book_move, key_of(after), begin or 0, end, []))
        return after

    def merge(self, other: Self) -> None:
        """Add the positions of another book; a move of both has the values of this one."""
        for key, place in other.places.items():
            mine = self.places.setdefault(key, BookPlace(place.ply))
            moves = {choice.book_move.move for choice in mine.choices}
            mine.choices += [choice for choice in place.choices if choice.book_move.move not in moves]
            mine.remarks += place.remarks

    def entries(self) -> Iterator[BookEntry]:
        """Yield the positions in the order of their first places."""
        for key, place in self.places.items():
            moves = [choice.book_move._replace(remarks=choice.remarks) for choice in place.choices]
            yield BookEntry(position_of(key).sfen(None), place.ply, moves, place.remarks)


@dataclass(slots=True)
class MoveCounts:
    """Counts the moves of games, `plies` deep: how often each was played, with which replies."""

    plies: int
    places: dict[bytes, tuple[int, dict[int, Counter[int]]]] = field(default_factory=dict)
    """By position its lowest ply, and for each move the number of games by reply (0 for none)."""

    def add(self, record: Record) -> None:
        """Count the moves of a main line. A move that is repeated in the same position counts once."""
        line = [(key_of(one), move) for _, one, move, _ in islice(main_line(record), self.plies + 1) if move]
        replies = [*(move for _, move in line[1:]), 0]
        seen: set[tuple[bytes, int]] = set()
        for ply, ((key, move), reply) in enumerate(zip(line[: self.plies], replies, strict=False)):
            if (key, move) not in seen:
                seen.add((key, move))
                first, moves = self.places.get(key, (ply, {}))
                moves.setdefault(move, Counter())[reply] += 1
                self.places[key] = min(first, ply), moves

    def add_to(self, book: Book, min_games: int) -> None:
        """Add the moves that at least `min_games` games played to a book, the most frequent first."""
        for key, (ply, moves) in watched(self.places.items()):
            frequent = [(-replies.total(), move) for move, replies in moves.items()]
            chosen = [(-times, move) for times, move in sorted(frequent) if -times >= min_games]
            if not chosen:
                continue
            position = position_of(key)
            place = book.place(position, ply)
            for times, move in chosen:
                replies = [(-n, reply) for reply, n in moves[move].items() if reply]
                book.add(place, position, BookMove(move, min(replies)[1] if replies else 0, times))


def clipped(number: int, bits: int, *, signed: bool) -> int:
    """Return the nearest number of so many bits."""
    most = (1 << bits - signed) - 1
    return max(-most if signed else 0, min(most, number))
