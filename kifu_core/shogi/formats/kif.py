"""KIF: a row per move with its number, source square and time (.kif, .kifu)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.expressions import many
from kifu_core.formats import Format, Mark, Stage, Writer
from kifu_core.jkf import Consumption, Move, MoveEntry, Record
from kifu_core.memo import Memo
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi.formats import kakinoki, writing
from kifu_core.shogi.formats.draft import QUOTED_LENGTH
from kifu_core.shogi.formats.endings import Endings
from kifu_core.shogi.formats.grammar import BLANKS, Leaf
from kifu_core.shogi.formats.kakinoki import A_RESULT, EOL, headers_mark
from kifu_core.shogi.formats.kakinoki_games import KakinokiMatch, RowMatch
from kifu_core.shogi.formats.read_kakinoki import KakinokiReader, read_games
from kifu_core.shogi.formats.rows import KifRow, read_row
from kifu_core.shogi.formats.times import CLOCK, PLAIN_TIMES, TIME, TIMES, Partial, Unreadable
from kifu_core.shogi.move_resolution import (
    SAME,
    EndingStep,
    Search,
    SourcedMove,
    Step,
    UnreadableStep,
    pauses,
    sourced_step,
)
from kifu_core.shogi.pieces import BY_NAME
from kifu_core.shogi.position import Position
from kifu_core.shogi.specials import BY_WORD, EndingKind
from kifu_core.shogi.spelling import PIECE, SQUARE
from kifu_core.shogi.squares import BY_JAPANESE

# --- grammar ---------------------------------------------------------------------------------------------

_NUMBER = rf"{BLANKS}[0-9０-９]{{1,6}}+[^\S\n]++"
_COUNTED = rf"{BLANKS}([0-9０-９]{{1,6}}+)[^\S\n]++"
_TEXT = r"[^\n(（+]{1,40}+(?:[(（][0-9０-９]{2}[)）])?"
_CLOCK = CLOCK
_TIMED = rf"({_TEXT}){BLANKS}(?:[(（]({_CLOCK})[)）])?{BLANKS}\+?"
_ROW = _NUMBER + _TIMED
_FILES = rf"{BLANKS}[９9]{BLANKS}[８8]{BLANKS}[７7]{BLANKS}[６6]"
_ROW_LINE = rf"(?!{_FILES}){_NUMBER}[^\s(（][^\n]*+{EOL}"

_MORE = rf"{BLANKS}(?:(?![1１][^\S\n])[0-9０-９*＊][^\n]*+{EOL}|\n)"

ROWS = Leaf("rows", _ROW_LINE + many(_MORE))
"""A block of rows, each a move or an ending, with the comments between. A row 1 begins another block."""

GRAMMAR: Final = kakinoki.grammar(ROWS)
can_hold_header = partial(kakinoki.can_hold_header, GRAMMAR, "kif")

_ANY_LINE: Final = re.compile(
    rf"^(?:{_COUNTED}{_TIMED}([^\n]*+)|{BLANKS}[*＊]([^\n]*+)|([^\n]*\S[^\n]*+)){EOL}", re.MULTILINE
)
"""A row with the text after it, a comment, or another line; each has its own group."""

_NUMBERED: Final = re.compile(_COUNTED)

# --- words -----------------------------------------------------------------------------------------------

_MOVE: Final = re.compile(
    r"[▲△☗☖▼▽]?(?:(同)[ 　]*)?([1-9１-９][1-9１-９一二三四五六七八九])?[ 　]*"
    r"(成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])[左直右上寄引行入下]*"
    r"(成|不成|打|不|生)?[ 　]*(?:[(（]([0-9０-９]{2})[)）])?[ 　]*"
)
_ROW_LIKE: Final = re.compile(r"[▲△☗☖▼▽1-9１-９同]")


def _read_row(text: str) -> Step:
    """Read the text of a row: a move, an ending, or neither."""
    text = text.rstrip(" 　\t")
    match = _MOVE.fullmatch(text)
    if match is None:
        if text in BY_WORD:
            return EndingStep(text, BY_WORD[text].special)
        return UnreadableStep(text) if _ROW_LIKE.match(text) else EndingStep(text, None)
    same, place, name, ending, source = match.groups()
    if not same and not place:
        return UnreadableStep(text)
    to = SAME if same else BY_JAPANESE[place]
    kind = BY_NAME[name]
    if ending == "打" or source in ("00", "００"):
        return sourced_step(-1, to, kind, False)
    if source is None:  # a drop written without 打, or a move written without its source
        return Search(to, kind, ending == "成", "")
    origin = BY_JAPANESE.get(source, -1)
    return sourced_step(origin, to, kind, ending == "成") if origin >= 0 else UnreadableStep(text)


def _is_unknown(step: Step) -> bool:
    return isinstance(step, EndingStep) and step.special is None and step.word not in BY_WORD


def _begins_no_game(block: str) -> bool:
    """Return whether a block is a single row that is neither a move nor a known ending nor number 1."""
    if "\n" in block[block.find("\n") + 1 :]:
        return False
    row = _ANY_LINE.fullmatch(block.rstrip() + "\n")
    return row is not None and bool(row[2]) and int(row[1]) != 1 and _is_unknown(_STEPS[row[2]])


def can_hold_ending(word: str) -> bool:
    """Return whether the word of an ending is read as an ending in a row, and not as a piece."""
    row = read_row(f"1 {word}")
    return isinstance(_read_row(word), EndingStep) and (
        row is None or (isinstance(row.step, EndingStep) and row.step.word == word)
    )


PARTS: Final = {
    "row": _ROW,
    "number": _NUMBER,
    "text": _TEXT,
    "move": _MOVE.pattern,
    "clock": _CLOCK,
    "time": TIME.pattern,
    **kakinoki.PARTS,
}
"""The rules inside the lines, for the documentation."""

_STEPS: Final = Memo(_read_row)


def _read_plain_row(text: str) -> Step:
    """Read a row as programs write it; raises ValueError for other texts and for adjournments."""
    step = _STEPS[text.replace("\0", "　")]
    if (
        isinstance(step, UnreadableStep)
        or _is_unknown(step)
        or (isinstance(step, EndingStep) and pauses(step))
    ):
        raise ValueError(text)
    return step


_PLAIN_STEPS: Final = Memo(_read_plain_row)

_NO_CLOCK: Final = Partial()
"""The time of a row without one."""

_NUMBERS: Final = list(map(str, range(2000)))
"""The first numbers of rows as nearly all programs write them: comparing text is faster than counting."""

# --- load ------------------------------------------------------------------------------------------------


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a KIF text. Issues that belong to no game that could be read go to `notes`."""
    return read_games(_KifReader, source, notes)


def locate(block: str) -> list[int]:
    """Return the offsets of the rows in a block of rows and comments."""
    lines = _ANY_LINE.finditer(block)
    return [match.start() for match in lines if match[1] or (match[6] and _NUMBERED.match(match[6]))]


def _reread(match: re.Match[str]) -> tuple[str, RowMatch] | None:
    row = read_row(match[0].rstrip("\n").removeprefix("#"))
    return None if row is None else ("row", RowMatch(match, row))


class _KifReader(KakinokiReader):
    grammar = GRAMMAR
    locate = staticmethod(locate)
    numbered = True
    has_unread_rows = False

    @classmethod
    def leaves(cls, text: str, begin: int = 0) -> Iterator[tuple[str, KakinokiMatch]]:
        """Yield the leaves of a text; a numbered sentence before all rows is an unknown line."""
        before = begin > 0
        for name, match in cls.grammar.items(text, begin):
            if name == "unknown" or (name in ("header", "remark") and match[1][:1].isdecimal()):
                yield _reread(match) or (name, match)
            elif name == "rows" and not before and _begins_no_game(match[0]):
                yield "unknown", match
            else:
                before = before or name == "rows"
                yield name, match

    @classmethod
    def first_number(cls, match: re.Match[str] | RowMatch) -> int | None:
        if isinstance(match, RowMatch):
            return match.row.number
        numbered = _NUMBERED.match(match.string, match.start())
        return int(numbered[1]) if numbered else None

    @classmethod
    def last_number(cls, match: re.Match[str] | RowMatch) -> int | None:
        if isinstance(match, RowMatch):
            return match.row.number
        rows = (_NUMBERED.match(line) for line in reversed(match[0].split("\n")))
        return next((int(row[1]) for row in rows if row), None)

    @classmethod
    def has_move(cls, match: re.Match[str] | RowMatch) -> bool:
        if isinstance(match, RowMatch):
            return not isinstance(match.row.step, EndingStep)
        rows = _ANY_LINE.finditer(match[0])
        return any(row[2] and not isinstance(_STEPS[row[2]], EndingStep) for row in rows)

    @classmethod
    def ends_game(cls, match: re.Match[str] | RowMatch) -> bool:
        if not isinstance(match, RowMatch) or match.row.number is not None:
            return False
        return isinstance(match.row.step, EndingStep) and not pauses(match.row.step)

    def _unknown(self, match: re.Match[str]) -> None:
        self.has_unread_rows |= not self.in_header and match[0].lstrip()[:1].isnumeric()
        super()._unknown(match)

    def _rows(self, match: re.Match[str]) -> None:
        """Read a block of plain rows at once, any other line by line.

        In a plain block, blanks separate all fields. NUL, which no source holds, stands for blanks within a
        field: texts of equal length are replaced in half the time.
        """
        block = match[0].rstrip()
        self._begin(match)
        fields = block.replace("( ", "(\0").replace("同　", "同\0").split()
        count = block.count("\n") + 1
        timed = len(fields) == 3 * count
        width = 3 if timed else 2
        if len(fields) != width * count or fields[::width] != _NUMBERS[self.due : self.due + count]:
            return self._mixed_rows(match)
        try:
            steps = _PLAIN_STEPS.each(fields[1::width])
            clocks = PLAIN_TIMES.each(fields[2::3]) if timed else []
        except ValueError:
            return self._mixed_rows(match)
        self.due += count
        times: Sequence[Consumption | None] = [None] * count
        if clocks:
            times, before, after = zip(*clocks, strict=True)
            # Most totals are the sums of the times before.
            adds_up = before[2:] == after[:-2] and not any(before[:2])
            self.draft.adds_up = adds_up and self.line is self.draft.line and not self.line.steps
        self._add_steps(steps, times, match.start(), match.end())

    def _mixed_rows(self, match: re.Match[str]) -> None:
        for line in watched(_ANY_LINE.finditer(match[0])):
            number, text, time, rest, comment, other = line.groups()
            begin, end = match.start() + line.start(), match.start() + line.end()
            if comment is not None:
                self._add_comment(comment, begin, end)
                continue
            step = _STEPS[text] if text else None
            rest = (rest or "").strip()
            unknown = step is not None and _is_unknown(step)
            if unknown and self._is_sentence(int(number)):
                self._note_unknown(line[0], begin)
                continue
            doubtful = rest or unknown or step is None or isinstance(step, UnreadableStep)
            clock = TIMES[time] if time and time.strip() else _NO_CLOCK
            no_time = clock is None or type(clock) is Unreadable
            row = read_row(line[0].rstrip("\n")) if doubtful or no_time else None
            if row is not None and (doubtful or not row.comment or clock is None):
                self._add_row(row, begin, end)
            elif step is not None:
                self._add_row(KifRow(int(number), step, time or "", rest), begin, end)
            elif (result := A_RESULT.match(self.draft.notes.source.text, begin)) and result.end() == end:
                self._result(result)
            elif numbered := _NUMBERED.match(other):
                garbled = UnreadableStep(other.strip()[:QUOTED_LENGTH])
                self._add_row(KifRow(int(numbered[1]), garbled, "", ""), begin, end)
            else:
                self._note_unknown(other, begin)

    def _is_sentence(self, number: int) -> bool:
        """Return whether a supposed row with an unknown ending is a sentence that begins with a number."""
        due = (self.due - 1, self.due) if self._has_ended() else (self.due,)
        return number not in due and (number < self.due or not self.line.steps)

    def _row(self, match: RowMatch) -> None:
        self._begin(match)
        self._add_row(match.row, match.start(), match.end())

    def _add_row(self, row: KifRow, begin: int, end: int) -> None:
        if row.number is not None:
            self._compare_number(row.number, isinstance(row.step, EndingStep), begin)
        self.due += 1
        self._add_timed([row.step], [row.clock], begin, end)
        if row.comment:
            self.line.comments.setdefault(len(self.line.steps) - 1, []).append(row.comment)
        if row.next is not None:
            self._add_row(row.next, begin, end)

    def _begin(self, match: re.Match[str] | RowMatch) -> None:
        """Count from the number of the first row: a game may start in the middle."""
        number = self.first_number(match)
        if self.unnumbered:
            self._open_variation(number or self.due, match.start(), match.end())
            self._open_unnumbered()
        if self.line is self.draft.line and not self.line.steps:
            self.due = 1 if number is None else number
            self.base = max(0, self.due - 1)

    def games(self, index: int, notes: Notes) -> list[ParsedGame]:
        self._drop_torn_row()
        if self.has_unread_rows and self.board is None and not self.line.steps:
            self.draft.playable = False
        return super().games(index, notes)

    def _drop_torn_row(self) -> None:
        """Mark a last row without source and line end as cut off, if all rows before have sources or 打."""
        steps, spots = self.line.steps, self.line.spots
        text = self.draft.notes.source.text
        if len(steps) < 2 or not isinstance(steps[-1], Search) or text.endswith("\n"):
            return
        if spots[-1][2] == len(text) and Search not in map(type, steps[:-1]):
            steps[-1] = UnreadableStep(text[text.rfind("\n") + 1 :].strip()[:QUOTED_LENGTH])

    def _set_start(self) -> None:
        """Set the start; without a drawn board, note the rows that are missing before the first."""
        super()._set_start()
        spots = self.draft.line.spots
        if self.base and self.board is None and spots:
            self.draft.notes.add("rows-missing", spots[0][1], "warning", None, first=1, last=self.base)

    def _open_variation(self, number: int, begin: int, end: int) -> None:
        super()._open_variation(number, begin, end)
        self.due = number

    def _compare_number(self, number: int, ends_game: bool, at: int) -> None:
        """Note missing rows, and numbers that go back.

        Some programs do not count an ending. Numbers that go back to an earlier move begin a variation whose
        own line cannot be read.
        """
        due, self.due = self.due, number
        if number > due:
            self.draft.notes.add("rows-missing", at, "warning", None, first=due, last=number - 1)
        elif number < due and not (number == due - 1 and self._has_ended()):
            self.draft.notes.add("row-order", at, "warning", None, number=number, due=due)
            if not ends_game and (number < due - 1 or self.puzzled):
                self._open_variation(number, at, at)

    def _mover(self, position: Position, step: Step) -> int:
        """Return the side that has the first row's piece on its source, or alone has it in hand."""
        if not isinstance(step, SourcedMove):
            return 0
        origin, kind = step.black.origin, abs(step.black.piece)
        if origin >= 0:
            return int(position.board[origin] < 0)
        return int(kind < 8 and not position.hands[0][kind] and position.hands[1][kind] > 0)


# --- dump ------------------------------------------------------------------------------------------------


def dump(record: Record, *, utf8: bool = False, ending: Ending | None = None) -> str:
    """Return the record as KIF text; `utf8` adds the line that marks a .kifu file.

    `ending` is the end of the main line, for endings without a name in JKF.
    """
    times = any("time" in entry for branch in writing.branches(record) for entry in branch.entries)
    lines = ["#KIF version=2.0 encoding=UTF-8"] if utf8 else []
    lines += writing.header_lines(record, can_hold_header)
    lines.append("手数----指手---------消費時間--" if times else "手数----指手--")
    for entry in record["moves"][:1]:
        lines += writing.comment_lines(entry.get("comments", []))
    sides = writing.sides(record)
    for branch in writing.branches(record, ending):
        if not branch.is_main:
            lines += ["", f"変化：{branch.ply}手"]
        lines += _branch_lines(branch, sides, ending)
    return "\n".join(lines) + "\n"


def _branch_lines(
    branch: writing.WrittenBranch, sides: writing.ResultContext, ending: Ending | None
) -> list[str]:
    """Return the rows of a line with their comments, and its まで line.

    The まで line is left out if a move or another ending follows the ending, which shogi-server writes twice.
    """
    lines: list[str] = []
    ply, turn = branch.ply, branch.turn
    last: EndingKind | None = None
    behind = False
    for number, entry in enumerate(watched(branch.entries)):
        more = bool(entry.get("forks")) or (number == 0 and branch.sibling_follows)
        if "move" in entry:
            lines.append(_row(ply, _move_text(entry["move"]), entry, more))
            turn ^= 1
            ply += 1
            behind = behind or last is not None
        elif (
            kind := writing.ending_kind(entry, ending if number == branch.closing else None, turn)
        ) and can_hold_ending(word := writing.ending_word(kind, turn)):
            lines.append(_row(ply, word, entry, more))
            if last is None:
                last = kind
            behind = behind or last != kind
        lines += writing.comment_lines(entry.get("comments", []))
    if last is not None and not behind:
        line_of = writing.result_line if writing.has_sentence(last) else writing.winner_line
        won = ending.winner if ending and branch.is_main else None
        lines += [line] if (line := line_of(last, ply - 1, turn, sides, won)) else []
    return lines


def _row(number: int, text: str, entry: MoveEntry, more: bool) -> str:
    row = f"{number:4d} {writing.padded(text, 12)}"
    if "time" in entry:
        return f"{row} ({_time_text(entry['time'])}){'+' if more else ''}"
    return f"{row} +" if more else row


def _move_text(move: Move) -> str:
    place = "同　" if move.get("same") else writing.square_text(move)
    source = move.get("from")
    text = place + writing.piece_name(move) + ("成" if move.get("promote") else "")
    return f"{text}({source['x']}{source['y']})" if source else text + "打"


def _time_text(time: Consumption) -> str:
    now, total = time["now"], time.get("total", {"h": 0, "m": 0, "s": 0})
    minutes = now.get("h", 0) * 60 + now["m"]
    return f"{minutes:2d}:{now['s']:02d}/{total.get('h', 0):02d}:{total['m']:02d}:{total['s']:02d}"


# --- format ----------------------------------------------------------------------------------------------


class _KifEndings(Endings):
    def has_word(self, ending: Ending, kind: EndingKind, turn: int) -> bool:
        return can_hold_ending(writing.ending_word(kind, turn))


_ANOTHER = r"[^\n▲△☗☖▼▽]*+[▲△☗☖▼▽][^\S\n]*+[１-９1-9同]"
_MARK: Final = rf"""{BLANKS}[0-9０-９]{{1,6}}+[^\S\n]++(?![▲△☗☖▼▽]{_ANOTHER})
    [▲△☗☖▼▽]?(?:[１-９1-9一二三四五六七八九][一二三四五六七八九1-9１-９]|同|投了|中断|詰)"""
_RULE: Final = re.compile(r"^手数-{2,}", re.MULTILINE)
"""The line above the moves, which some KI2 texts have too: it decides only if no move does before it."""

_SOURCED: Final = re.compile(
    rf"^{BLANKS}[>＞|]?[^\S\n]*(?:[第(（［\[]?[0-9０-９]{{1,5}}?(?:手目?|[.．:：)）、,，|\]］])?)?"
    r"[ \t\xa0　|]*"
    r"(?:[▲△☗☖▼▽⛊⛉]|[先後上下]手)?[^\S\n]*"
    rf"(?:同|{SQUARE}|[一二三四五六七八九]{{2}})[^\S\n]*{PIECE}[^\n(（▲△☗☖▼▽]{{0,6}}[(（][0-9０-９]{{2}}[)）](?!{_ANOTHER})",
    re.MULTILINE,
)
"""A move by itself on its line, with its source."""

_NUMBERED_MOVE: Final = re.compile(f"^{_MARK}", re.MULTILINE | re.VERBOSE)


def _has_rows(text: str, name: str) -> bool:
    if ("(" in text or "（" in text) and _SOURCED.search(text):
        return True
    return "手数--" in text and _NUMBERED_MOVE.search(text) is not None


_MARKS: Final = [
    Mark(Stage.PAIR, _has_rows),
    Mark(Stage.ROW, _MARK),
    Mark(Stage.RULE, lambda text, name: _RULE.search(text) is not None),
    headers_mark("kif"),
]

_FILE: Final = Writer(
    "kif",
    dump,
    encoding="cp932",
    options=["ending"],
    between=None,
    lost=["headers", "fractions", "ending"],
    kept_headers=partial(writing.written_headers, can_hold=can_hold_header),
    lost_endings=_KifEndings().lost,
)
_FILE_U: Final = replace(
    _FILE, name="kifu", dump=partial(dump, utf8=True), title="KIF (UTF-8)", encoding="utf-8", copied=True
)
"""By the format's author, files are in Shift_JIS and those whose extension ends with a `u` in UTF-8."""

FORMAT: Final = Format("kif", load, _MARKS, [_FILE, _FILE_U], default_ending="\n   0 中断\n")
