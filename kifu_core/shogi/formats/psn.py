"""PSN, the Portable Shogi Notation: PGN's tags and comments around moves in letters (.psn).

Two dialects are about, often beside each other in a file. The full one names both squares (`P7g-7f`,
`B8hx2b+`, `P'2c`; Shogi-L, Shogidokoro); the short one, of the kifu of Western clubs, leaves the source out
(`P7f`, `P-7f`, `G65b` from the sixth file, `xP` and `Sx` for what takes the piece that has just moved).
Shogidokoro
numbers half-moves and writes times behind them; MyShogi's PSN2 has moves of USI. What is read is what stands
in the games of Shogi-L's archive (http://www.shogi.net/arc/games/) and in the notes on PSN of
https://github.com/yaneurao/MyShogi.

There is no writer: every program that reads PSN today reads KIF or CSA as well, which hold more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kifu_core.cutting import cutter
from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import AmbiguousMoveError, DecodeError, IllegalMoveError
from kifu_core.formats import Format, Mark, Stage
from kifu_core.jkf import FORK_LEVELS, Consumption, Time
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.draft import Draft, finished
from kifu_core.shogi.formats.grammar import Leaf, expected, items, repeated
from kifu_core.shogi.formats.usi import packed_step
from kifu_core.shogi.handicaps import by_name
from kifu_core.shogi.move_resolution import SAME, Garbled, Plan, Special, Step, Written, known, plan
from kifu_core.shogi.moves import from_usi, pack
from kifu_core.shogi.normalize import Line
from kifu_core.shogi.pieces import BY_LETTER, HAND_KINDS, PROMOTED
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import is_legal, sources
from kifu_core.shogi.specials import BY_WORD
from kifu_core.shogi.squares import BY_USI, FILES, RANKS
from kifu_core.shogi.start import named_initial

# --- grammar ---------------------------------------------------------------------------------------------

_SQUARE = r"[1-9][a-i]"
_END = r"(?=[\s(){};,]|\Z)"

TAG = Leaf(
    "tag", r"[ \t]*+\[[ \t]*+([A-Za-z][A-Za-z0-9_]{0,40}+)[ \t]++\"([^\n]*)\"[ \t]*+\][ \t]*+(?:\n|\Z)"
)
COMMENT = Leaf("comment", r"\{([^}]*+)(?:\}|\Z)")
REMARK = Leaf("remark", r"[;%#]([^\n]*+)(?:\n|\Z)")
NUMBER = Leaf("number", r"[0-9]{1,4}(?:\.{1,3}|(?=\s*+[▲△☗☖]))|\.{2,3}")
TIME = Leaf("time", r"\([ \t]*+([0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?)(?:/[0-9:]{0,12}+)?+[ \t]*+\)")
OPEN = Leaf("open", r"\(")
CLOSE = Leaf("close", r"\)")
FULL = Leaf("full", rf"(\+?)([PLNSGBRK])({_SQUARE})[-x]?({_SQUARE})([+=]?)([!?~]{{0,3}}+){_END}")
DROP = Leaf("drop", rf"([PLNSGBRK])['*]({_SQUARE})([!?~]{{0,3}}+){_END}")
SHORT = Leaf("short", rf"(\+?)([PLNSGBRK])([1-9a-i]?)[-x]?({_SQUARE})([+=]?)([!?~]{{0,3}}+){_END}")
TAKES = Leaf(
    "takes", rf"(?:x(\+?)([PLNSGBRK])([1-9a-i]?)|(\+?)([PLNSGBRK])([1-9a-i]?)x)([+=]?)([!?~]{{0,3}}+){_END}"
)
PLAIN = Leaf("plain", rf"({_SQUARE})-?({_SQUARE})(\+?)([!?~]{{0,3}}+){_END}")
WORD = Leaf("word", r"[^\s(){}]++")
BLANK = Leaf("blank", r"[\s,▲△☗☖]++")
UNKNOWN = Leaf("unknown", r"[^\n]")

GRAMMAR: Final = repeated(
    BLANK, TAG, COMMENT, REMARK, TIME, OPEN, CLOSE, NUMBER, FULL, DROP, SHORT, TAKES, PLAIN, WORD, UNKNOWN
)
EXPECTED: Final = expected(GRAMMAR)

_MOVES: Final = frozenset(["full", "drop", "short", "takes", "plain"])

# --- words -----------------------------------------------------------------------------------------------

HEADERS: Final = {
    "sente": "先手",
    "black": "先手",
    "gote": "後手",
    "white": "後手",
    "sente_grade": "先手段級",
    "sentegrade": "先手段級",
    "black_grade": "先手段級",
    "gote_grade": "後手段級",
    "gotegrade": "後手段級",
    "white_grade": "後手段級",
    "event": "棋戦",
    "date": "開始日時",
    "venue": "場所",
    "site": "場所",
    "opening": "戦型",
    "handicap": "手合割",
}
"""Tags to the header names of KIF; the others keep their own."""

_HANDICAPS: Final = {
    "even": "平手",
    "none": "平手",
    "lance": "香落ち",
    "bishop": "角落ち",
    "rook": "飛車落ち",
    "rook+lance": "飛香落ち",
    "rook lance": "飛香落ち",
    "rook-lance": "飛香落ち",
    "2 piece": "二枚落ち",
    "3 piece": "三枚落ち",
    "4 piece": "四枚落ち",
    "5 piece": "五枚落ち",
    "6 piece": "六枚落ち",
    "8 piece": "八枚落ち",
    "10 piece": "十枚落ち",
}

_SHOGI: Final = frozenset(["", "standard", "shogi", "normal", "from position"])
"""What the tag Variant says where the game is none of the others (lishogi)."""

_RESULTS: Final[dict[str, int | None]] = {"1-0": 0, "0-1": 1, "1/2-1/2": None, "½-½": None}

_ENDINGS: Final = {
    "resigns": "投了",
    "resign": "投了",
    "toryo": "投了",
    "interrupt": "中断",
    "sennichite": "千日手",
    "repetitiondraw": "千日手",
    "jishogi": "持将棋",
    "timeup": "切れ負け",
    "mate": "詰み",
    "checkmate": "詰み",
    "illegal": "反則負け",
    "maxmovesdraw": "最大手数",
    "declarationwin": "入玉勝ち",
}
"""Words that stand in place of a move, in the result's tag or alone in a comment (Shogidokoro, MyShogi,
Shogi-L)."""


class Seen(Written):
    """A move that names its piece and target, and of its source no more than a file or a rank.

    Of several pieces the one that may legally go there. A drop has a sign of its own, but some kifu of 1992
    and 2001 leave it out: it is one where no piece on the board can come.
    """

    __slots__ = ("kind", "promote", "to", "where")

    def __init__(self, to: int, kind: int, promote: bool, where: str) -> None:
        self.to = to
        self.kind = kind
        self.promote = promote
        self.where = where

    def plan(self, position: Position, last: int) -> Plan:
        to = last if self.to == SAME else self.to
        if to < 0:
            raise IllegalMoveError("same-without-move")
        found = [one for one in sources(position, position.turn, self.kind, to) if self._stands(one)]
        if len(found) > 1:
            found = [one for one in found if is_legal(position, pack(one, to, self.promote))] or found
        if not found and self._can_drop(position):
            return plan(-1, to, self.kind, False, position.turn)
        if not found:
            raise IllegalMoveError("no-piece")
        if len(found) > 1:
            raise AmbiguousMoveError("ambiguous")
        return plan(found[0], to, self.kind, self.promote, position.turn, None, self.to == SAME)

    def _can_drop(self, position: Position) -> bool:
        plain = self.to != SAME and not self.promote and not self.where
        return plain and self.kind in HAND_KINDS and position.hands[position.turn][self.kind] > 0

    def _stands(self, origin: int) -> bool:
        where = self.where
        return not where or where in (str(FILES[origin]), chr(ord("a") - 1 + RANKS[origin]))


def _kind(plus: str, letter: str) -> int:
    kind = BY_LETTER[letter]
    return PROMOTED[kind] if plus else kind


def _read_move(name: str, match: re.Match[str]) -> Step:
    """Return the step of a leaf with a move."""
    if name == "plain":
        return (
            packed_step(from_usi(match[1] + match[2] + match[3])) if match[1] != match[2] else _garbled(match)
        )
    if name == "drop":
        return known(-1, BY_USI[match[2]], BY_LETTER[match[1]], False)
    if name == "full":
        origin, to, kind = BY_USI[match[3]], BY_USI[match[4]], _kind(match[1], match[2])
        return known(origin, to, kind, match[5] == "+") if origin != to else _garbled(match)
    if name == "short":
        return Seen(BY_USI[match[4]], _kind(match[1], match[2]), match[5] == "+", match[3])
    kind = _kind(match[1] or match[4], match[2] or match[5])
    return Seen(SAME, kind, match[7] == "+", match[3] or match[6] or "")


def _garbled(match: re.Match[str]) -> Step:
    return Garbled(match[0][:20])


# --- load ------------------------------------------------------------------------------------------------


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a PSN text. Issues that belong to no game that could be read go to `notes`."""
    return [game for _reader, game in finished(_readers(source), source, notes) if game is not None]


def _readers(source: Source) -> Iterator[_Reader]:
    """Yield a reader per game; tags behind moves belong to the next one."""
    reader = _Reader(source, 0)
    for name, match in watched(items(GRAMMAR, source.text)):
        if name == "tag" and reader.played:
            yield reader
            reader = _Reader(source, match.start())
        reader.read(name, match)
    yield reader


def _locate(block: str) -> list[int]:
    """Return the offset 0 alone: every move is a block of its own."""
    return [0]


class _Reader:
    """Reads the parts of one game into a draft. `open_lines` are those around the current one."""

    def __init__(self, source: Source, offset: int) -> None:
        self.draft = Draft(Notes(source), line=Line(restore_same=True), first_offset=offset)
        self.line = self.draft.line
        self.open_lines: list[Line] = []
        self.sfen: tuple[str, int] | None = None
        self.result: tuple[str, int] | None = None
        self.handicap_offset = 0
        self.played = False
        self.said_anything = False
        self.ignored = 0
        self.variant: tuple[str, int] | None = None

    def read(self, name: str, match: re.Match[str]) -> None:
        """Take in one leaf."""
        if name == "blank":
            return
        self.said_anything = True
        if name in _MOVES:
            self._move(name, match)
        else:
            getattr(self, f"_{name}")(match)

    def finish(self, index: int) -> ParsedGame | None:
        """Return the finished game, None if it holds nothing."""
        self._set_start()
        line = self.draft.line
        if self.result is not None and not (line.steps and isinstance(line.steps[-1], Special)):
            self._end(*self.result)
        line.times += [None] * (len(line.steps) - len(line.times))
        self.draft.plain_times = any(line.times)
        self.draft.started = self.sfen is not None
        return self.draft.finish(index, _locate)

    # --- head ----------------------------------------------------------------------------------------

    def _tag(self, match: re.Match[str]) -> None:
        name, text = match[1].lower(), match[2].strip()
        if name in ("sfen", "fen"):
            self.sfen = text, match.start()
        elif name == "variant":
            self.variant = (text, match.start()) if text.lower() not in _SHOGI else None
        elif name == "result":
            self.result = (text, match.start()) if text.strip("*?- ") else None
        elif text:
            if name == "date" and re.fullmatch(r"[0-9]{8}", text):
                text = f"{text[:4]}/{text[4:6]}/{text[6:]}"
            elif name == "date":
                text = text.replace(".", "/")
            if name == "handicap":
                self.handicap_offset = match.start()
            self.draft.header[HEADERS.get(name, match[1])] = text

    def _set_start(self) -> None:
        """Set the start: the position of the tag SFEN, else that of the handicap that is named."""
        draft = self.draft
        name = draft.header.get("手合割", "")
        handicap = by_name(_HANDICAPS.get(name.lower().removesuffix("s"), name) or "平手")
        if self.variant is not None:
            draft.notes.add("unknown-handicap", self.variant[1], "error", None, name=self.variant[0])
            draft.playable = False
        try:
            if self.sfen is not None:
                text = self.sfen[0]
                draft.position = Position.from_sfen(text if " " in text else f"{text} b -")
            elif handicap is not None:
                draft.position = Position.from_sfen(handicap.sfen)
            else:
                draft.notes.add("unknown-handicap", self.handicap_offset, "error", None, name=name)
                draft.playable = False
        except DecodeError as error:
            draft.notes.add(error.code, self.sfen[1] if self.sfen else 0, "error", None, **error.params)
            draft.playable = False
        draft.initial = named_initial(draft.position)

    # --- comments ------------------------------------------------------------------------------------

    def _comment(self, match: re.Match[str]) -> None:
        """Add text in braces as a comment.

        A word that alone is a result is one: `{Resigns}` is how Shogi-L's games end.
        """
        text = match[1].strip()
        key = _key(text)
        if self.line is self.draft.line and self.played and (key in _ENDINGS or text in _RESULTS):
            self.result = text, match.start()
            return
        self._say([line.strip() for line in text.split("\n") if line.strip()], match)

    def _remark(self, match: re.Match[str]) -> None:
        self._say([match[1].strip()], match)

    def _say(self, lines: list[str], match: re.Match[str]) -> None:
        line = self.line
        if not line.steps and line is self.draft.line:
            self.draft.comments += lines
        else:
            line.comments.setdefault(len(line.steps) - 1, []).extend(lines)
            line.add_text(match.start(), match.end())

    # --- play ----------------------------------------------------------------------------------------

    def _number(self, match: re.Match[str]) -> None:
        """Pass over a number: some count half-moves, some pairs of them, and the order alone counts."""

    def _move(self, name: str, match: re.Match[str]) -> None:
        self.played = True
        self._add_step(_read_move(name, match), match)
        if glyphs := match[match.lastindex or 0]:
            self._say([glyphs], match)

    def _add_step(self, step: Step, match: re.Match[str]) -> None:
        line = self.line
        if not line.steps and -1 in line.comments:  # comments between the bracket and its first move
            line.comments[0] = line.comments.pop(-1)
        line.spots.append((len(line.steps), match.start(), match.end()))
        line.steps.append(step)
        line.times.append(None)

    def _time(self, match: re.Match[str]) -> None:
        """Set the time of the move before; the side's total, which Shogidokoro adds, is passed over."""
        parts = [int(part) for part in match[1].split(":")]
        seconds = sum(part * 60**power for power, part in enumerate(reversed(parts)))
        if self.line.times:
            now: Time = {"m": seconds // 60, "s": seconds % 60}
            self.line.times[-1] = Consumption(now=now)

    def _word(self, match: re.Match[str]) -> None:
        text = match[0]
        if text in _RESULTS or text == "*":
            if text != "*" and self.line is self.draft.line:
                self.result = text, match.start()
        elif word := _ENDINGS.get(_key(text)):
            self.played = True
            self._add_step(Special(text, BY_WORD[word].special), match)
        elif _LIKE_MOVE.match(text):
            self.played = True
            self._add_step(Garbled(text[:40]), match)
        elif (rest := text.strip(".,-")) and not rest.isdecimal():
            self._say([text], match)
            self.draft.notes.add("unknown-line", match.start(), text=text[:40], expected=EXPECTED)

    def _unknown(self, match: re.Match[str]) -> None:
        """Note a bracket that closes nothing, or another character that stands for nothing."""
        self.draft.notes.add("unknown-line", match.start(), text=match[0], expected=EXPECTED)

    def _end(self, text: str, offset: int) -> None:
        """End the main line by the result of the tag, or of a comment behind the moves."""
        line = self.draft.line
        if text in _RESULTS:
            self.draft.decide(_RESULTS[text], offset)
        elif word := _ENDINGS.get(_key(text)):
            line.spots.append((len(line.steps), offset, offset))
            line.steps.append(Special(text, BY_WORD[word].special))
        else:
            self.draft.notes.add("unknown-ending", offset, "warning", None, text=text[:20])

    # --- variations ----------------------------------------------------------------------------------

    def _open(self, match: re.Match[str]) -> None:
        """Open a variation instead of the move before."""
        parent = self.line
        fork = Line(restore_same=True, level=parent.level + 1)
        if fork.level > FORK_LEVELS:
            self.ignored += 1
            self.draft.notes.add("variation-too-deep", match.start(), "error", number=len(parent.steps))
            return
        if parent.steps:
            parent.forks.setdefault(len(parent.steps) - 1, []).append(fork)
        else:
            self.draft.notes.add("variation-without-move", match.start(), "error", number=1)
            self.draft.lost.append(fork)
        fork.spots.append((0, match.start(), match.end()))
        self.open_lines.append(parent)
        self.line = fork

    def _close(self, match: re.Match[str]) -> None:
        if self.ignored:
            self.ignored -= 1
        elif self.open_lines:
            self.line.times += [None] * (len(self.line.steps) - len(self.line.times))
            self.line = self.open_lines.pop()
        else:
            self._unknown(match)


_LIKE_MOVE: Final = re.compile(r"\+?x?\+?[PLNSGBRK](?:[1-9'*x]|[-a-i][1-9])|[1-9][a-i][-1-9]")


def _key(text: str) -> str:
    """Return a word as the table of endings has it."""
    return re.sub(r"[^a-z]", "", text.lower())


# --- format ----------------------------------------------------------------------------------------------

_MARK: Final = re.compile(
    r'\s*+(?:\{[^}]*+\}\s*+)?+\[\s*+[A-Za-z]\w{0,40}+[ \t]++"[^\n]*\]|\s*+1\.[ \t]*+[PSGRBKNL]'
    r"|\s*+(?:1\.?\s++)?+[▲☗△☖]?[PLNSGBRK](?:[1-9][a-i])?-[1-9][a-i][+=]?[\s,▲△☗☖]"
)
_MARK_MOVE: Final = re.compile(
    r"(?<![^\s.▲△☗☖])\+?(?:[PLNSGBRK](?:[1-9][a-i][-x]?[1-9][a-i]|[1-9a-i]?[-x]?[1-9][a-i]|['*][1-9][a-i])"
    r"|(?=[1-9])[1-9][a-i]-?[1-9][a-i])[+=]?(?=[\s!?(,]|\Z)"
)
"""A tag, or the number of a first move; and a move of PSN: chess has its letter before the digit."""


def _is_psn(text: str, name: str) -> bool:
    return _MARK.match(text) is not None and _MARK_MOVE.search(text) is not None


def _begins_game(line: bytes, before: bytes, depth: int) -> bool:
    return line.startswith(b"[") and not before.startswith(b"[") and not depth


FORMAT: Final = Format("psn", load, [Mark(Stage.WHOLE, _is_psn)], cut=cutter(_begins_game))
