"""Drawn boards, and lines of USI, as other programs and people write them."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.kifu_core.mutations.every_format import in_usi
from tests.kifu_core.mutations.kif import wide
from tests.kifu_core.mutations.kinds import REPORTED, SAME_GAME, SAME_MOVES, Change, put, table


def ranks(change: Callable[[str, str], str]) -> Change:
    """Write every rank otherwise, by its cells and its letter."""
    return put(r"^\|([^|\n]+)\|([一二三四五六七八九])$", lambda match: change(match[1], match[2]))


def cells(change: Callable[[str], str]) -> Change:
    """Write every cell otherwise."""
    return ranks(lambda found, rank: "|" + "".join(map(change, re.findall("..", found))) + "|" + rank)


def instead(old: str, new: str) -> Callable[[str], str]:
    """Replace something in a cell or a hand."""
    return lambda text: text.replace(old, new)


def in_hand(change: Callable[[str], str]) -> Change:
    """Write the pieces in hand otherwise."""
    return put("(?<=持駒：)(.*)", lambda match: change(match[1]))


def all_wide(text: str) -> str:
    """A frame and its cells in full-width characters."""
    frame = re.sub(r"(?m)^\+-+\+$", "＋" + "－" * 19 + "＋", text)
    frame = re.sub("(?m)^  ９ ８.*", "　９　８　７　６　５　４　３　２　１", frame)
    return str(ranks(lambda found, rank: f"｜{found.replace(' ', '　').replace('v', 'ｖ')}｜{rank}")(frame))


def box(text: str) -> str:
    """A frame of lines."""
    edges = iter(("┌" + "─" * 18 + "┐", "└" + "─" * 18 + "┘"))
    return str(
        ranks(lambda found, rank: f"│{found}│{rank}")(
            re.sub(r"(?m)^\+-+\+$", lambda match: next(edges), text)
        )
    )


BOARD = r"(?:^  ９ ８.*\n)?^\+-.*\n(?:^\|.*\n)+^\+-.*\n"
DRAWN = "bod kif ki2"
EMPTY = {
    "half-width dots": "･", "full stops": ".", "minus signs": "-", "asterisks": "*", "squares": "□",
    "full-width blanks": "　", "two blanks": "  ",
}  # fmt: skip

table(
    DRAWN,
    SAME_GAME,
    {
        "full-width boards": all_wide,
        "boards framed by lines": box,
        "full-width bars": ranks(lambda found, rank: f"｜{found}｜{rank}"),
        "no edges": put(r"^\+-+\+\n", ""),
        "full-width edges": put(r"^\+-+\+$", "＋－－－－－－－－－＋"),
        "no bars at the right": ranks(lambda found, rank: f"|{found}"),
        "no letters of ranks": ranks(lambda found, rank: f"|{found}|"),
        "blanks before letters of ranks": ranks(lambda found, rank: f"|{found}| {rank}"),
        "digits of ranks": ranks(lambda found, rank: f"|{found}|{'一二三四五六七八九'.index(rank) + 1}"),
        "no numbers of files": put("^  ９ ８.*\n", ""),
        "half-width numbers of files": put("^  ９ ８.*", "  9 8 7 6 5 4 3 2 1"),
        "wide gaps between numbers of files": put("^  ９ ８.*", "   ９  ８  ７  ６  ５  ４  ３  ２  １"),
        "upper-case V": cells(instead("v", "V")),
        "full-width ｖ": cells(instead("v", "ｖ")),
        "^ before Black's pieces": cells(lambda cell: cell.replace(" ", "^") if "・" not in cell else cell),
        **{f"{name} for empty squares": cells(instead("・", sign)) for name, sign in EMPTY.items()},
        "a blank between cells": cells(lambda cell: cell + " "),
        "王 on boards": cells(instead("玉", "王")),
        "indented boards": put(r"^(?=\||\+-|  ９)", "    "),
        "boards indented by tabs": put(r"^(?=\||\+-|  ９)", "\t"),
        "boards quoted by >": put(r"^(?=\||\+-|  ９)", "> "),
        "a blank line within boards": put(r"^(\|.*\|三)$", r"\1\n"),
        "持ち駒 for 持駒": put("持駒：", "持ち駒："),
        "a half-width colon of hands": put("持駒：", "持駒:"),
        "no の before 持駒": put("の持駒：", "持駒："),
        "a blank before hands": put("持駒：", "持駒： "),
        "なし left out": in_hand(instead("なし", "")),
        **{f"{word} for なし": in_hand(instead("なし", word)) for word in ("無し", "無", "ナシ", "-")},
        "nothing between pieces in hand": in_hand(instead("　", "")),
        "commas between pieces in hand": in_hand(lambda hand: hand.rstrip("　").replace("　", "、")),
        "half-width blanks between pieces in hand": in_hand(instead("　", " ")),
        "digits in hands": in_hand(
            lambda hand: re.sub(
                "十([一二三四五六七八]?)", lambda m: f"1{'〇一二三四五六七八'.index(m[1] or '〇')}", hand
            )
        ),
        "a full-width caption": put("^手数＝([0-9]+)", lambda match: f"手数＝{wide(match[1])}"),
        "a caption with a half-width sign": put("^手数＝", "手数="),
    },
)
table(
    DRAWN,
    SAME_MOVES,
    {
        "後手番 as a header": put("^([先後上下]手)番$", r"手番：\1"),
        "手番 with 番": put("^([先後上下]手)番$", r"手番：\1番"),
        "▲ and △ before hands": put(
            "^([先後上下])手の持駒", lambda side: "▲△▲△"["先後下上".index(side[1])] + "持駒"
        ),
    },
)
table(
    DRAWN,
    REPORTED,
    {
        "pieces of no name": cells(instead("角", "象")),
        "a rank with eight squares": put(r"^\|..", "|", 1),
        "a rank with ten squares": put(r"^\|", "| ・", 1),
        "a rank is missing": put(r"^\|.*\|五\n", ""),
        "the last ranks are missing": put(r"^\|.*\|[六七八九]\n", ""),
        "words between ranks": put(r"^(\|.*\|五)$", r"\1\nここが急所"),
        "a board drawn twice": put(BOARD, r"\g<0>\g<0>"),
        "unreadable hands": in_hand(lambda hand: hand + "象　三枚"),
    },
)
table(
    "usi",
    SAME_GAME,
    {
        "two blanks between words": in_usi(" ", "  "),
        "underscores for blanks": in_usi(" ", "_"),
        "escapes for blanks": in_usi(" ", "%20"),
        "no position": put("^position ", ""),
        "commas between moves": in_usi(" ", ", "),
        "each move on a line": put(r" (?=[1-9RBGSNLP*][*1-9a-i]*[a-i]\+?(?: |$))", "\n"),
        "moves on a line of their own": put(" moves ", " moves\n"),
        "the moves alone": put("^position startpos moves ", ""),
        "a full stop behind": put("$(?<=.)", "."),
        "upper-case words": put("position startpos", "POSITION STARTPOS"),
        "a colon behind position": put("^position ", "position: "),
    },
)
table(
    "usi",
    SAME_MOVES,
    {
        "a line of go": lambda text: text + "go byoyomi 1000\n",
        "a line of usi": lambda text: "usinewgame\n" + text,
        "a line of a log": put("^", "> 12:00:01 "),
    },
)
table(
    "usi",
    REPORTED,
    {
        "upper-case ranks": put(r"(?<=[1-9])[a-i](?=[1-9+ \n])", lambda match: match[0].upper()),
        "no word moves": put(" moves", ""),
        "a move that nothing can make": put(" moves ", " moves 5e5d "),
        "an unreadable move": put(" moves ", " moves xxxx "),
        "numbers of ranks": put(
            r"(?<=[1-9])[a-i](?=[1-9+ \n])", lambda match: str("abcdefghi".index(match[0]) + 1)
        ),
        "numbers before moves": put(" moves ", " moves 1. "),
        "a torn move": lambda text: text.rstrip()[:-2] + "\n",
        "comments behind the moves": put("$(?<=.)", " 'good"),
    },
)
