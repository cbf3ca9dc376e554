"""Moves of KI2 as other programs and people write them: marks, numbers, text between moves."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from tests.kifu_core.mutations.kif import wide
from tests.kifu_core.mutations.kinds import REPORTED, SAME_GAME, SAME_MOVES, Change, kind, put, table


class Token(NamedTuple):
    """A move of KI2: the mark of its side, the move, its number within its text."""

    mark: str
    move: str
    number: int


def tokens(change: Callable[[Token], str]) -> Change:
    """Write every move otherwise, with what separates it from the next."""

    def write(text: str) -> str:
        number = count(1)
        return re.sub(
            r"([▲△])([^▲△\n]*?) *(?=[▲△]|$)",
            lambda match: change(Token(match[1], match[2], next(number))),
            text,
            flags=re.MULTILINE,
        )

    return write


def marks(black: str, white: str) -> Change:
    return tokens(lambda one: f"{black if one.mark == '▲' else white}{one.move} ")


def between(words: str) -> Change:
    """Put something between the moves of a line."""
    change = tokens(lambda one: f"{one.mark}{one.move}{words}")
    return lambda text: (
        re.sub(f"{re.escape(words)}$", "", str(change(text)), flags=re.MULTILINE) if words else change(text)
    )


for black, white in ("☗☖", "▼▽", "⛊⛉", ("▲ ", "△ "), ("▲　", "△　"), ("先手 ", "後手 "), ("先手", "後手")):
    kind("ki2", f"{black} and {white} for marks")(marks(black, white))
for black, white in (
    "●○",
    "■□",
    "◆◇",
    "▲▽",
    "+-",
    ("先", "後"),
    ("先：", "後："),
    ("S:", "G:"),
    ("[▲]", "[△]"),
):
    kind("ki2", f"{black} and {white} for marks", REPORTED)(marks(black, white))
for words in (
    "",
    "  ",
    "　",
    "\t",
    "、",
    "，",
    ", ",
    "・",
    "→",
    " → ",
    "-",
    " - ",
    "/",
    " / ",
    ";",
    "|",
    "⇒",
    "＞",
    "。",
    "\n",
    "\n\n",
):
    kind("ki2", f"{words!r} between moves")(between(words))

table(
    "ki2",
    SAME_GAME,
    {
        "no marks": tokens(lambda one: f"{one.move} "),
        "numbers with a dot": tokens(lambda one: f"{one.number}.{one.mark}{one.move} "),
        "numbers with a dot and a blank": tokens(lambda one: f"{one.number}. {one.mark}{one.move} "),
        "numbers with a blank": tokens(lambda one: f"{one.number} {one.mark}{one.move} "),
        "full-width numbers with a dot": tokens(
            lambda one: f"{wide(str(one.number))}．{one.mark}{one.move}　"
        ),
        "numbers with 手目": tokens(lambda one: f"{one.number}手目 {one.mark}{one.move}\n"),
        "full-width numbers with 手目": tokens(
            lambda one: f"{wide(str(one.number))}手目{one.mark}{one.move}\n"
        ),
        "numbers with a bracket": tokens(lambda one: f"{one.number}){one.mark}{one.move} "),
        "numbers instead of marks": tokens(lambda one: f"{one.number}.{one.move} "),
    },
)
table(
    "ki2",
    SAME_MOVES,
    {
        "clocks behind moves": tokens(lambda one: f"{one.mark}{one.move}( 0:01/00:00:01) "),
        "times in words behind moves": tokens(lambda one: f"{one.mark}{one.move}(1分) "),
        "times in full-width brackets behind moves": tokens(lambda one: f"{one.mark}{one.move}（１分） "),
    },
)
table(
    "ki2",
    REPORTED,
    {
        "circled numbers": tokens(lambda one: f"{chr(0x2460 + (one.number - 1) % 20)}{one.mark}{one.move} "),
        "numbers in brackets": tokens(lambda one: f"({one.number}){one.mark}{one.move} "),
        "numbers behind moves": tokens(lambda one: f"{one.mark}{one.move}{one.number} "),
        "moves broken by a line end": tokens(lambda one: f"{one.mark}{one.move[:2]}\n{one.move[2:]} "),
        "marks behind moves": tokens(lambda one: f"{one.move}{one.mark} "),
        "brackets about moves": tokens(lambda one: f"[{one.mark}{one.move}] "),
        "no words that tell pieces apart": put("[左右直上引寄](?=[ 　▲△\n])", ""),
        "unreadable moves": tokens(
            lambda one: f"{one.mark}？？？ " if one.number == 3 else f"{one.mark}{one.move} "
        ),
    },
)
