"""How records end: one table of endings, their words in every format, and who wins.

JKF has names for fourteen of them; the others are kept as written, with their winner where the table knows
one. An ending that is not in the table never gives a winner.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from kifu_core.record import Ending

Rule = Literal["mover-loses", "mover-wins", "draw", "none", "black-fouled", "white-fouled"]
"""What an ending means for the side to move; `none` decides nothing."""


@dataclass(frozen=True, slots=True)
class EndingKind:
    """A kind of ending.

    `special` is JKF's name or None, `word` the one that KIF rows use (empty if KIF has none), `aliases`
    further words of KIF and KI2, `csa` the word after `%` in CSA (empty if CSA has none). `phrase` is what
    the まで line says: `{winner}` and `{mover}` are the sides; empty where nobody writes one.
    """

    special: str | None
    word: str
    csa: str
    rule: Rule
    phrase: str
    aliases: tuple[str, ...] = ()


ENDINGS: Final = (
    EndingKind("TORYO", "投了", "TORYO", "mover-loses", "{winner}の勝ち"),
    EndingKind("CHUDAN", "中断", "CHUDAN", "none", "中断", ("封じ手",)),
    EndingKind("SENNICHITE", "千日手", "SENNICHITE", "draw", "千日手"),
    EndingKind(
        "TIME_UP",
        "切れ負け",
        "TIME_UP",
        "mover-loses",
        "時間切れにより{winner}の勝ち",
        ("時間切れ", "時間切れ負け"),
    ),
    EndingKind("ILLEGAL_MOVE", "反則負け", "ILLEGAL_MOVE", "mover-loses", "{mover}の反則負け"),
    EndingKind("ILLEGAL_ACTION", "反則勝ち", "", "mover-wins", "{mover}の反則勝ち"),
    EndingKind("+ILLEGAL_ACTION", "", "+ILLEGAL_ACTION", "black-fouled", ""),
    EndingKind("-ILLEGAL_ACTION", "", "-ILLEGAL_ACTION", "white-fouled", ""),
    EndingKind("JISHOGI", "持将棋", "JISHOGI", "draw", "持将棋"),
    EndingKind(
        "KACHI", "入玉勝ち", "KACHI", "mover-wins", "{mover}の入玉勝ち", ("勝ち宣言", "入玉宣言", "宣言勝ち")
    ),
    EndingKind("HIKIWAKE", "引き分け", "HIKIWAKE", "draw", "引き分け", ("引分", "引分け")),
    EndingKind("MATTA", "待った", "MATTA", "none", "待った"),
    EndingKind("TSUMI", "詰み", "TSUMI", "mover-loses", "詰", ("詰",)),
    EndingKind("FUZUMI", "不詰", "FUZUMI", "none", "不詰"),
    EndingKind("ERROR", "エラー", "ERROR", "none", ""),
    EndingKind(None, "不戦勝", "", "mover-wins", "{mover}の不戦勝", ("不戦勝ち",)),
    EndingKind(None, "不戦敗", "", "mover-loses", "{mover}の不戦敗", ("不戦負け",)),
    EndingKind(None, "トライ", "", "mover-wins", "{mover}のトライ", ("トライ勝ち",)),
    EndingKind(None, "最大手数", "MAX_MOVES", "draw", "最大手数"),
    EndingKind(None, "王手千日手", "OUTE_SENNICHITE", "none", "王手千日手"),
)

BY_WORD: Final = {word: kind for kind in ENDINGS for word in (kind.word, *kind.aliases) if word}
BY_CSA: Final = {kind.csa: kind for kind in ENDINGS if kind.csa}
BY_SPECIAL: Final = {kind.special: kind for kind in ENDINGS if kind.special}

SIDES: Final = {"先手": 0, "下手": 0, "後手": 1, "上手": 1}
"""The names of the sides to colours; 下手 and 上手 are those of handicap games."""

RESULT_LINE: Final = re.compile(r"[ 　\t]*+まで[、,]?([0-9]{0,6}+)手?(?:で)?([^\n]{0,60}+)[^\n]*+")
"""The line that ends a game: まで96手で後手の勝ち."""

_NAMED: Final = re.compile(r"(時間切れにより)?(先手|後手|上手|下手)の?(.*)")


@lru_cache(maxsize=1024)
def find(word: str) -> EndingKind | None:
    """The ending that a word of any format names, or the text of a result line; None for an unknown one."""
    return BY_WORD.get(word) or BY_CSA.get(word) or read_result(word)[0]


def winner(kind: EndingKind, turn: int) -> int | None:
    """The colour that wins when a record ends so with `turn` to move; None if nobody does."""
    if kind.rule == "mover-wins":
        return turn
    if kind.rule == "mover-loses":
        return turn ^ 1
    return {"black-fouled": 1, "white-fouled": 0}.get(kind.rule)


def ending(word: str, special: str | None, ply: int, turn: int, *, problem: bool = False) -> Ending:
    """The ending of a record after `ply` half-moves with `turn` to move.

    `special` is JKF's name where the reader knows one (`ILLEGAL_ACTION` still without its side); a problem
    that ends in mate has no winner.
    """
    kind = BY_SPECIAL.get(special or "") or find(word)
    if special == "ILLEGAL_ACTION":
        special = "+ILLEGAL_ACTION" if turn else "-ILLEGAL_ACTION"
    if kind is None:
        return Ending(word, None, ply, None)
    decided = None if problem and kind.special == "TSUMI" else winner(kind, turn)
    return Ending(word, special if kind.special else None, ply, decided, kind.rule == "draw")


def read_result(text: str) -> tuple[EndingKind | None, int | None]:
    """What stands after まで96手で: the kind of ending, and the side it names as the winner.

    >>> kind, side = read_result("時間切れにより後手の勝ち")
    >>> kind.special, side
    ('TIME_UP', 1)
    """
    text = text.strip(" 　\t")
    if text in BY_WORD:
        return BY_WORD[text], None
    match = _NAMED.match(text)
    if match is None:
        return None, None
    side, verdict = SIDES[match[2]], match[3].strip(" 　")
    if verdict in ("勝ち", "勝"):
        return BY_SPECIAL["TIME_UP" if match[1] else "TORYO"], side
    kind = BY_WORD.get(verdict)
    if kind is None:
        return None, None
    return kind, winner(kind, side)
