"""KIF: a row per move with its number, source square and time (.kif, .kifu)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.formats import Format, Mark, Stage, Writer
from kifu_core.jkf import Consumption, Move, MoveEntry, Record
from kifu_core.memo import Memo
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi.formats import kakinoki, writing
from kifu_core.shogi.formats.endings import Endings
from kifu_core.shogi.formats.grammar import Leaf, expected
from kifu_core.shogi.formats.kakinoki import EOL, headers_mark
from kifu_core.shogi.formats.read_kakinoki import KakinokiReader, read_games
from kifu_core.shogi.formats.times import CLOCK, TIME
from kifu_core.shogi.move_resolution import SAME, Garbled, Search, Special, Step, known
from kifu_core.shogi.pieces import BY_NAME
from kifu_core.shogi.position import Position
from kifu_core.shogi.specials import BY_WORD, EndingKind
from kifu_core.shogi.squares import BY_JAPANESE

# --- grammar ---------------------------------------------------------------------------------------------

_DIGITS = r"[0-9]{1,6}+"
_NUMBER = rf"[ \t　]*+{_DIGITS}[ \t　]++"
_COUNTED = _NUMBER.replace(_DIGITS, f"({_DIGITS})")
_TEXT = r"[^\n(（+]{1,40}+(?:[(（][0-9０-９]{2}[)）])?+"
_CLOCK = CLOCK
_TIMED = rf"({_TEXT})[ \t　]*+(?:[(（]({_CLOCK})[)）])?+[ \t　]*+\+?"
_ROW = _NUMBER + _TIMED
_ROW_LINE = rf"{_NUMBER}[^\s(（][^\n]*+{EOL}"

ROWS = Leaf("rows", rf"{_ROW_LINE}(?:[ \t　]*+(?:[0-9*][^\n]*+{EOL}|\n))*+")
"""A block of rows, each a move or an ending, with the comments between them."""

GRAMMAR: Final = kakinoki.grammar(ROWS)
EXPECTED: Final = expected(GRAMMAR)
holds_header = partial(kakinoki.holds_header, GRAMMAR, "kif")

_WHOLE_ROW: Final = re.compile(rf"^{_COUNTED}{_TIMED}[ \t　]*+{EOL}", re.MULTILINE)
_ANY_LINE: Final = re.compile(
    rf"^(?:{_COUNTED}{_TIMED}([^\n]*+)|[ 　]*+\*([^\n]*+)|([^\n]*\S[^\n]*+)){EOL}", re.MULTILINE
)
"""A row with what stands behind it, a comment, or another line; each has its own group."""

_NUMBERED: Final = re.compile(_NUMBER)

# --- words -----------------------------------------------------------------------------------------------

_MOVE: Final = re.compile(
    r"[▲△☗☖▼▽]?(?:(同)[ 　]*)?([1-9１-９][1-9１-９一二三四五六七八九])?[ 　]*"
    r"(成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])[左直右上寄引行入下]*"
    r"(成|不成|打|不|生)?[ 　]*(?:[(（]([0-9０-９]{2})[)）])?[ 　]*"
)
_ROW_LIKE: Final = re.compile(r"[▲△☗☖▼▽1-9１-９同]")


def _read_row(text: str) -> Step:
    """Return the step that a row's text stands for: a move, an ending, or something that is neither."""
    text = text.rstrip(" 　\t")
    match = _MOVE.fullmatch(text)
    if match is None:
        if text in BY_WORD:
            return Special(text, BY_WORD[text].special)
        return Garbled(text) if _ROW_LIKE.match(text) else Special(text, None)
    same, place, name, ending, source = match.groups()
    if not same and not place:
        return Garbled(text)
    to = SAME if same else BY_JAPANESE[place]
    kind = BY_NAME[name]
    if ending == "打" or source in ("00", "００"):
        return known(-1, to, kind, False)
    if source is None:  # a drop written without 打, or a move written without its source
        return Search(to, kind, ending == "成", "")
    origin = BY_JAPANESE.get(source, -1)
    return known(origin, to, kind, ending == "成") if origin >= 0 else Garbled(text)


def holds_ending(word: str) -> bool:
    """Tell whether the word of an ending is read as one in a row, and not as a piece."""
    return isinstance(_read_row(word), Special)


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

_NUMBERS: Final = tuple(map(str, range(2000)))
"""The first numbers of rows as nearly all programs write them: text compares faster than it is counted."""

# --- load ------------------------------------------------------------------------------------------------


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a KIF text. Issues that belong to no game that could be read go to `notes`."""
    return read_games(_Reader, GRAMMAR, source, notes)


def locate(block: str) -> list[int]:
    """Return the offsets of the rows in a block of rows and comments."""
    found = _ANY_LINE.finditer(block)
    return [match.start() for match in found if match[1] or (match[6] and _NUMBERED.match(match[6]))]


class _Reader(KakinokiReader):
    expected = EXPECTED
    locate = staticmethod(locate)

    def _rows(self, match: re.Match[str]) -> None:
        """Read a block that is nothing but rows all at once, any other line by line."""
        block = match[0]
        if self.line is self.draft.line and not self.line.steps:
            self._begin(block)
        found = _WHOLE_ROW.findall(block)
        if len(found) != block.count("\n") + (block[-1] != "\n"):
            return self._mixed_rows(match)
        numbers, texts, clocks = zip(*found, strict=True)
        self._compare_numbers(numbers, match)
        self._add_timed(_STEPS.each(texts), clocks, match)

    def _mixed_rows(self, match: re.Match[str]) -> None:
        first = len(self.line.steps)
        numbers: list[str] = []
        steps: list[Step] = []
        clocks: list[str] = []
        comments: dict[int, list[str]] = {}
        for line in watched(_ANY_LINE.finditer(match[0])):
            number, text, time, rest, comment, other = line.groups()
            if comment is not None:
                comments.setdefault(first + len(steps) - 1, []).append(comment)
                continue
            numbered = _NUMBERED.match(other) if other else None
            if other and not numbered:
                at = match.start() + line.start()
                self.draft.notes.add("unknown-line", at, text=other.strip()[:40], expected=EXPECTED)
                continue
            numbers.append(numbered[0] if numbered else number)
            steps.append(Garbled(other.strip()[:40]) if other else _STEPS[text])
            clocks.append(time or "")
            if rest and (rest := rest.strip(" 　\t")):
                self.draft.notes.add("row-rest", match.start() + line.start(), "warning", text=rest[:40])
        self._compare_numbers(numbers, match)
        self._add_timed(steps, clocks, match)
        for index, texts in comments.items():
            self.line.comments.setdefault(index, []).extend(texts)

    def _begin(self, block: str) -> None:
        """Count from the first row's number, as a game may start in the middle."""
        self.due = int(block.split(maxsplit=1)[0])
        self.base = max(0, self.due - 1)

    def _set_start(self) -> None:
        """Set the start, and note the rows that are missing before the first.

        Without a drawn board the game starts with its first row.
        """
        super()._set_start()
        spots = self.draft.line.spots
        if self.base and self.board is None and spots:
            self.draft.notes.add("rows-missing", spots[0][1], "warning", None, first=1, last=self.base)

    def _variation(self, match: re.Match[str]) -> None:
        super()._variation(match)
        self.due = int(match[1])

    def _compare_numbers(self, numbers: Sequence[str], match: re.Match[str]) -> None:
        """Note the rows that are missing where the numbers of a block jump ahead.

        Some programs count anew, or do not count an ending.
        """
        due = self.due
        if tuple(numbers) == _NUMBERS[due : due + len(numbers)]:
            self.due += len(numbers)
            return
        written = [*map(int, numbers)]
        self.due = written[-1] + 1
        places = self.locate(match[0])
        for place, number in watched(zip(places, written, strict=True)):
            if number > due:
                at = match.start() + place
                self.draft.notes.add("rows-missing", at, "warning", None, first=due, last=number - 1)
            due = number + 1

    def _mover(self, position: Position, step: Step) -> int:
        """Return the side whose piece stands on the first row's source, or that alone has it in hand."""
        if not isinstance(step, tuple):
            return 0
        origin, kind = step[0].origin, abs(step[0].piece)
        if origin >= 0:
            return int(position.board[origin] < 0)
        return int(kind < 8 and not position.hands[0][kind] and position.hands[1][kind] > 0)


# --- dump ------------------------------------------------------------------------------------------------


def dump(record: Record, *, utf8: bool = False, ending: Ending | None = None) -> str:
    """Return the record as KIF text; `utf8` writes the line that marks a .kifu file.

    `ending` is how the main line ended, for endings that JKF has no name for.
    """
    times = any("time" in entry for branch in writing.branches(record) for entry in branch.entries)
    lines = ["#KIF version=2.0 encoding=UTF-8"] if utf8 else []
    lines += writing.header_lines(record, holds_header)
    lines.append("手数----指手---------消費時間--" if times else "手数----指手--")
    for entry in record["moves"][:1]:
        lines += writing.comment_lines(entry.get("comments", []))
    sides = writing.sides(record)
    for branch in writing.branches(record, ending):
        if not branch.is_main:
            lines += ["", f"変化：{branch.ply}手"]
        lines += _branch_lines(branch, sides, ending)
    return "\n".join(lines) + "\n"


def _branch_lines(branch: writing.Branch, sides: writing.Sides, ending: Ending | None) -> list[str]:
    """Return the rows of a line with their comments, and its まで line.

    The まで line is left out where a move or another ending stands behind the line's ending, which
    shogi-server writes twice.
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
        ) and holds_ending(word := writing.ending_word(kind, turn)):
            lines.append(_row(ply, word, entry, more))
            last, behind = last or kind, behind or last not in (None, kind)
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
    place = "同　" if move.get("same") else writing.place_text(move)
    source = move.get("from")
    text = place + writing.piece_name(move) + ("成" if move.get("promote") else "")
    return f"{text}({source['x']}{source['y']})" if source else text + "打"


def _time_text(time: Consumption) -> str:
    now, total = time["now"], time.get("total", {"h": 0, "m": 0, "s": 0})
    minutes = now.get("h", 0) * 60 + now["m"]
    return f"{minutes:2d}:{now['s']:02d}/{total.get('h', 0):02d}:{total['m']:02d}:{total['s']:02d}"


# --- format ----------------------------------------------------------------------------------------------


class _Endings(Endings):
    def says(self, ending: Ending, kind: EndingKind, turn: int) -> bool:
        return holds_ending(writing.ending_word(kind, turn))


_MARK: Final = r"""[ \t　]*+[0-9]{1,6}+[ 　\t]++
    (?![▲△☗☖▼▽][^\n▲△☗☖▼▽]*+[▲△☗☖▼▽][ 　]*+[１-９1-9同])
    [▲△☗☖▼▽]?(?:[１-９1-9][一二三四五六七八九1-9１-９]|同|投了|中断|詰)"""
_RULE: Final = re.compile(r"^手数-{2,}", re.MULTILINE)
"""The line above the moves, which some KI2 texts have too: it decides where no move does before."""

_MARKS: Final = [
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
    kept_headers=partial(writing.kept_headers, holds=holds_header),
    lost_endings=_Endings().lost,
)
_FILE_U: Final = replace(
    _FILE, name="kifu", dump=partial(dump, utf8=True), title="KIF (UTF-8)", encoding="utf-8", copied=True
)
"""By the format's author, files are in Shift_JIS and those whose extension ends with a `u` in UTF-8."""

FORMAT: Final = Format("kif", load, _MARKS, [_FILE, _FILE_U], ends="\n   1 中断\n")
