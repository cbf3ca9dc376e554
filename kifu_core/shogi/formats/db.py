"""YaneuraOu's opening books (.db): positions and their book moves.

The first line is `#YANEURAOU-DB2016 1.00`. Each position has a line `sfen …` and a line for each move: the
move, the expected reply (`none` for none), its score from the mover's side, the depth of the search, the
number of times it was chosen; all but the move are optional (https://github.com/yaneurao/YaneuraOu/wiki,
定跡の作成). Lines with `#` or `//` are remarks about the line before them.

A book is a graph, not a tree: each of its positions is played out once, at its first occurrence; other lines
end with the move that reaches it. Books are made of positions, so no record is written as a book:
`position_lines` writes positions with counts.
"""

import re
import struct
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.expressions import many
from kifu_core.formats import Format, Mark, Stage
from kifu_core.jkf import FORK_LEVELS
from kifu_core.limits import most_games
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.grammar import BLANK, EOL, UNKNOWN, Leaf, LineGrammar
from kifu_core.shogi.formats.positions import GAMES_OF_LINES, PositionDraft
from kifu_core.shogi.formats.usi import packed_step
from kifu_core.shogi.moves import USI_MOVE, from_usi, to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.rules import violation
from kifu_core.shogi.start import initial_of

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

PLACES_A_RECORD: Final = 1_000
"""Positions of the book in one record; the others begin records of their own."""

_KEY: Final = struct.Struct("81b8b8bb")


def _key(position: Position) -> bytes:
    """Return a position as bytes, in a tenth of the time of an SFEN."""
    return _KEY.pack(*position.board, *position.hands[0], *position.hands[1], position.turn)


def _position_of(key: bytes) -> Position:
    numbers = _KEY.unpack(key)
    return Position([*numbers[:81]], [[*numbers[81:89]], [*numbers[89:97]]], numbers[97])


class _BookChoice(NamedTuple):
    """A move of the book; `after` is the key of the next position, `reply` 0 without an expected reply."""

    move: int
    after: bytes
    reply: int
    score: int | None
    depth: int | None
    times: int | None
    begin: int
    end: int
    remarks: list[str]


@dataclass(slots=True)
class _BookPosition:
    """A position of the book: the side to move, and the offset of its line."""

    turn: int
    begin: int
    choices: list[_BookChoice] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class _Book:
    """The positions of a book by their keys; repeated positions have the moves of all lines."""

    def __init__(self, source: Source, notes: Notes) -> None:
        self.places: dict[bytes, _BookPosition] = {}
        self.notes = notes
        self.remarks: list[str] = []
        self.position = Position.initial()
        place: _BookPosition | None = None
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

    @property
    def is_scored(self) -> bool:
        """Return whether any score is not 0: books made of games have 0 everywhere."""
        return any(choice.score for place in self.places.values() for choice in place.choices)

    def _position(self, match: re.Match[str]) -> _BookPosition | None:
        try:
            self.position = Position.from_sfen(match[1].removesuffix(" moves"))
        except DecodeError as error:
            self.notes.add(error.code, match.start(), "error", None, **error.params)
            return None
        place = _BookPosition(self.position.turn, match.start())
        return self.places.setdefault(_key(self.position), place)

    def _move(self, place: _BookPosition, match: re.Match[str]) -> None:
        after = self.position.copy()
        try:
            move = from_usi(match[1])
        except DecodeError as error:
            self.notes.add(error.code, match.start(), "error", None, **error.params)
            return
        if code := violation(after, move):
            self.notes.add("book-move", match.start(), "error", text=match[1], reason=code)
            return
        if any(choice.move == move for choice in place.choices):
            return
        after.do_move(move)
        score, depth, times = (int(text) if text else None for text in match.groups()[2:])
        place.choices.append(
            _BookChoice(
                move,
                _key(after),
                _reply(match[2] or "none", after),
                score,
                depth,
                times,
                match.start(),
                match.end(),
                [],
            )
        )

    def _remark(self, place: _BookPosition | None, text: str) -> None:
        if place is None:
            self.remarks.append(text)
        else:
            (place.choices[-1].remarks if place.choices else place.remarks).append(text)


def _reply(text: str, position: Position) -> int:
    """Return the expected reply, 0 if there is none or it is illegal."""
    try:
        move = from_usi(text)
    except DecodeError:
        return 0
    return 0 if violation(position, move) else move


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the trees of a book.

    Each position that no other leads to begins a tree, and so does each that did not fit into a tree. Scores
    become comments as in ShogiHome's analyses, from Black's side.
    """
    book = _Book(source, notes)
    games: list[ParsedGame] = []
    limit, scored = most_games(source.text, GAMES_OF_LINES), book.is_scored
    done: set[bytes] = set()
    for key in watched(_roots(book)):
        if key in done:
            continue
        if len(games) == limit:
            notes.add("too-many-games", book.places[key].begin, "error", limit=limit)
            break
        draft = _TreeBuilder(book, key, done, scored).draft(source)
        draft.remarks += book.remarks if not games else []
        game = draft.finished(len(games), _locate)
        if game is not None:
            games.append(game if game.record_kind == "position" else replace(game, record_kind="tree"))
        else:
            notes.take(draft.notes)
    return games


def _roots(book: _Book) -> Iterator[bytes]:
    """Yield the roots of the trees: positions that no other leads to, then all positions."""
    reached = {choice.after for place in book.places.values() for choice in place.choices}
    yield from (key for key in book.places if key not in reached)
    yield from book.places


def _locate(block: str) -> list[int]:
    """Return the offset of a block's move twice: the expected reply stands on the same line."""
    return [0, 0]


class _TreeBuilder:
    """Builds the tree of a position: first moves are the main line, others variations."""

    def __init__(self, book: _Book, root: bytes, done: set[bytes], scored: bool) -> None:
        self.book = book
        self.root = book.places[root]
        self.position = _position_of(root)
        self.done = done
        self.scored = scored
        self.budget = PLACES_A_RECORD
        done.add(root)
        self.main = RawLine(restore_same=True)
        waiting = deque([(self.main, self.root)])
        for line, place in watched(iter(_popped(waiting))):
            self._grow(line, place, waiting)

    def draft(self, source: Source) -> PositionDraft:
        return PositionDraft(
            Notes(source),
            position=self.position,
            initial=initial_of(self.position),
            line=self.main,
            comments=self.root.remarks[:],
            first_offset=self.root.begin,
            started=True,
        )

    def _grow(
        self, line: RawLine, place: _BookPosition | None, waiting: deque[tuple[RawLine, _BookPosition]]
    ) -> None:
        """Extend a line as far as the book goes; other moves are appended to `waiting`."""
        while place is not None:
            index, next_place = len(line.steps), None
            black = place.turn == 0
            for number, choice in enumerate(place.choices):
                target = line if not number else RawLine(restore_same=True, level=line.level + 1)
                if number:
                    line.forks.setdefault(index, []).append(target)
                following = self._take(target, choice, black)
                if not number:
                    next_place = following
                elif following is not None:
                    waiting.append((target, following))
            place = next_place

    def _take(self, line: RawLine, choice: _BookChoice, black: bool) -> _BookPosition | None:
        """Add a book move to a line; return the position where the line goes on, None where it ends."""
        following = self.book.places.get(choice.after)
        moves = [choice.move, choice.reply] if following is None and choice.reply else [choice.move]
        if comments := [*self._comments(choice, black), *choice.remarks]:
            line.comments[len(line.steps)] = comments
        line.spots.append((len(line.steps), choice.begin, choice.end))
        line.steps += map(packed_step, moves)
        line.times += [None] * len(moves)
        if following is None or choice.after in self.done or not self.budget or line.level == FORK_LEVELS:
            return None
        if following.remarks:
            line.comments.setdefault(len(line.steps) - 1, []).extend(following.remarks)
        self.done.add(choice.after)
        self.budget -= 1
        return following

    def _comments(self, choice: _BookChoice, black: bool) -> Iterator[str]:
        if self.scored and choice.score is not None:
            yield f"#評価値={choice.score if black else -choice.score}"
            if choice.depth is not None:
                yield f"#深さ={choice.depth}"
            if choice.reply:
                yield f"#読み筋={to_usi(choice.reply)}"
        if choice.times is not None:
            yield f"採用数={choice.times}"


def _popped(waiting: deque[tuple[RawLine, _BookPosition]]) -> Iterator[tuple[RawLine, _BookPosition]]:
    """Yield the items of a queue that grows meanwhile."""
    while waiting:
        yield waiting.popleft()


HEADER: Final = "#YANEURAOU-DB2016 1.00\n"


class BookMove(NamedTuple):
    """A move of a book in USI, the expected reply (empty for none), and the number of times it was chosen."""

    move: str
    reply: str
    times: int


def position_lines(sfen: str, ply: int, moves: Iterable[BookMove]) -> str:
    """Return the lines of a position: its SFEN without number, its ply, and its moves, those chosen most
    often first, with score and depth 0."""
    chosen = sorted(moves, key=lambda one: (-one.times, one.move))
    rows = (f"{one.move} {one.reply or 'none'} 0 0 {one.times}\n" for one in chosen)
    return f"sfen {sfen} {ply + 1}\n{''.join(rows)}"


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


FORMAT: Final = Format("db", load, [Mark(Stage.PAIR, _is_book)])
