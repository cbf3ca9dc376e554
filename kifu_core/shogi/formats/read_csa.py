"""The reader of CSA standard game records, V1 to V3.

http://www2.computer-shogi.org/protocol/record_v22.html: a file has games separated by lines with `/`, or
simply concatenated. Statements stand on lines of their own or after commas.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.expressions import many
from kifu_core.memo import Memo
from kifu_core.record import ParsedGame
from kifu_core.shogi.classify import with_openings
from kifu_core.shogi.formats.csa_times import CLOCKS, TIME, Clock, wars_clock, with_totals
from kifu_core.shogi.formats.csa_typed import canonical
from kifu_core.shogi.formats.draft import Draft, StatedResult, StepOffsets, finished, with_unread
from kifu_core.shogi.formats.grammar import BLANKS, Leaf, LeafMatch, LineGrammar, RewrittenMatch
from kifu_core.shogi.formats.summary import ending_step, read_headers, read_summary
from kifu_core.shogi.move_resolution import EndingStep, Step, UnreadableStep, csa_step
from kifu_core.shogi.pieces import BY_CODE, FULL_SET, HAND_KINDS, MOST_IN_HAND, UNPROMOTED, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.specials import BY_CSA, SERVERS_WORDS, find, read_wars, special_of
from kifu_core.shogi.squares import BY_CSA as SQUARE
from kifu_core.shogi.start import initial_of, start_position

# --- grammar ---------------------------------------------------------------------------------------------

_GAP = r"[\s,]"
_TIMED = rf"(?>(?:{_GAP}*+{TIME})?)"
_MOVE = rf"([-+])([0-9]{{4}}[A-Za-z]{{2}}){_TIMED}"
_LEFT = r"L([0-9]{1,9}+)"
_END = rf"{BLANKS}(?:[,\n]|\Z)"
_COMMENT = r"'([^\n]*+)(?:\n|\Z)"
STATEMENT = r"(?:N[-+]|PI|P[1-9][-+ *]|P[-+][0-9]|[-+](?:[,\n]|\Z|[0-9]{4})|\$[A-Z_]+[:：])"
_COMMA = rf",(?!{BLANKS}(?:{STATEMENT}|\n|\Z))[^,\n]*+"
_HEAD_REST = rf"([^,\n]*+{many(_COMMA)})(?:,{BLANKS}\n?|\n|\Z)"
"""The rest of a line after a player's sign or a key; it may have commas, unless a statement follows."""

_KEYS: Final = "EVENT|SITE|START_TIME|END_TIME|TIME_LIMIT|OPENING|START|MAX_MOVES|JISHOGI|NOTE"
VERSION = Leaf("version", r"V([0-9.]{1,8})" + _END)
PLAYER = Leaf("player", r"N([-+])" + _HEAD_REST)
INFORMATION = Leaf("information", rf"\$((?:{_KEYS})(?=：)|[^:\n]{{1,60}}+)[:：]" + _HEAD_REST)
START_EVEN = Leaf("start_even", rf"PI({many('[1-9]{2}[A-Z]{2}')})" + _END)
BOARD_RANK = Leaf("board_rank", r"P([1-9])((?=[-+ *\t])[^\n,]*+)(?:[,\n]|\Z)")
PIECES = Leaf("pieces", rf"P([-+])({many('[0-9]{2}[A-Z]{2}')})" + _END)
TURN = Leaf("turn", r"([-+])" + _END)
_NEXT = r",[ \t]*+/"
_COMMAS = many(rf"(?!{_NEXT}),[^\n,']*+|'[^\n]*+")
_LINE_REST = rf"[^\n,']*+(?:\n|{_COMMAS}(?:\n|\Z|(?={_NEXT})))"
_COMMENT_LINE = r"'[^\n]*+(?:\n|\Z)"
_MOVE_LINE = rf"[-+][0-9]{{4}}[A-Za-z]{{2}}{_LINE_REST}"
_LINE_AFTER = rf"[-+T][0-9]{_LINE_REST}|(?!{_NEXT})(?:{_COMMENT_LINE}|[TL,\t\x0b\f\r ]{_LINE_REST}|\n)"

MOVES = Leaf("moves", _MOVE_LINE + many(_LINE_AFTER))
"""A block of lines that begin with a move, with the times and comments between them."""

ENDING_TEXT: Final = re.compile(rf"%([-+_A-Za-z]{{1,40}}+)(?>(?:{_GAP}++{TIME})?)")
ENDING = Leaf("ending", ENDING_TEXT.pattern + _END)
_RESULT_WORDS = r"RESIGN|TIME_UP|ILLEGAL_MOVE|OUTE_SENNICHITE|SENNICHITE|MAX_MOVES|DISCONNECT|CHUDAN"
RESULT_TEXT: Final = re.compile(rf"(?:#({_RESULT_WORDS})|((?:(?:SENTE|GOTE)_WIN|DRAW)_[A-Z_]{{1,30}}+))")
RESULT_WORD = Leaf("result_word", RESULT_TEXT.pattern + _END)
"""81Dojo records the messages of its server; 将棋ウォーズ names the winner."""
LATE_TIME = Leaf("late_time", TIME + _END)
COMMENT = Leaf("comment", _COMMENT)
NEXT_GAME = Leaf("next_game", many(r"/(?!/)(?:[ \t]*+,|[^\n]*+(?:\n|\Z))\s*+", least=1))
BLANK = Leaf("blank", rf"{_GAP}++")
UNKNOWN = Leaf("unknown", r"[^\n]++(?:\n|\Z)")

GRAMMAR: Final = LineGrammar(
    MOVES, COMMENT, ENDING, RESULT_WORD, INFORMATION, BOARD_RANK, PLAYER, TURN, LATE_TIME, PIECES, START_EVEN,
    VERSION, NEXT_GAME, BLANK, UNKNOWN,
)  # fmt: skip

PARTS: Final = {
    "move_line": _MOVE_LINE,
    "statement": _MOVE,
    "time": TIME,
    "left": _LEFT,
    "statement_end": _END,
    "line_end": r"(?:\n|\Z)",
}
"""The rules inside the lines, for the documentation."""

_PLAIN_MOVE: Final = re.compile(r"[-+]([0-9]{4}[A-Z]{2})")

_CELLS: Final = re.compile(r"[-+][A-Z]{2}|\*")
_REMOVED: Final = re.compile("([1-9]{2})[A-Z]{2}")

_ANYSTATEMENT: Final = re.compile(
    rf"{_MOVE}|'([^\n]*+)|{TIME}(?=[\s,]|\Z)|[\s,]++|{_LEFT}(?=[\s,]|\Z)|([^,\n\t]++)"
)
"""A move with its time, a comment, a time on its own, separators, the time left on the clock, or other text;
each has its groups."""

# --- words -----------------------------------------------------------------------------------------------

HEADERS: Final = {
    "EVENT": "棋戦",
    "SITE": "場所",
    "START": "開始日時",
    "START_TIME": "開始日時",
    "END_TIME": "終了日時",
    "TIME_LIMIT": "持ち時間",
}
"""CSA's information keys to the header names of KIF; other keys keep their names."""

PLAYERS: Final = {"+": "先手", "-": "後手"}


def read_move(text: str) -> Step:
    """Return the step of a move such as `7776FU` or `0045KA`."""
    kind = BY_CODE.get(text[4:].upper(), 0)
    origin = -1 if text[:2] == "00" else SQUARE.get(text[:2])
    to = SQUARE.get(text[2:4])
    if not kind or origin is None or to is None or origin == to:
        return UnreadableStep(text)
    return csa_step(origin, to, kind)


def _read_plain_move(text: str) -> Step:
    """Read a plain move with its sign; raises ValueError for any other text."""
    match = _PLAIN_MOVE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return _STEPS[match[1]]


_STEPS: Final = Memo(read_move)
_PLAIN_STEPS: Final = Memo(_read_plain_move)


# --- load ------------------------------------------------------------------------------------------------


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a CSA text. Issues of unreadable games go to `notes`.

    Bonanza's books are short games without headers, each a line that begins with `PI`: lines of an opening.
    """
    games: list[ParsedGame] = []
    unread: dict[int, list[str]] = {}
    lines = True
    for reader, game in finished(_readers(source), source, notes):
        if game is not None:
            games.append(game)
        else:
            unread.setdefault(len(games) - 1, []).append(reader.draft.source_text())
        lines = lines and (reader.is_line or not reader.has_content)
    games = with_unread(games, unread)
    return with_openings(games, resigned=True) if lines else games


_OPENERS: Final = frozenset(["version", "player", "start_even", "board_rank", "pieces"])
"""Lines that begin another game after moves."""


def _readers(source: Source) -> Iterator[_CsaReader]:
    """Yield a reader for each game.

    Concatenated files have no `/` between their games: a version, a player or a board after moves begins the
    next game, unless neither a start nor moves follow.
    """
    reader, before = _CsaReader(source, 0), None
    for name, match in watched(GRAMMAR.items(source.text)):
        if name == "next_game":
            yield from _joined(before, reader)
            reader, before = _CsaReader(source, match.end()), None
            continue
        if name in _OPENERS and reader.line.steps:
            yield from _joined(before, None)
            reader, before = _CsaReader(source, match.start()), reader
            if name not in before.heads and not before.has_ended:
                reader.draft.notes.add("start-among-moves", match.start())
        reader.read(name, match)
    yield from _joined(before, reader)


def _joined(before: _CsaReader | None, reader: _CsaReader | None) -> Iterator[_CsaReader]:
    """Yield the readers of two games; headers after the moves of a game without players belong to it."""
    if before is not None:
        yield_alone = reader is None or not reader.only_heads or reader.line.steps or before.has_players
        if not yield_alone and reader is not None:
            before.draft.header |= reader.draft.header
            reader = None
        yield before
    if reader is not None:
        yield reader


def _locate(block: str) -> list[int]:
    return [match.start() for match in _ANYSTATEMENT.finditer(block) if match[1] or _is_step(match[7])]


def _is_step(text: str | None) -> bool:
    """Return whether a text that is no move stands for a move or an ending."""
    return text is not None and (text[0] in "+-%" or RESULT_TEXT.match(text) is not None)


class _CsaReader:
    """Reads the lines of one game into a draft, with a method for each leaf of the grammar."""

    def __init__(self, source: Source, offset: int) -> None:
        line = RawLine(restore_same=True)
        self.draft = Draft(Notes(source), line=line, first_offset=offset)
        self.line = line
        self.board: Position | None = None
        self.turn: int | None = None
        self.signs = ""
        self.clocks: list[Clock] = []
        self.left: dict[int, int] = {}
        self.first_ending = sys.maxsize
        self.rest: int | None = None
        self.named_winner: tuple[str, int] | None = None
        self.has_content = False
        self.heads = {"version"}
        self.is_line = False
        self.recognised = self.unknown = 0

    @property
    def only_heads(self) -> bool:
        return self.board is None and self.turn is None and not self.line.steps and self.rest is None

    @property
    def has_ended(self) -> bool:
        return bool(self.line.steps) and isinstance(self.line.steps[-1], EndingStep)

    @property
    def has_players(self) -> bool:
        return not self.draft.header.keys().isdisjoint(PLAYERS.values())

    def read(self, name: str, match: LeafMatch) -> None:
        if name not in ("blank", "comment"):
            self.has_content = True
            self.recognised += name != "unknown"
        self.heads.add(name)
        getattr(self, f"_{name}")(match)

    def finish(self, index: int) -> ParsedGame | None:
        position = self.board or start_position(None)
        if not self.signs and self.unknown >= max(1, self.recognised):
            self.draft.playable = False  # a few lines of other text that look like statements
        if self.turn is not None:
            position.turn = self.turn
        elif self.signs:
            position.turn = int(self.signs[0] == "-")
        if self.rest is not None:
            _give_rest(position, self.rest)
        self.draft.position = position
        self.draft.initial = initial_of(position)
        self.draft.started = self.board is not None or self.turn is not None
        if not self.draft.started and position.turn:
            self.draft.notes.add("side-mark", self._offset(0), "warning", 1, sign="-")
        self._check_signs(position.turn)
        self._spend_left(position.turn)
        self._set_times()
        self._read_result()
        return self.draft.finish(index, _locate)

    def _read_result(self) -> None:
        """Take the result from the server's comment after the last move.

        It is the ending if there is no other. Without it, the winner named by the word of the ending is
        believed.
        """
        line, header, source = self.line, self.draft.header, self.draft.notes.source
        ended = bool(line.steps) and isinstance(line.steps[-1], EndingStep)
        if self.named_winner is not None:
            offset = source.text.find(self.named_winner[0], self.draft.first_offset)
            self.draft.stated = StatedResult(*self.named_winner, offset, believed=True)
        if (summary := read_headers(header)) is not None:
            self.draft.stated = StatedResult(*summary, self.draft.first_offset, believed=True)
            line.steps += [] if ended else [ending_step(summary)]
            line.times += [] if ended else [None]
        last = len(line.steps) - 1
        places = [last - 1, last] if ended else [last]
        texts = [text for place in places for text in line.comments.get(place, ()) if text[:8] == "summary:"]
        if not texts:
            return
        summaries = (
            (text, summary)
            for text in watched(texts)
            if (summary := read_summary(text, header.get("先手", ""), header.get("後手", "")))
        )
        for text, summary in deque(summaries, maxlen=1):  # a file copied from a log may have several
            offset = source.text.find(f"'{text}", self.draft.first_offset)
            self.draft.stated = StatedResult(summary.word, summary.winner, offset, believed=True)
            if not ended:
                line.steps.append(ending_step(summary))
                line.times.append(None)
            elif summary.word == "illegal kachi":
                self._set_illegal_kachi()

    def _set_illegal_kachi(self) -> None:
        """Turn a wrong declaration into a loss; shogi-server writes it twice, with and without its time."""
        steps = self.line.steps
        for index in range(len(steps) - 1, -1, -1):
            step = steps[index]
            if not isinstance(step, EndingStep):
                break
            steps[index] = EndingStep(step.word, "ILLEGAL_MOVE")

    def _spend_left(self, first: int) -> None:
        """Set the times used from those left on the clocks (将棋ウォーズ)."""
        if not self.left:
            return
        clocks = [wars_clock(self.draft.header, self.left.values())] * 2
        for index in watched(sorted(self.left)):
            side = first ^ (index & 1)
            before, clocks[side] = clocks[side], self.left[index]
            if index < 0 or before is None or self.clocks[index].time:
                continue
            used = before - self.left[index]
            if used < 0:
                self.draft.notes.add("bad-time", None, "warning", index + 1, text=f"L{self.left[index]}")
            else:
                self.clocks[index] = CLOCKS[f"T{used}"]

    def _check_signs(self, first: int) -> None:
        """Note the first move whose sign is not the side to move; it is played all the same."""
        pair, count = "-+" if first else "+-", len(self.signs)
        expected = (pair * (count // 2 + 1))[:count]
        if self.signs != expected:
            index = next(i for i, sign in enumerate(self.signs) if sign != expected[i])
            self.draft.notes.add(
                "side-mark", self._offset(index), "warning", index + 1, sign=self.signs[index]
            )

    def _offset(self, index: int) -> int | None:
        """Return the offset of the move of a sign; endings and unreadable moves have no sign."""
        steps = self.line.steps
        signed = (at for at, step in enumerate(steps) if not isinstance(step, EndingStep | UnreadableStep))
        at = next(islice(signed, index, None), None)
        return None if at is None else StepOffsets(self.draft.notes.source, _locate).offset(self.line, at)

    def _set_times(self) -> None:
        if self.first_ending < len(self.line.steps) - 1:  # the sides need not take turns after an ending
            self.line.times = [None if one.time is None else {"now": one.time} for one in self.clocks]
            self.draft.plain_times = True
        else:
            self.line.times = with_totals(self.clocks)

    # --- header --------------------------------------------------------------------------------------

    def _version(self, match: LeafMatch) -> None:
        """Skip the version: no reading depends on it."""

    def _blank(self, match: LeafMatch) -> None:
        """Skip blank lines: they separate nothing."""

    def _player(self, match: LeafMatch) -> None:
        if match[2]:
            self.draft.header[PLAYERS[match[1]]] = match[2]

    def _information(self, match: LeafMatch) -> None:
        self.draft.header[HEADERS.get(match[1], match[1])] = match[2]

    def _unknown(self, match: LeafMatch) -> None:
        """Read a line in the spelling of the standard, if it has one; note any other line.

        A line that looks like a move ends the readable part.
        """
        text = match[0].rstrip("\n")
        first = self.turn if self.turn is not None else int(self.signs[:1] == "-")
        plain = canonical(text, sign="+-"[(first + len(self.signs)) & 1])
        leaves = list(GRAMMAR.items(plain)) if plain != text else []
        if leaves and {"unknown", "next_game"}.isdisjoint(name for name, _ in leaves):
            for name, other in leaves:
                self.read(name, RewrittenMatch(other, match.start(), match.end()))
        elif text[0] in "+-" and text[1:2].isdecimal():
            self._add_spot(match)
            self._add_step(UnreadableStep(text[:40]), None)
        else:
            self.unknown += 1
            self.draft.note_unknown(text, match.start(), GRAMMAR.expected)

    # --- start ---------------------------------------------------------------------------------------

    def _drawn(self) -> Position:
        if self.board is None:
            self.board = Position([0] * 81, [[0] * 8, [0] * 8], 0)
        return self.board

    def _start_even(self, match: LeafMatch) -> None:
        self.is_line = not self.draft.header and match[0].endswith(",")
        self.board = start_position(None)
        for place in _REMOVED.findall(match[1]):
            self.board.board[SQUARE[place]] = 0

    def _board_rank(self, match: LeafMatch) -> None:
        """Set a rank of nine cells; blanks may be collapsed, and cells at the end missing.

        mog-core-scala writes a full stop after the ninth cell to keep blanks. Any other text leaves the rank
        unknown: nothing is played from that board.
        """
        board, rank = self._drawn().board, int(match[1])
        cells = _CELLS.findall(match[2])
        count, kinds = len(cells), [BY_CODE.get(cell[1:], 0) for cell in cells]
        if _CELLS.sub("", match[2]).strip() not in ("", ".") or any(
            cell != "*" and not kind for cell, kind in zip(cells, kinds, strict=True)
        ):
            text = match[2].strip()[:40]
            self.draft.notes.add("unreadable-rank", match.start(), "error", rank=rank, text=text)
            self.draft.playable = False
            return
        if count != 9:
            self.draft.notes.add("bad-board-rank", match.start(), "warning", rank=rank, count=count)
        for column, (cell, kind) in enumerate(zip(cells[:9], kinds[:9], strict=True)):
            board[rank * 9 - 9 + column] = signed(int(cell[0] == "-"), kind)

    def _pieces(self, match: LeafMatch) -> None:
        position, color = self._drawn(), int(match[1] == "-")
        for place, code in re.findall(r"([0-9]{2})([A-Z]{2})", match[2]):
            if place == "00" and code == "AL":
                self.rest = color
            elif not _put(position, color, place, BY_CODE.get(code, 0)):
                self.draft.notes.add("bad-piece", match.start(), "warning", text=place + code)

    def _turn(self, match: LeafMatch) -> None:
        """Set the side that begins; some writers repeat the line among the moves."""
        if not self.line.steps:
            self.turn = int(match[1] == "-")

    # --- play ----------------------------------------------------------------------------------------

    def _moves(self, match: LeafMatch) -> None:
        """Read the moves at once if all have whole seconds or none has a time."""
        block = match[0]
        self._resume()
        self._add_spot(match)
        rows = block.removesuffix("\n").replace(",T", "\nT").split("\n")
        timed = rows[1:2] != [] and rows[1][:1] == "T"
        texts, clocks = (rows[::2], rows[1::2]) if timed else (rows, [""] * len(rows))
        try:
            steps = _PLAIN_STEPS.each(texts)
            spent = CLOCKS.each(clocks)
        except ValueError:
            return self._mixed_moves(match)
        if "." in block or len(texts) != len(clocks):
            return self._mixed_moves(match)
        self.signs += "".join(texts)[::7]
        self.clocks += spent
        self.line.steps += steps

    def _mixed_moves(self, match: LeafMatch) -> None:
        for statement in watched(_ANYSTATEMENT.finditer(match[0])):
            sign, text, time, comment, late, left, other = statement.groups()
            if text:
                self.signs += sign
                self._add_step(_STEPS[text], time)
            elif comment is not None:
                self.line.comments.setdefault(len(self.line.steps) - 1, []).append(comment)
            elif late is not None:
                self._set_late_time(late)
            elif left is not None:
                self.left[len(self.line.steps) - 1] = int(left)
            elif ending := ENDING_TEXT.match(other or ""):
                self._add_ending(ending[1], ending[2])
            elif word := RESULT_TEXT.fullmatch((other or "").rstrip()):
                self._add_ending(word[1] or word[2], None)
            elif _is_step(other):
                self._add_step(UnreadableStep(other[:40]), None)
            elif other:
                self.draft.note_unknown(other, match.start() + statement.start(), GRAMMAR.expected)

    def _resume(self) -> None:
        """Turn an adjournment before further moves into a comment."""
        if self.line.steps and len(self.line.times) < len(self.line.steps):
            self.line.times += [None] * (len(self.line.steps) - len(self.line.times))
        if self.line.resume():
            self.clocks.pop()
            self.first_ending = sys.maxsize

    def _add_spot(self, match: LeafMatch) -> None:
        self.line.spots.append((len(self.line.steps), match.start(), match.end()))

    def _add_step(self, step: Step, time: str | None) -> None:
        """Add a step; `time` is the text after its T."""
        self.line.steps.append(step)
        self.clocks.append(CLOCKS["" if time is None else f"T{time}"])
        if time and (fraction := time.partition(".")[2]):
            self.draft.fractions[len(self.line.steps)] = fraction

    def _ending(self, match: LeafMatch) -> None:
        self._add_spot(match)
        self._add_ending(match[1], match[2])

    def _result_word(self, match: LeafMatch) -> None:
        self._add_spot(match)
        self._add_ending(match[1] or match[2], None)

    def _add_ending(self, word: str, time: str | None) -> None:
        """Add an ending of CSA or of a server; 将棋ウォーズ names the winner."""
        self.first_ending = min(self.first_ending, len(self.line.steps))
        wars = read_wars(word)
        if wars is None:
            kind = find(word) if word in SERVERS_WORDS else BY_CSA.get(word.upper())
            self._add_step(EndingStep(word, kind.special if kind else None), time)
            return
        kind, won = wars
        implied = kind is not None and kind.rule in ("mover-loses", "mover-wins")
        self._add_step(EndingStep(word, special_of(kind, won), None if implied else won), time)
        if won is not None and len(self.line.steps) == self.first_ending + 1:
            self.named_winner = (word, won)

    def _late_time(self, match: LeafMatch) -> None:
        self._set_late_time(match[1])
        self.line.add_text(match.start(), match.end())

    def _set_late_time(self, time: str) -> None:
        """Set a time that a comment separates from its move; a time without a move becomes a comment."""
        if self.clocks and self.clocks[-1].time is None:
            self.clocks[-1] = CLOCKS[f"T{time}"]
        elif time:
            self._add_comment(f"T{time}")

    def _comment(self, match: LeafMatch) -> None:
        """Add a comment: before the side to move to the file, then to the start or the last move."""
        self._add_comment(match[1])
        if self.line.steps:
            self.line.add_text(match.start(), match.end())

    def _add_comment(self, text: str) -> None:
        if self.line.steps:
            self.line.comments.setdefault(len(self.line.steps) - 1, []).append(text)
        elif self.turn is not None:
            self.draft.comments.append(text)
        else:
            self.draft.remarks.append(text)


def _put(position: Position, color: int, place: str, kind: int) -> bool:
    """Put a piece on a square or, at 00, in a hand; return False for an invalid place or piece."""
    if place == "00":
        if kind not in HAND_KINDS or position.hands[color][kind] == MOST_IN_HAND:
            return False
        position.hands[color][kind] += 1
        return True
    if not kind or place not in SQUARE:
        return False
    position.board[SQUARE[place]] = signed(color, kind)
    return True


def _give_rest(position: Position, color: int) -> None:
    """Give a side all pieces of a full set that are not placed yet (AL)."""
    left = list(FULL_SET)
    for piece in position.board:
        left[UNPROMOTED[abs(piece)]] -= 1
    for kind in HAND_KINDS:
        used = position.hands[0][kind] + position.hands[1][kind]
        position.hands[color][kind] += max(0, left[kind] - used)
