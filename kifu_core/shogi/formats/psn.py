"""PSN, the Portable Shogi Notation: PGN's tags and comments around moves in letters (.psn, .pgn).

There are three dialects, often mixed in a file. The full one names both squares (`P7g-7f`, `B8hx2b+`, `P'2c`;
Shogi-L, Shogidokoro). The short one of Western clubs and books (Hodges, Hosking) has no source (`P7f`,
`P-76`, `G65b` from the sixth file, `xP` and `Sx` for a capture of the piece that has just moved). Both write
ranks as letters or as numbers. The third is that of chess: squares count from the lower left of the side that
begins (`Pc4` is `P-7f`), a promotion names the new piece (`Bxh8=H`), `+` is a check, and promoted pieces that
move as golds are golds (PyChess, Fairy-Stockfish). Shogidokoro numbers half-moves and writes times after
them; MyShogi's PSN2 has moves of USI. The sources are the games of Shogi-L's archive
(http://www.shogi.net/arc/games/), the notes on PSN of https://github.com/yaneurao/MyShogi and exports of
https://www.pychess.org.

There is no writer: every program that reads PSN today reads KIF or CSA as well, which hold more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from kifu_core.cutting import cutter
from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import AmbiguousMoveError, DecodeError, IllegalMoveError
from kifu_core.formats import Format, Mark, Stage
from kifu_core.jkf import FORK_LEVELS, Consumption, Time
from kifu_core.record import ParsedGame
from kifu_core.shogi.fen import BOARD, as_sfen
from kifu_core.shogi.formats.draft import Draft, finished
from kifu_core.shogi.formats.grammar import Leaf, LineGrammar
from kifu_core.shogi.formats.usi import packed_step
from kifu_core.shogi.handicaps import by_name
from kifu_core.shogi.move_resolution import (
    SAME,
    EndingStep,
    MovePlan,
    Step,
    UnreadableStep,
    plan,
    sourced_step,
)
from kifu_core.shogi.moves import from_usi, pack
from kifu_core.shogi.pieces import BLACK, BY_LETTER, HAND_KINDS, KI, NG, NK, NY, PROMOTED, RY, TO, UM, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.rules import in_check, is_legal, sources
from kifu_core.shogi.specials import BY_WORD
from kifu_core.shogi.squares import BY_CSA, BY_USI, FILES, RANKS, USI
from kifu_core.shogi.start import initial_of

# --- grammar ---------------------------------------------------------------------------------------------

_SQUARE = r"[1-9][a-i]"
_ANY_SQUARE = r"(?:[1-9][a-i1-9]|[a-i][1-9])"
_END = r"(?=[\s(){};,]|\Z)"
_GLYPHS = r"([!?~]{0,3}+)"

TAG = Leaf(
    "tag", r"[ \t]*+\[[ \t]*+([A-Za-z][A-Za-z0-9_]{0,40}+)[ \t]++\"([^\n]*)\"[ \t]*+\][ \t]*+(?:\n|\Z)"
)
COMMENT = Leaf("comment", r"\{([^}]*+)(?:\}|\Z)")
REMARK = Leaf("remark", r"[;%#]([^\n]*+)(?:\n|\Z)")
NUMBER = Leaf("number", r"[0-9]{1,4}(?:\.{1,3}|(?=\s*+[▲△☗☖]))|\.{2,3}")
TIME = Leaf("time", r"\([ \t]*+([0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?)(?:/[0-9:]{0,12})?[ \t]*+\)")
OPEN = Leaf("open", r"\(")
CLOSE = Leaf("close", r"\)")
DROP = Leaf("drop", rf"([PLNSGBRK])['*@](?P<square>{_ANY_SQUARE})[+#]?{_GLYPHS}{_END}")
PIECE = Leaf(
    "piece",
    rf"(\+?)([PLNSGBRKHDT])({_ANY_SQUARE}|[1-9a-i])??[-x]?(?P<square>{_ANY_SQUARE})"
    rf"(=[PLNSGBRHDT]|[+=]?)[+#]?{_GLYPHS}{_END}",
)
TAKES = Leaf(
    "takes", rf"(?:x(\+?)([PLNSGBRK])([1-9a-i]?)|(\+?)([PLNSGBRK])([1-9a-i]?)x)([+=]?){_GLYPHS}{_END}"
)
PLAIN = Leaf("plain", rf"({_SQUARE})-?({_SQUARE})(\+?){_GLYPHS}{_END}")
WORD = Leaf("word", r"[^\s(){}]++")
BLANK = Leaf("blank", r"[\s,▲△☗☖]++")
UNKNOWN = Leaf("unknown", r"[^\n]")

GRAMMAR: Final = LineGrammar(
    BLANK, TAG, COMMENT, REMARK, TIME, OPEN, CLOSE, NUMBER, DROP, PIECE, TAKES, PLAIN, WORD, UNKNOWN
)

_TO_SQUARES: Final = frozenset(["drop", "piece"])
_MOVES: Final = _TO_SQUARES | {"takes", "plain"}

# --- words -----------------------------------------------------------------------------------------------

HEADERS: Final = {
    "sente": "先手",
    "gote": "後手",
    "sente_grade": "先手段級",
    "sentegrade": "先手段級",
    "gote_grade": "後手段級",
    "gotegrade": "後手段級",
    "event": "棋戦",
    "date": "開始日時",
    "venue": "場所",
    "site": "場所",
    "opening": "戦型",
    "handicap": "手合割",
}
"""Tags to the header names of KIF; other tags keep their names. Tags of Black and White count as those of
Sente and Gote, or the reverse if White begins."""

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
"""Values of the tag Variant for shogi (lishogi)."""

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
"""Words in place of a move, in the result's tag or alone in a comment (Shogidokoro, MyShogi, Shogi-L)."""


# --- moves -----------------------------------------------------------------------------------------------

_CHESS_NAMES: Final = tuple(
    f"{'ihgfedcba'[file - 1]}{10 - rank}" for file, rank in zip(FILES, RANKS, strict=True)
)
_BY_CHESS: Final = {name: square for square, name in enumerate(_CHESS_NAMES)}
_SQUARES: Final = BY_USI | BY_CSA | _BY_CHESS

_Names = tuple[frozenset[str], ...]
"""By square, the names that a move may have for its source."""

_HODGES: Final[_Names] = tuple(frozenset([*name, name]) for name in USI)
_CHESS: Final[_Names] = tuple(frozenset([*name, name]) for name in _CHESS_NAMES)

_KINDS: Final = BY_LETTER | {"T": TO, "H": UM, "D": RY}
_CHESS_KINDS: Final = {"G": (KI, TO, NY, NK, NG)}
"""Letters of chess for several pieces: all that move as a gold are one."""


class PsnMove(Step):
    """A move that names its piece and target, and of its source at most a file or a rank.

    Of several pieces, the one that may legally move is meant. A drop has a sign, but some kifu of 1992 and
    2001 leave it out: such a move is a drop if no piece on the board can come. `kinds` are the possible
    pieces, `where` names the source, `names` has the possible names of each square. `promote` None is the `+`
    of chess.
    """

    __slots__ = ("kinds", "names", "promote", "to", "where")

    def __init__(
        self, to: int, kinds: tuple[int, ...], promote: bool | None, where: str, names: _Names = _HODGES
    ) -> None:
        self.to = to
        self.kinds = kinds
        self.promote = promote
        self.where = where
        self.names = names

    def plan(self, position: Position, last: int) -> MovePlan:
        to = last if self.to == SAME else self.to
        if to < 0:
            raise IllegalMoveError("same-without-move")
        origins = [
            one
            for kind in self.kinds
            for one in sources(position, position.turn, kind, to)
            if not self.where or self.where in self.names[one]
        ]
        if len(origins) > 1:
            origins = [
                one for one in origins if is_legal(position, pack(one, to, self.promote is True))
            ] or origins
        if not origins and self._can_drop(position):
            return plan(-1, to, self.kinds[0], False, position.turn)
        if not origins:
            raise IllegalMoveError("no-piece")
        if len(origins) > 1:
            raise AmbiguousMoveError("ambiguous")
        (origin,) = origins
        promote = not _checks(position, origin, to) if self.promote is None else self.promote
        kind = abs(position.board[origin])
        return plan(origin, to, kind, promote, position.turn, None, self.to == SAME)

    def _can_drop(self, position: Position) -> bool:
        plain, kind = self.to != SAME and not self.promote and not self.where, self.kinds[0]
        return plain and kind in HAND_KINDS and position.hands[position.turn][kind] > 0


def _checks(position: Position, origin: int, to: int) -> bool:
    """Return whether `+` means check: the move gives check unpromoted, or it cannot promote."""
    after = position.copy()
    after.do_move(pack(origin, to))
    return in_check(after, after.turn) or not is_legal(position, pack(origin, to, True))


def _read_move(name: str, match: re.Match[str]) -> Step:
    if name == "plain":
        return (
            packed_step(from_usi(match[1] + match[2] + match[3])) if match[1] != match[2] else _garbled(match)
        )
    if name == "drop":
        return sourced_step(-1, _SQUARES[match[2]], BY_LETTER[match[1]], False)
    if name == "takes":
        kind = BY_LETTER[(match[1] or match[4] or "") + (match[2] or match[5])]
        return PsnMove(SAME, (kind,), match[7] == "+", match[3] or match[6] or "")
    plus, letter, where, square, tail = match.group(1, 2, 3, 4, 5)
    kind, to, promote = _KINDS[letter], _SQUARES[square], tail[1:] != "" or tail == "+"
    kind = PROMOTED[kind] if plus else kind
    if square in _BY_CHESS:
        if letter == "P" and len(where or "") == 1:  # of two pawns never more than one can come
            return _garbled(match)
        kinds = (kind,) if plus else _CHESS_KINDS.get(letter, (kind,))
        return PsnMove(to, kinds, None if tail == "+" else promote, where or "", _CHESS)
    if (origin := _SQUARES.get(where, -1)) < 0:
        return PsnMove(to, (kind,), promote, where or "")
    return sourced_step(origin, to, kind, promote) if origin != to else _garbled(match)


def _garbled(match: re.Match[str]) -> Step:
    return UnreadableStep(match[0][:20])


# --- load ------------------------------------------------------------------------------------------------


def _by_turn(name: str, *, white_begins: bool) -> str:
    """Return the name of a tag with Sente or Gote for Black or White."""
    name = name.lower()
    if name.startswith(("black", "white")):
        return ("sente" if name.startswith("white") == white_begins else "gote") + name[len("black") :]
    return name


def _headers(tags: Mapping[str, str], *, white_begins: bool) -> dict[str, str]:
    return {HEADERS.get(_by_turn(name, white_begins=white_begins), name): text for name, text in tags.items()}


def _first_player(tags: Mapping[str, str], *, white_begins: bool) -> int:
    """Return the colour whose tag stands first: a result counts that player's points first."""
    for name in tags:
        player = _by_turn(name, white_begins=white_begins)
        if player in ("sente", "gote"):
            return (BLACK, WHITE)[player == "gote"]
    return BLACK


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a PSN text. Issues of unreadable games go to `notes`."""
    return [game for _reader, game in finished(_readers(source), source, notes) if game is not None]


def _readers(source: Source) -> Iterator[_PsnReader]:
    """Yield a reader for each game; tags after moves begin the next game."""
    reader = _PsnReader(source, 0)
    for name, match in watched(GRAMMAR.items(source.text)):
        if name == "tag" and reader.has_moves:
            yield reader
            reader = _PsnReader(source, match.start())
        reader.read(name, match)
    yield reader


def _locate(block: str) -> list[int]:
    """Return one offset: every move is a block of its own."""
    return [0]


class _PsnReader:
    """Reads the leaves of one game into a draft. `open_lines` are the parents of the current line."""

    def __init__(self, source: Source, offset: int) -> None:
        self.draft = Draft(Notes(source), line=RawLine(restore_same=True), first_offset=offset)
        self.line = self.draft.line
        self.open_lines: list[RawLine] = []
        self.tags: dict[str, str] = {}
        self.sfen: tuple[str, int] | None = None
        self.result: tuple[str, int] | None = None
        self.handicap_offset = 0
        self.has_moves = False
        self.is_chess = False
        self.has_content = False
        self.ignored = 0
        self.variant: tuple[str, int] | None = None

    def read(self, name: str, match: re.Match[str]) -> None:
        if name == "blank":
            return
        self.has_content = True
        if name in _MOVES:
            self._move(name, match)
        else:
            getattr(self, f"_{name}")(match)

    def finish(self, index: int) -> ParsedGame | None:
        white_begins = self._set_start()
        self.draft.header.update(_headers(self.tags, white_begins=white_begins))
        line = self.draft.line
        if self.result is not None and not (line.steps and isinstance(line.steps[-1], EndingStep)):
            self._end(*self.result, _first_player(self.tags, white_begins=white_begins))
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
            self.tags[name if name in HEADERS else match[1]] = text

    def _set_start(self) -> bool:
        """Set the start by the tag SFEN or FEN, else the handicap; return whether White begins."""
        draft = self.draft
        name, white_begins = self.tags.get("handicap", ""), self.is_chess
        handicap = by_name(_HANDICAPS.get(name.lower().removesuffix("s"), name) or "平手")
        if self.variant is not None:
            draft.notes.add("unknown-handicap", self.variant[1], "error", None, name=self.variant[0])
            draft.playable = False
        try:
            if self.sfen is not None:
                text = self.sfen[0] if re.search(r"[ _\[]", self.sfen[0]) else f"{self.sfen[0]} b -"
                sfen = as_sfen(text)
                white_begins = text.replace("_", " ").split()[1:2] != sfen.split()[1:2]
                draft.position = Position.from_sfen(sfen)
            elif handicap is not None:
                draft.position = Position.from_sfen(handicap.sfen)
            else:
                draft.notes.add("unknown-handicap", self.handicap_offset, "error", None, name=name)
                draft.playable = False
        except DecodeError as error:
            draft.notes.add(error.code, self.sfen[1] if self.sfen else 0, "error", None, **error.params)
            draft.playable = False
        draft.initial = initial_of(draft.position)
        return white_begins

    # --- comments ------------------------------------------------------------------------------------

    def _comment(self, match: re.Match[str]) -> None:
        """Add a comment, or take it for the result: Shogi-L's games end with `{Resigns}`."""
        text = match[1].strip()
        key = _key(text)
        if self.line is self.draft.line and self.has_moves and (key in _ENDINGS or text in _RESULTS):
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
        """Skip a number: some count half-moves, some pairs of them."""

    def _move(self, name: str, match: re.Match[str]) -> None:
        self.has_moves = True
        self.is_chess |= name in _TO_SQUARES and match["square"] in _BY_CHESS
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
        """Set the time of the last move; the side's total, which Shogidokoro adds, is skipped."""
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
            self.has_moves = True
            self._add_step(EndingStep(text, BY_WORD[word].special), match)
        elif _LIKE_MOVE.match(text):
            self.has_moves = True
            self._add_step(UnreadableStep(text[:40]), match)
        elif (rest := text.strip(".,-")) and not rest.isdecimal():
            self._say([text], match)
            self.draft.notes.add("unknown-line", match.start(), text=text[:40], expected=GRAMMAR.expected)

    def _unknown(self, match: re.Match[str]) -> None:
        """Note a bracket that closes nothing, or any other stray character."""
        self.draft.notes.add("unknown-line", match.start(), text=match[0], expected=GRAMMAR.expected)

    def _end(self, text: str, offset: int, first_player: int) -> None:
        """End the main line by the result of a tag, or of a comment after the moves."""
        line = self.draft.line
        if text in _RESULTS:
            result = _RESULTS[text]
            self.draft.decide(None if result is None else result ^ first_player, offset)
        elif word := _ENDINGS.get(_key(text)):
            line.spots.append((len(line.steps), offset, offset))
            line.steps.append(EndingStep(text, BY_WORD[word].special))
        else:
            self.draft.notes.add("unknown-ending", offset, "warning", None, text=text[:20])

    # --- variations ----------------------------------------------------------------------------------

    def _open(self, match: re.Match[str]) -> None:
        """Open a variation of the last move."""
        parent = self.line
        fork = RawLine(restore_same=True, level=parent.level + 1)
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
    return re.sub(r"[^a-z]", "", text.lower())


# --- format ----------------------------------------------------------------------------------------------

_NUMBERED: Final = r"[PLNSGBRK](?:(?:[1-9]{1,2}[-x]?|[-x])?[1-9]{2}|['*][1-9]{2})[+=]?"
_LETTERED: Final = r"\+?[PLNSGBRK](?:[1-9][a-i][-x]?[1-9][a-i]|[1-9a-i]?[-x]?[1-9][a-i]|['*][1-9][a-i])[+=]?"
_HODGES_MOVE: Final = rf"(?:{_LETTERED}|{_NUMBERED})"
_CHESS_FIRST: Final = r"(?:P[a-i]4|[LNSGBRK][a-i1-9]?[a-i][1-9])"
"""A first move in the notation of chess. Other games with a letter for pawns begin elsewhere."""

_BEGINS: Final = re.compile(
    r'\s*+(?:(?:\{[^}]*+\}\s*+)?\[\s*+[A-Za-z]\w{0,40}+[ \t]++"[^\n]*\]|1\.[ \t]*+[PSGRBKNL]'
    r"|(?:1\.?\s++)?[▲☗△☖]?[PLNSGBRK](?:[1-9][a-i])?-[1-9][a-i][+=]?[\s,▲△☗☖]"
    rf"|(?:1\.?\s++)?[▲☗△☖]?{_HODGES_MOVE}[\s,▲△☗☖]++{_HODGES_MOVE}(?![^\s,▲△☗☖]))"
)
"""A tag, or the first move."""
_PLAYS: Final = re.compile(
    rf"(?<![^\s.▲△☗☖])(?:{_LETTERED}"
    rf"|[1-9][a-i]-?[1-9][a-i][+=]?|(?:(?<=1\.)|(?<=1\.[ \t])|(?<=[▲△☗☖])){_NUMBERED}"
    rf"|{_NUMBERED}[\s,▲△☗☖]++(?:[0-9]{{1,3}}\.[ \t]*+)?{_NUMBERED})(?=[\s!?(,]|\Z)"
)
"""A move of PSN: chess has the letter of a square before the digit. With numbers for ranks, two moves or the
first one are needed."""
_IS_SHOGI: Final = re.compile(rf'\[(?:FEN|Variant)[ \t]++"(?:{BOARD}|(?i:shogi)")')
_CHESS_MOVE: Final = re.compile(r"(?<![^\s.])[PLNSGBRKHD][a-i1-9]?[x@]?[a-i][1-9](?=[\s=+#!?]|\Z)")
_BEGINS_AS_CHESS: Final = re.compile(rf"(?<!\S)1\.[ \t]*+{_CHESS_FIRST}(?=[\s=+#!?])")
_CHESS_PAWN: Final = re.compile(r"(?<![^\s.])P[a-i]?x?[a-i][1-9](?=[\s=+#!?]|\Z)")
"""A letter for pawns, which chess does not have."""
_ROW: Final = rf"""1\.[ \t]*+(?:
    {_HODGES_MOVE}[ \t]++(?:2\.[ \t]*+)?{_HODGES_MOVE}|{_CHESS_FIRST}[ \t]++P[a-i][1-9])(?!\S)"""
"""The first two moves, after lines of prose."""


def _is_psn(text: str, name: str) -> bool:
    if _BEGINS.match(text) is None:
        return False
    if _PLAYS.search(text):
        return True
    if _IS_SHOGI.search(text):
        return _CHESS_MOVE.search(text) is not None
    return bool(_BEGINS_AS_CHESS.search(text) and _CHESS_PAWN.search(text))


def _begins_game(line: bytes, before: bytes, depth: int) -> bool:
    return line.startswith(b"[") and not before.startswith(b"[") and not depth


FORMAT: Final = Format(
    "psn", load, [Mark(Stage.WHOLE, _is_psn), Mark(Stage.LINE, _ROW)], cut=cutter(_begins_game)
)
