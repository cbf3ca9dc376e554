"""YaneuraOu's opening books (.db): positions and their book moves.

The first line is `#YANEURAOU-DB2016 1.00`. Each position has a line `sfen …` and a line for each move: the
move, the expected reply (`none` for none), its score from the mover's side, the depth of the search, the
number of times it was chosen; all but the move are optional (https://github.com/yaneurao/YaneuraOu/wiki,
定跡の作成). Lines with `#` or `//` are remarks about the line before them.

Books are made of positions, so no record is written as a book: `write` writes the positions of one.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.expressions import many
from kifu_core.formats import Mark, Stage
from kifu_core.shogi.books import Book, BookEntry, BookMove, BookPlace, read_sfen
from kifu_core.shogi.formats.book_trees import book_format
from kifu_core.shogi.formats.grammar import BLANK, EOL, UNKNOWN, Leaf, LineGrammar
from kifu_core.shogi.moves import USI_MOVE, from_usi, to_usi
from kifu_core.shogi.position import Position

_NUMBER = r"-?[0-9]{1,9}"

VERSION = Leaf("version", r"#YANEURAOU-DB[^\n]*+(?:\n|\Z)")
POSITION = Leaf("position", r"[ \t]*+sfen[ \t]++([^\n]*+)(?:\n|\Z)")
MOVE = Leaf(
    "move",
    rf"[ \t]*+({USI_MOVE})(?=[ \t\n]|\Z)"
    rf"(?>(?:[ \t]++([A-Za-z0-9*+]{{1,10}}+))?)(?>(?:[ \t]++({_NUMBER}))?)(?>(?:[ \t]++({_NUMBER}))?)"
    rf"(?>(?:[ \t]++({_NUMBER}))?)" + EOL,
)
REMARK = Leaf("remark", r"[ \t]*+(?:#|//)([^\n]*+)(?:\n|\Z)")

GRAMMAR: Final = LineGrammar(VERSION, POSITION, MOVE, REMARK, BLANK, UNKNOWN)

_NO_MOVES: Final = frozenset(["none", "resign", "win"])
"""Words for a missing move or reply."""


class _BookReader:
    """Reads the lines of a book."""

    def __init__(self, source: Source, notes: Notes) -> None:
        self.book = Book(notes)
        self.notes = notes
        self.position = Position.initial()
        place: BookPlace | None = None
        for name, match in watched(GRAMMAR.items(source.text)):
            if name == "position":
                place = self._position(match)
            elif name == "move" and place is not None:
                self._move(place, match)
            elif name == "remark":
                self._remark(place, match[1].strip())
            elif name not in ("blank", "version"):
                text = match[0].strip()[:40]
                if text.split(" ")[0] not in _NO_MOVES:
                    notes.add("unknown-line", match.start(), text=text, expected=GRAMMAR.expected)

    def _position(self, match: re.Match[str]) -> BookPlace | None:
        try:
            self.position, ply = read_sfen(match[1].removesuffix(" moves"))
        except DecodeError as error:
            self.notes.add(error.code, match.start(), "error", None, **error.params)
            return None
        return self.book.place(self.position, ply, match.start())

    def _move(self, place: BookPlace, match: re.Match[str]) -> None:
        try:
            move = from_usi(match[1])
        except DecodeError as error:
            self.notes.add(error.code, match.start(), "error", None, **error.params)
            return
        score, depth, times = (int(text) if text else None for text in match.groups()[2:])
        one = BookMove(move, _reply(match[2] or "none"), times, score, depth)
        self.book.add(place, self.position, one, match.start(), match.end())

    def _remark(self, place: BookPlace | None, text: str) -> None:
        if place is None:
            self.book.remarks.append(text)
        elif place.choices:
            place.choices[-1].remarks.append(text)
        else:
            place.remarks.append(text)


def _reply(text: str) -> int:
    """Return the expected reply, 0 if there is none."""
    try:
        return from_usi(text)
    except DecodeError:
        return 0


def read_book(source: Source, notes: Notes) -> Book:
    """Return the book of a text."""
    return _BookReader(source, notes).book


HEADER: Final = "#YANEURAOU-DB2016 1.00\n"


def position_lines(entry: BookEntry) -> str:
    """Return the lines of a position: its SFEN and number, and its moves in their order.

    A score or depth that the book does not say is 0.
    """
    rows = "".join(map(_row, entry.moves))
    return f"sfen {entry.sfen} {entry.ply + 1}\n{_remark_lines(entry.remarks)}{rows}"


def _row(one: BookMove) -> str:
    reply = to_usi(one.reply) if one.reply else "none"
    times = "" if one.times is None else f" {one.times}"
    return (
        f"{to_usi(one.move)} {reply} {one.score or 0} {one.depth or 0}{times}\n{_remark_lines(one.remarks)}"
    )


def _remark_lines(remarks: Iterable[str]) -> str:
    return "".join(f"#{remark}\n" for remark in remarks)


def write(entries: Iterable[BookEntry]) -> Iterator[bytes]:
    """Yield a book, sorted by the bytes of the positions' SFEN."""
    yield HEADER.encode()
    for entry in sorted(entries):
        yield position_lines(entry).encode()


_REMARKS: Final = many(r"(?:#|//)[^\n]*+\n")
_MARK: Final = re.compile(
    rf"\A\s*#YANEURAOU-DB|^[ \t]*+sfen[ \t][^\n]++\n{_REMARKS}"
    rf"{USI_MOVE}[ \t]++(?:none|{USI_MOVE})[ \t]++-?[0-9]",
    re.MULTILINE,
)
"""The first line of a book, or a position with a move, its reply and its score."""


def _is_book(text: str, name: str) -> bool:
    """Return whether a text is a book; plain words are searched first, as that is faster."""
    return ("sfen" in text or "#YANEURAOU" in text) and _MARK.search(text) is not None


FORMAT: Final = book_format("db", read_book, Mark(Stage.PAIR, _is_book))
