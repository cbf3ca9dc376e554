"""The words in lines of KIF, KI2 and BOD: counts, hands, ranks of a board, players."""

import re
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from kifu_core.deadline import watched
from kifu_core.shogi import handicaps
from kifu_core.shogi.pieces import BY_NAME, HAND_KINDS, MOST_IN_HAND, signed
from kifu_core.shogi.spelling import MARKS

SIDE_NAME: Final = "(先手|後手|上手|下手)"
_PLAYER: Final = re.compile(SIDE_NAME + r"[ 　\t]++(\S[^\n]{0,60}+)")
_NAME: Final = rf"[ 　]*+([^{MARKS}1-9１-９同\n][^{MARKS}\n]{{0,40}}+)"
_NAMES: Final = re.compile(rf"([{MARKS}]){_NAME}(?:([{MARKS}]){_NAME})?")
"""Players with the marks of their sides: `▲山田太郎 △佐藤花子`."""

CELL: Final = re.compile(r"([vVｖ]?)[ 　\t^＾]*([^vVｖ\s|^＾])")
_RANK: Final = re.compile(r"^[^\S\n]*+\|([^|\n]*+)", re.MULTILINE)
_FRAME: Final = str.maketrans("｜│┃＋┌└┏┗－─━", "|||+++++---")
_WIDE: Final = re.compile("[\u3000-\u9fff\uff01-\uff60]")
HAND_ITEM: Final = re.compile(
    r"([^\s　一二三四五六七八九十0-9０-９])[ ]?([一二三四五六七八九十0-9０-９]{0,4})"
)

_NUMERALS: Final = {numeral: value for value, numeral in enumerate("〇一二三四五六七八九")}


def read_number(text: str) -> int:
    """Return a count in Chinese numerals up to 999 or in digits of either width; an empty text is 1.

    >>> read_number("十八"), read_number("二"), read_number("１８"), read_number("")
    (18, 2, 18, 1)
    """
    if not text:
        return 1
    if text.isdecimal():
        return int(text)
    hundreds, hundred, text = text.rpartition("百")
    if hundred:
        return _NUMERALS.get(hundreds[:1], 1) * 100 + (read_number(text) if text else 0)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _NUMERALS.get(text[0], 1)
    return _NUMERALS.get(tens[:1], 1) * 10 + _NUMERALS.get(ones[:1], 0)


def read_hand(text: str) -> tuple[list[int], str]:
    """Return the counts of a hand such as `飛　歩十八` by kind, and its unreadable text.

    Writers separate by full-width or half-width blanks or not at all.
    """
    counts, strange = [0] * 8, ""
    if text.strip(" 　") in ("", "なし", "無し"):
        return counts, strange
    for match in watched(HAND_ITEM.finditer(text)):
        kind, count = BY_NAME.get(match[1], 0), read_number(match[2])
        if kind in HAND_KINDS and counts[kind] + count <= MOST_IN_HAND:
            counts[kind] += count
        else:
            strange += match[0]
    return counts, strange


class WrongRank(NamedTuple):
    """A rank of a drawn board with more or less than nine cells: the offset of its line, its number, its
    cells."""

    offset: int
    rank: int
    cells: int


class DrawnBoard(NamedTuple):
    """A drawn board: its 81 cells, and its faults.

    `wrong` counts the ranks that are missing, superfluous, or not of nine cells; `ranks` are the last ones.
    `unknown` has, for each rank, its offset and the first text that names no piece.
    """

    cells: list[int]
    wrong: int
    ranks: list[WrongRank]
    unknown: list[tuple[int, str]]


NO_PIECE: Final = frozenset("・･·.．,、。*＊-－ー—_＿□■○0０　 ")
"""Characters that stand in empty squares."""


def read_board(text: str) -> DrawnBoard:
    """Return the drawn board of a text."""
    board: list[int] = []
    drawn = list(_RANK.finditer(text.translate(_FRAME)))
    others = []
    unknown: list[tuple[int, str]] = []
    for number, rank in enumerate(drawn[:9], start=1):
        cells = _cells(rank[1])
        strange = (name for _, name in cells if name not in BY_NAME and name not in NO_PIECE)
        unknown += [(rank.start(), name) for name in islice(strange, 1)]
        if len(cells) != 9:
            others.append(WrongRank(rank.start(), number, len(cells)))
        pieces = [signed(int(bool(mark)), BY_NAME.get(name, 0)) for mark, name in cells]
        board += (pieces + [0] * 9)[:9]
    return DrawnBoard((board + [0] * 81)[:81], abs(9 - len(drawn)) + len(others), others, unknown)


def _cells(rank: str) -> list[tuple[str, str]]:
    """Return the marks and names of a rank.

    Blank cells are as wide as others: two characters, or three columns of which a name takes two.
    """
    cells: list[tuple[str, str]] = CELL.findall(rank)
    if len(cells) < 9:
        columns = rank if len(rank) == 18 else _WIDE.sub("\\g<0>\0", rank)
        if (width := len(columns)) in (18, 27):
            groups = (columns[at : at + width // 9] for at in range(0, width, width // 9))
            cells = [("v" if cell[0] in "vVｖ" else "", cell[1]) for cell in groups]
    return cells


def nonstandard_size(text: str) -> tuple[int, int] | None:
    """Return width and height of a complete drawn board that is not nine by nine; None for others.

    Damaged boards have ranks of several widths, or nine of them, or no edge at the end.
    """
    ranks = [line.strip() for line in text.translate(_FRAME).split("\n")]
    drawn = [rank[1:].partition("|")[0] for rank in ranks if rank.startswith("|")]
    widths = {len(CELL.findall(rank)) for rank in drawn}
    edges = sum(rank.startswith("+") for rank in ranks)
    size = next(iter(widths), 9), len(drawn)
    return size if len(widths) == 1 and edges == 2 and 9 not in size and size[0] > 2 else None


handicap_by_name = lru_cache(maxsize=256)(handicaps.by_name)


def headers_without_colon(text: str) -> dict[str, str]:
    """Return the headers of a line without a colon; an empty dict for other lines."""
    if side := _PLAYER.fullmatch(text):
        return {side[1]: side[2]}
    if names := _NAMES.fullmatch(text):
        marked = ((names[1], names[2]), (names[3], names[4]))
        return {("先手", "後手")[MARKS.index(mark) % 2]: name.strip(" 　\t") for mark, name in marked if mark}
    return {"手合割": text} if handicap_by_name(text) is not None else {}
