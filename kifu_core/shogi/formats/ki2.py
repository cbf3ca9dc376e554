"""KI2: moves as people write them, several a line, with relative words for the source (.ki2, .ki2u)."""

import re
from dataclasses import replace
from functools import partial
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import KifuError
from kifu_core.expressions import many
from kifu_core.formats import IN_REMARK, Format, Mark, PartCounts, Stage, Writer
from kifu_core.jkf import Move, MoveEntry, Record
from kifu_core.memo import Memo
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi import spelling
from kifu_core.shogi.formats import kakinoki, kif, typed, writing
from kifu_core.shogi.formats.draft import QUOTED_LENGTH
from kifu_core.shogi.formats.endings import Endings
from kifu_core.shogi.formats.grammar import BLANKS, Leaf
from kifu_core.shogi.formats.kakinoki import A_RESULT, EOL, OF_ENDING, OF_START, headers_mark
from kifu_core.shogi.formats.kakinoki_games import KakinokiMatch
from kifu_core.shogi.formats.read_kakinoki import KakinokiReader, read_games
from kifu_core.shogi.formats.rows import LETTERS
from kifu_core.shogi.move_resolution import SAME, EndingStep, Search, Step, UnreadableStep, pauses
from kifu_core.shogi.moves import target
from kifu_core.shogi.pieces import BY_NAME
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import packed_move
from kifu_core.shogi.rules import fault
from kifu_core.shogi.specials import BY_WORD, EndingKind, find, read_result
from kifu_core.shogi.spelling import MARKS
from kifu_core.shogi.squares import BY_JAPANESE
from kifu_core.shogi.start import start_position

# --- grammar ---------------------------------------------------------------------------------------------

_COUNT: Final = (
    rf"(?>(?:(?:{spelling.NUMBER}|[0-9０-９]{{1,4}}+(?=[{MARKS}])|[①-⑳]|[0-9]{{1,4}}+(?=[^\S\n])){BLANKS})?)"
)
_ODD_MARK: Final = (
    rf"(?:[{MARKS}⛊⛉●○■□◆◇▴▵🔺]|[先後上下]手{BLANKS}[▲△]?){BLANKS}[:：.]?{BLANKS}"
    rf"(?:同|[1-9１-９一二三四五六七八九][1-9１-９一二三四五六七八九ニハー－―]){BLANKS}(?:{spelling.PIECE}|[A-Z+Ａ-Ｚ])"
)
_SENTENCE: Final = (
    rf"[{MARKS}]{BLANKS}(?:[^\s{MARKS}]{{2,6}}(?!まで)[ぁ-ゖ]{{2}}"
    rf"|(?:[先後上下]手)?{BLANKS}(?:[{MARKS}]{BLANKS}[先後上下]手)?{BLANKS}{EOL})"
)
"""A mark before a sentence, before a side, or alone."""

_MOVE_LINE = (
    rf"{BLANKS}{_COUNT}(?!{_SENTENCE})"
    rf"(?:[{MARKS}]{BLANKS}(?=[1-9１-９同仝]|{typed.ENDING})|(?={_ODD_MARK}|{spelling.MOVE}[{MARKS}]))[^\n：]*+{EOL}"
)
_BARE_LINE = rf"{BLANKS}{many(spelling.BARE, least=1)}(?:投了|中断|千日手|持将棋|詰み?)?[^\S\n。]*+{EOL}"

_MORE = rf"{BLANKS}(?:(?!{_SENTENCE})[{MARKS}*＊][^\n]*+{EOL}|\n)"

MOVES = Leaf("moves", rf"(?:{_MOVE_LINE}|{_BARE_LINE}){many(_MORE)}")
"""A block of lines of moves, with the comments between and after them."""

GRAMMAR: Final = kakinoki.grammar(MOVES)
can_hold_header = partial(kakinoki.can_hold_header, GRAMMAR, "ki2")

_A_SENTENCE: Final = re.compile(_SENTENCE)
_COMMENT_LINES: Final = re.compile(rf"^{BLANKS}[*＊#&][^\n]*+", re.MULTILINE)
_FIRST_MARK: Final = re.compile(rf"{BLANKS}{_COUNT}([{MARKS}])")
_AROUND: Final = " 　\t、，,。．.・"

# --- words -----------------------------------------------------------------------------------------------

_ORDER: Final = "LCRUMDH"

_MOVE: Final = re.compile(
    r"(?:(同)[ 　]*)?([1-9１-９][1-9１-９一二三四五六七八九])?[ 　]*"
    r"(成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])([左直右上寄引行入下打]{0,3})"
    r"(成|不成|不|生)?([左直右上寄引行入下]{0,3})"
)


def _read_move(text: str) -> Step:
    """Read a move such as `２二角成` or `同　銀右`, or the word of an ending."""
    text = text.strip(_AROUND)
    match = _MOVE.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return EndingStep(text, BY_WORD[text].special) if text in BY_WORD else UnreadableStep(text)
    to = SAME if match[1] else BY_JAPANESE[match[2]]
    words = "".join(sorted({LETTERS[word] for word in match[4] + match[6]}, key=_ORDER.index))
    return Search(to, BY_NAME[match[3]], match[5] == "成", words)


PARTS: Final = {
    "move_line": _MOVE_LINE,
    "bare_line": _BARE_LINE,
    "token": typed.TOKEN,
    "text": typed.TEXT,
    "move": _MOVE.pattern,
    **kakinoki.PARTS,
}
"""The rules inside the lines, for the documentation."""

_STEPS: Final = Memo(_read_move)


def _read_plain_move(text: str) -> Step:
    """Read a move with its mark; raises ValueError for any other text."""
    step = _STEPS[text[1:]]
    if (
        text[0] not in "▲△"
        or isinstance(step, UnreadableStep)
        or (isinstance(step, EndingStep) and pauses(step))
    ):
        raise ValueError(text)
    return step


_PLAIN_STEPS: Final = Memo(_read_plain_move)

# --- load ------------------------------------------------------------------------------------------------


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a KI2 text. Issues that belong to no game that could be read go to `notes`."""
    return read_games(_Ki2Reader, source, notes)


def locate(block: str) -> list[int]:
    """Return the offsets of the moves in a block of moves and comments."""
    return [item.at for item in typed.items(block, _STEPS.__getitem__) if item.step is not None]


class _Ki2Reader(KakinokiReader):
    """Reads also the remarks of `dump`: `waiting` are comments before an ending."""

    grammar = GRAMMAR
    locate = staticmethod(locate)
    first_mark = ""
    shielded = False
    waiting: list[str] | None = None

    def read(self, name: str, match: KakinokiMatch) -> None:
        """Read one leaf; comments that wait for an ending go to the last move if none follows."""
        if self.waiting is not None and name not in ("remark", "comment", "bookmark", "blank", "result"):
            self._end_waiting()
        super().read(name, match)

    def games(self, index: int, notes: Notes) -> list[ParsedGame]:
        self._end_waiting()
        return super().games(index, notes)

    def _remark(self, match: re.Match[str]) -> None:
        if match[1] == OF_ENDING:
            self.waiting = []
        elif match[1] == OF_START:
            self.in_header, self.shielded = False, not self.line.steps
        elif result := A_RESULT.match(self.draft.notes.source.text, match.start() + 1):
            self._result(result)
        else:
            super()._remark(match)

    def _comment(self, match: re.Match[str]) -> None:
        shielded, self.shielded = self.shielded, False
        if match[1] or not shielded:
            super()._comment(match)

    def _add_comment(self, text: str, begin: int, end: int) -> None:
        if self.waiting is None or text.startswith("&"):
            return super()._add_comment(text, begin, end)
        self.waiting.append(text)
        self.line.add_text(begin, end)

    def _end_waiting(self) -> None:
        texts, self.waiting = self.waiting, None
        if texts:
            self.line.comments.setdefault(len(self.line.steps) - 1, []).extend(texts)

    def _result(self, match: re.Match[str]) -> None:
        super()._result(match)
        self._end_waiting()

    def _open_variation(self, number: int, begin: int, end: int) -> None:
        """Open a variation; `_names_square` says why 同 may be missing there."""
        super()._open_variation(number, begin, end)
        if self.line.level > 1:
            (_, first), (_, ply) = self.open_lines[-2:]
            self.line.restore_same = ply - first == 1

    def _moves(self, match: re.Match[str]) -> None:
        """Read blocks of plain moves at once, others item by item."""
        block = match[0]
        if not self.first_mark and (marked := _FIRST_MARK.match(block)):
            self.first_mark = marked[1]
        count = block.count("▲") + block.count("△")
        joined = block.replace("同　", "同")
        texts = joined.split()
        if len(texts) != count:
            texts = joined.replace("▲", " ▲").replace("△", " △").split()
        try:
            steps = _PLAIN_STEPS.each(texts) if len(texts) == count else []
        except ValueError:
            steps = []
        if not steps:
            return self._mixed_moves(match)
        self._add_steps(steps, [None] * count, match.start(), match.end())

    def _mixed_moves(self, match: re.Match[str]) -> None:
        first = len(self.line.steps)
        steps: list[Step] = []
        clocks: list[str] = []
        comments: dict[int, list[str]] = {}
        result: re.Match[str] | None = None
        for item in watched(typed.items(match[0], _STEPS.__getitem__)):
            if item.step is None and match[0].startswith("まで", item.at) and steps:
                result = A_RESULT.match(self.draft.notes.source.text, match.start() + item.at)
            elif item.step is not None:
                if steps and isinstance(ending := steps[-1], EndingStep) and pauses(ending):
                    steps.pop()
                    clocks.pop()
                    comments.setdefault(first + len(steps) - 1, []).append(ending.word)
                steps.append(item.step)
                clocks.append(item.clock)
            else:
                comments.setdefault(first + len(steps) - 1, []).append(item.comment)
        self._add_timed(steps, clocks, match.start(), match.end())
        for index, texts in comments.items():
            self.line.comments.setdefault(index, []).extend(texts)
        if result is not None:
            self._result(result)

    def _note_unknown(self, line: str, at: int) -> None:
        """Note an unknown line; one with a mark is an unreadable move, unless it is a sentence."""
        text = line.strip()
        if text[:1] in tuple(MARKS) and not _A_SENTENCE.match(text):
            self._add_steps([UnreadableStep(text[:QUOTED_LENGTH])], [None], at, at + len(line))
        else:
            super()._note_unknown(line, at)

    @classmethod
    def continues(cls, last: KakinokiMatch, match: KakinokiMatch) -> bool:
        assert isinstance(last, re.Match) and isinstance(match, re.Match)
        before, after = (
            [char for char in _COMMENT_LINES.sub("", one[0]) if char in MARKS] for one in (last, match)
        )
        return bool(before and after) and MARKS.index(before[-1]) % 2 != MARKS.index(after[0]) % 2

    def _mover(self, position: Position, step: Step) -> int:
        """Return the side of the first mark; the marks of both sides alternate in `MARKS`."""
        return MARKS.index(self.first_mark) % 2 if self.first_mark else 0


# --- dump ------------------------------------------------------------------------------------------------

_COLUMNS: Final = 12
_PER_LINE: Final = 6


def dump(record: Record, *, ending: Ending | None = None) -> str:
    """Return the record as KI2 text; times are lost. `ending` is as for KIF.

    json-kifu-format, the reference of JKF, refuses a whole text for an unknown まで line and for comments
    after one; it takes a comment of the start with a colon for a header. So `dump` uses remarks (`#`), which
    programs skip, for endings without a sentence and to mark the place of other comments.
    """
    lines = writing.header_lines(record, can_hold_header)
    first = [comment for entry in record["moves"][:1] for comment in entry.get("comments", [])]
    body = _comment_lines(first)
    sides = writing.sides(record)
    for branch in writing.branches(record, ending):
        if not branch.is_main:
            body += ["", f"変化：{branch.ply}手"]
        body += _branch_lines(branch, sides, ending)
    if _looks_like_header(body):
        body[:0] = ["#" + OF_START, "*"]
        if lines and "：" not in lines[0]:
            lines.insert(0, "手合割：その他")
    if not lines and body and body[0].startswith("#"):
        lines = ["手合割：平手"]
    return "\n".join([*lines, "", *body] if lines else body) + "\n"


def _looks_like_header(body: list[str]) -> bool:
    """Return whether the first comment would be read as a header."""
    first = next((line for line in body if not line.startswith("#")), "")
    return first[:1] in ("*", "&") and "：" in first


def _comment_lines(comments: list[str]) -> list[str]:
    """Return comments as lines, one bookmark last.

    json-kifu-format reads one bookmark and nothing after it. Further bookmarks become comments that begin
    with `&`, as JKF has them.
    """
    lines = writing.comment_lines(comments)
    marks = [line for line in lines if line.startswith("&")]
    return [*(line for line in lines if line not in marks), *("*" + mark for mark in marks[:-1]), *marks[-1:]]


def _branch_lines(
    branch: writing.WrittenBranch, sides: writing.ResultContext, ending: Ending | None
) -> list[str]:
    lines: list[str] = []
    moves: list[str] = []
    ply, turn, result, after = branch.ply, branch.turn, "", list[str]()
    for number, entry in enumerate(watched(branch.entries)):
        unnamed = ending if number == branch.closing else None
        comments = entry.get("comments", [])
        if "move" in entry:
            moves.append(_move_text(entry["move"], _names_square(branch, entry)))
            turn ^= 1
            ply += 1
        elif kind := writing.ending_kind(entry, unnamed, turn):
            won = unnamed.winner if unnamed else None
            result = result or _result_line(kind, ply - 1, turn, sides, won)
            after += comments
            comments = []
        if comments:
            lines += [*_move_lines(moves), *_comment_lines(comments)]
            moves = []
    lines += _move_lines(moves)
    if not result:
        return lines + _comment_lines(after)
    return [*_with_ending(lines, writing.comment_lines(after)), result]


def _with_ending(lines: list[str], comments: list[str]) -> list[str]:
    """Insert an ending's comments before the bookmark that may close a branch."""
    if not comments:
        return lines
    marks = lines[-1:] if lines and lines[-1].startswith("&") else []
    texts = [line if line.startswith("*") else "*" + line for line in comments]
    return [*lines[: len(lines) - len(marks)], "#" + OF_ENDING, *texts, *marks]


def _result_line(
    kind: EndingKind, plies: int, turn: int, sides: writing.ResultContext, won: int | None
) -> str:
    """Return the まで line, as a remark if not all programs know it; problems have まで7手で詰."""
    line = writing.result_line(kind, plies, turn, sides._replace(drawn=False), won)
    return line if writing.has_sentence(kind) else "#" + line


def _names_square(branch: writing.WrittenBranch, entry: MoveEntry) -> bool:
    """Return whether a move is written with its square instead of 同.

    json-kifu-format compares 同 with a wrong move in variations of another variation's second move.
    """
    return branch.of_second and entry is branch.entries[0]


def _move_lines(moves: list[str]) -> list[str]:
    """Return rows of six moves; all but the last of a row fill twelve columns."""
    rows = [moves[at : at + _PER_LINE] for at in range(0, len(moves), _PER_LINE)]
    return ["".join(writing.padded(text, _COLUMNS) for text in row).rstrip(" ") for row in rows]


def _move_text(move: Move, names_square: bool) -> str:
    words = "".join(spelling.RELATIVE[letter] for letter in move.get("relative", ""))
    promote = {True: "成", False: "不成", None: ""}[move.get("promote")]
    text = writing.piece_name(move) + words + promote
    if move.get("same") and not names_square:
        text = f"同　{text}" if len(text) == 1 else f"同{text}"
    else:
        text = writing.square_text(move) + text
    return ("△" if move["color"] else "▲") + text


# --- format ----------------------------------------------------------------------------------------------


class _Ki2Endings(Endings):
    """KI2 has one ending a line, in its まで line, which names the winner."""

    one_per_line = True

    def has_word(self, ending: Ending, kind: EndingKind, turn: int) -> bool:
        if find(ending.word) is None:
            return read_result(ending.word)[1] in (None, ending.winner)
        return kif.can_hold_ending(writing.ending_word(kind, turn))

    def names_winner(
        self, record: Record, main: writing.WrittenBranch, ending: Ending, kind: EndingKind | None, turn: int
    ) -> bool:
        in_phrase = ending.winner is not None and kind is not None and "{" in kind.phrase
        return in_phrase or super().names_winner(record, main, ending, kind, turn)


def _recount(counts: PartCounts, game: ParsedGame | Record, version: str) -> None:
    record, ending = (game.record, game.ending) if isinstance(game, ParsedGame) else (game, None)
    counts["moves"] = count_lost_moves(record)
    counts["bookmarks"] = _surplus_bookmarks(record)
    counts[IN_REMARK] = _endings_in_remarks(record, ending)


def count_lost_moves(record: Record) -> int:
    """Count the moves that cannot be read back from KI2.

    These are moves that no piece can make or whose text means another move, and all moves after them.
    """
    lost = 0
    waiting = [(record["moves"][1:], start_position(record.get("initial")), -1, False)]
    while waiting:
        entries, position, last, cut = waiting.pop()
        for entry in watched(entries):
            waiting += [(fork, position.copy(), last, cut) for fork in entry.get("forks", ())]
            if "move" not in entry:
                continue
            move = packed_move(entry["move"])
            cut = cut or not _is_read_back(entry["move"], move, position, last)
            lost += cut
            if not cut:
                position.do_move(move)
                last = target(move)
    return lost


def _is_read_back(move: Move, packed: int, position: Position, last: int) -> bool:
    """Return whether the text of a move is read back as the same move."""
    if fault(position, packed) is None:
        return True
    step = _STEPS[_move_text(move, names_square=False)[1:]]
    try:
        return isinstance(step, Search) and step.plan(position, last).packed == packed
    except KifuError:
        return False


def _surplus_bookmarks(record: Record) -> int:
    """Count the bookmarks that KI2 has no place for: all but the first of an entry, and those of endings."""
    branches = writing.branches(record)
    entries = [*record["moves"][:1], *(entry for branch in branches for entry in branch.entries)]
    marks = (
        (sum(text.startswith("&") for text in entry.get("comments", ())), "special" not in entry)
        for entry in watched(entries)
    )
    return sum(max(0, count - most) for count, most in marks)


def _endings_in_remarks(record: Record, ending: Ending | None) -> int:
    """Count the endings without a sentence that other programs know."""
    kinds: list[EndingKind] = []
    for branch in writing.branches(record, ending):
        turn = branch.turn
        for index, entry in enumerate(watched(branch.entries)):
            turn ^= "move" in entry
            unnamed = ending if index == branch.closing else None
            kind = None if "move" in entry else writing.ending_kind(entry, unnamed, turn)
            if kind is not None:
                kinds.append(kind)
                break
    return sum(not writing.has_sentence(kind) for kind in kinds)


_MARK: Final = rf"""{BLANKS}{_COUNT}(?!{_SENTENCE})(?:[{MARKS}]{BLANKS}[１-９1-9同仝][^\n：]|{_ODD_MARK}
    |{spelling.MOVE}[{MARKS}][１-９1-9同])
    |{BLANKS}{spelling.BARE}(?:\n{BLANKS})?{spelling.BARE}"""

_FILE: Final = Writer(
    "ki2",
    dump,
    encoding="cp932",
    options=["ending"],
    between=None,
    lost=["headers", "moves", "times", "fractions", "bookmarks", "ending"],
    kept_headers=partial(writing.written_headers, can_hold=can_hold_header),
    lost_endings=_Ki2Endings().lost,
    recount=_recount,
)
_FILE_U: Final = replace(_FILE, name="ki2u", title="KI2 (UTF-8)", encoding="utf-8", copied=True)
FORMAT: Final = Format("ki2", load, [Mark(Stage.ROW, _MARK), headers_mark("ki2")], [_FILE, _FILE_U])
