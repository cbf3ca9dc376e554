"""USI and SFEN: a game or a position a line, moves as engines write them (.usi, .sfen).

Moves copied from a log or typed may stand one to a line: such lines are one game.

The command is that of the Universal Shogi Interface (http://shogidokoro.starfree.jp/usi.html): `position`,
`startpos` or `sfen` with a position, `moves` with moves. Files leave out redundant words.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, takewhile
from typing import Final, Self

from kifu_core.cutting import cutter
from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError, IllegalMoveError
from kifu_core.expressions import many
from kifu_core.formats import ALL_BUT_MOVES, Format, Mark, Stage, Writer
from kifu_core.jkf import Initial, Record
from kifu_core.limits import most_games
from kifu_core.memo import Memo
from kifu_core.record import ParsedGame
from kifu_core.shogi.classify import with_openings
from kifu_core.shogi.fen import BOARD, TO_ADDRESS, as_sfen, decoded
from kifu_core.shogi.formats.endings import NoEndings
from kifu_core.shogi.formats.grammar import BLANK, REMARK, Leaf, LineGrammar
from kifu_core.shogi.formats.positions import GAMES_OF_LINES, PositionDraft
from kifu_core.shogi.handicaps import INITIAL_SFEN
from kifu_core.shogi.move_resolution import (
    EndingStep,
    MovePlan,
    Step,
    UnreadableStep,
    plan,
    sourced_step,
)
from kifu_core.shogi.moves import DROP, USI_MOVE, from_usi, promotes, source, target, to_usi
from kifu_core.shogi.pieces import WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.replay import packed_move
from kifu_core.shogi.replay import start as start_of
from kifu_core.shogi.start import initial_of

_EOL = r"(?:\n|\Z)"
_GAP = r"[^\S\n]"
"""A blank of any script: text copied from pages has full-width ones."""

ADDRESS = Leaf("address", rf"{_GAP}*+{TO_ADDRESS}([^\n?&#]++)[^\n]*+" + _EOL)
POSITION = Leaf(
    "position", rf"{_GAP}*+(?:(?:position|startpos|sfen|moves)(?=\s|\Z)|{BOARD}[\s\[])[^\n]*+" + _EOL
)
MOVES = Leaf(
    "moves",
    rf"{_GAP}*+{USI_MOVE}{many(rf'{_GAP}++{USI_MOVE}')}(?>(?:{_GAP}++[a-z_]{{1,20}}+)?){_GAP}*+" + _EOL,
)
NOTE = Leaf("note", r"([^\n]++)" + _EOL)

GRAMMAR: Final = LineGrammar(ADDRESS, POSITION, MOVES, BLANK, REMARK, NOTE)

_BEGINNING: Final = re.compile(r"\s*+(?:[1-9][gi]|[28]h)")
"""The sources of Black's first move in an even game."""
_TOKEN: Final = re.compile(r"\S++")
_ONE_MOVE: Final = re.compile(USI_MOVE)

_MOST_FIELDS: Final = 8
"""Words before the moves of a line: `sfen`, the six fields of a FEN, `moves`."""

ENDINGS: Final = {
    "resign": "TORYO",
    "win": "KACHI",
    "timeout": "TIME_UP",
    "rep_draw": "SENNICHITE",
    "draw": "HIKIWAKE",
    "break": "CHUDAN",
}
"""Words of ShogiHome and engines in place of the next move, to JKF's names."""


class UsiMove(Step):
    """A move on the board that does not name its piece."""

    __slots__ = ("origin", "promote", "to")

    def __init__(self, origin: int, to: int, promote: bool) -> None:
        self.origin = origin
        self.to = to
        self.promote = promote

    def plan(self, position: Position, last: int) -> MovePlan:
        kind = abs(position.board[self.origin])
        if not kind:
            raise IllegalMoveError("no-piece")
        return plan(self.origin, self.to, kind, self.promote, position.turn)


def packed_step(move: int) -> Step:
    """Return the step of a packed move."""
    origin = source(move)
    if origin > DROP:
        return sourced_step(-1, target(move), origin - DROP, False)
    return UsiMove(origin, target(move), promotes(move))


def _read_token(text: str) -> Step:
    if text in ENDINGS:
        return EndingStep(text, ENDINGS[text])
    try:
        return packed_step(from_usi(text))
    except DecodeError:
        return EndingStep(text, None) if text.isascii() and text.isalpha() else UnreadableStep(text[:20])


_STEPS: Final = Memo(_read_token)


def _is_move(word: str) -> bool:
    return _ONE_MOVE.fullmatch(word) is not None


class _Course:
    """The sides of pieces after lines of one move, enough to tell the mover of another line."""

    def __init__(self, position: Position) -> None:
        self._board = list(position.board)
        self._sign = -1 if position.turn == WHITE else 1

    def takes(self, word: str) -> bool:
        """Return whether the side to move has a piece on the source; a drop fits either side."""
        try:
            origin = source(from_usi(word))
        except DecodeError:
            return False
        return origin > DROP or self._board[origin] * self._sign > 0

    def after(self, words: list[str]) -> Self | None:
        """Return the course after a line of one move; None if the line has several."""
        if len(words) > 1 and _is_move(words[1]):
            return None
        for word in words[:1]:
            try:
                move = from_usi(word)
            except DecodeError:
                return None
            origin = source(move)
            self._board[target(move)] = self._sign
            if origin < DROP:
                self._board[origin] = 0
            self._sign = -self._sign
        return self


def _continues(draft: PositionDraft, course: _Course | None, words: list[str], begin: int) -> bool:
    """Return whether a line of nothing but moves continues the game before it.

    It does after a line that ends in `moves`, and if no even game begins with its first move. Otherwise it
    must be one move of the side to move, like all lines before. `course` is None if a line before has several
    moves.
    """
    steps = draft.line.steps
    if not draft.playable or (steps and isinstance(steps[-1], EndingStep)):
        return False
    if not steps and draft.notes.source.text[draft.first_offset : begin].rstrip().endswith("moves"):
        return True
    if not _BEGINNING.match(words[0]):
        return True
    return course is not None and not any(map(_is_move, words[1:2])) and course.takes(words[0])


def _course(draft: PositionDraft, line: str) -> _Course | None:
    """Return the course after the first line of a draft; None if it has several moves."""
    moves = len(draft.line.steps)
    return _Course(draft.position).after(line.split()[-1:] if moves else []) if moves < 2 else None


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games and positions of a USI or SFEN text, in order.

    Other lines after a game are its comments: cshogi's puzzles have the likelihood of the solution there.
    """
    games: list[ParsedGame] = []
    limit = most_games(source.text, GAMES_OF_LINES)
    for draft in _drafts(source, notes):
        if len(games) == limit:
            notes.add("too-many-games", draft.first_offset, "error", limit=limit)
            break
        game = draft.finished(len(games), _locate) if draft.playable else None
        if game is not None:
            games.append(game)
        else:
            notes.take(draft.notes)
    return with_openings(games)


def _locate(block: str) -> list[int]:
    return [match.start() for match in _TOKEN.finditer(block)]


def _drafts(source: Source, notes: Notes) -> Iterator[PositionDraft]:
    draft: PositionDraft | None = None
    course: _Course | None = None
    remarks: list[str] = []
    for name, match in watched(GRAMMAR.items(source.text)):
        if (
            name == "moves"
            and draft is not None
            and _continues(draft, course, match[0].split(), match.start())
        ):
            words = match[0].split()
            course = None if course is None else course.after(words)
            _add(draft, words, match.span())
        elif name in ("address", "position", "moves"):
            if draft is not None:
                yield draft
            draft, remarks = _draft(source, name, match, remarks), []
            course = _course(draft, match[0])
        elif name == "remark":
            remarks.append(match[1])
        elif name == "note" and draft is not None:
            draft.comments.append(match[1].strip())
        elif name == "note":
            notes.add("unknown-line", match.start(), text=match[0].strip()[:40], expected=GRAMMAR.expected)
    if draft is not None:
        draft.remarks += remarks
        yield draft


def _draft(source: Source, name: str, match: re.Match[str], remarks: list[str]) -> PositionDraft:
    """Return the draft of one line, not playable if its position cannot be read."""
    draft = PositionDraft(Notes(source), line=RawLine(restore_same=True), first_offset=match.start())
    draft.remarks += remarks
    words = decoded(match[1]).split() if name == "address" else match[0].split()
    at = 1 if words[0] == "position" else 0
    try:
        (draft.position, draft.initial), at = _start(words[at : at + _MOST_FIELDS], at)
    except DecodeError as error:
        draft.notes.add(error.code, match.start(), "error", None, **error.params)
        draft.playable = False
        return draft
    if words[at:]:
        begin = match.start() if name == "address" else _nth_word(source.text, match.start(), at)
        _add(draft, words[at:], (begin, match.end()))
    return draft


def _nth_word(text: str, begin: int, number: int) -> int:
    return next(islice(_TOKEN.finditer(text, begin), number, None)).start()


def _add(draft: PositionDraft, words: list[str], span: tuple[int, int]) -> None:
    line = draft.line
    line.spots.append((len(line.steps), *span))
    line.steps += _STEPS.each(words)
    line.times += [None] * len(words)


def _start(words: list[str], at: int) -> tuple[tuple[Position, Initial], int]:
    """Return the start, and the index of the first move among the words of a line.

    `words` are those from index `at` on. Raises DecodeError for an invalid position, and for a word that is
    no move where `moves` is left out.
    """
    taken, sfen = 0, INITIAL_SFEN
    if words and words[0] == "startpos":
        taken = 1
    elif words and words[0] != "moves" and not _ONE_MOVE.fullmatch(words[0]):
        first = int(words[0] == "sfen")
        taken = first + _fields(words[first:])
        sfen = " ".join(words[first:taken])
    start = _parse_start(sfen)
    following = words[taken] if taken < len(words) else ""
    if following == "moves":
        taken += 1
    elif following and following not in ENDINGS and not _ONE_MOVE.fullmatch(following):
        raise DecodeError("bad-usi-move", params={"text": following[:20]})
    return start, at + taken


def _fields(words: list[str]) -> int:
    """Count the words of a position: board, side to move, hands if not in the board, counters."""
    least = 2 if "[" in "".join(words[:1]) else 3
    counters = takewhile(lambda word: word == "-" or word.isdecimal(), words[least:])
    return min(least, len(words)) + sum(1 for _ in counters)


@lru_cache(maxsize=64)
def _parse_start(sfen: str) -> tuple[Position, Initial]:
    """Return a start as position and as JKF; callers must not change either."""
    position = Position.from_sfen(as_sfen(sfen))
    return position, initial_of(position)


def main_moves(record: Record) -> list[str]:
    """Return the moves of the main line as USI writes them."""
    return [to_usi(packed_move(entry["move"])) for entry in watched(record["moves"]) if "move" in entry]


def dump(record: Record) -> str:
    """Return the main line as one `position` command; everything else is lost."""
    sfen = start_of(record).sfen()
    begin = "position startpos" if sfen == f"{INITIAL_SFEN} 1" else f"position sfen {sfen}"
    moves = main_moves(record)
    return " ".join([begin, "moves", *moves] if moves else [begin]) + "\n"


_MARK: Final = rf"""{_GAP}*+(?:
    (?:position{_GAP}++)?(?:startpos(?:\s|$)|sfen{_GAP}++[^/\s]++/)|position{_GAP}++sfen\s
    |moves{_GAP}++[1-9PLNSGBR]|{USI_MOVE}(?:\s|$))"""

_BEGINS: Final = re.compile(
    rb"[ \t]*+(?:position|startpos|sfen|moves|(?:[1-9][gi]|[28]h)[1-9][a-i]|[1-9KRBGSNLPkrbgsnlp+]{1,18}+/)"
)
_MOVE_ALONE: Final = re.compile(rb"[ \t]*+[1-9PLNSGBR][a-i*][1-9][a-i]\+?[ \t\r]*+$", re.MULTILINE)


def _begins(line: bytes, before: bytes, depth: int) -> bool:
    """Return whether a game begins with a line; lines of one move stay together."""
    if _BEGINS.match(line) is None or before.rstrip().endswith(b"moves"):
        return False
    return _MOVE_ALONE.match(line) is None or _MOVE_ALONE.match(before) is None


cut: Final = cutter(_begins)

_FILE: Final = Writer("usi", dump, lost=ALL_BUT_MOVES, lost_endings=NoEndings().lost)
FORMAT: Final = Format("usi", load, [Mark(Stage.LINE, _MARK)], [_FILE], cut)
