"""A second reading of record files that knows as little as it can: it counts lines and pushes pieces about.

Nothing of `kifu_core` is used. What it cannot tell is None.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

CODECS = {"utf-8-bom": "utf-8-sig", "ascii": "ascii"}
PIECES = {
    "歩": "FU", "香": "KY", "桂": "KE", "銀": "GI", "金": "KI", "角": "KA", "飛": "HI", "玉": "OU",
    "王": "OU", "と": "TO", "杏": "NY", "圭": "NK", "全": "NG", "馬": "UM", "龍": "RY", "竜": "RY",
}  # fmt: skip
BASE = {"TO": "FU", "NY": "KY", "NK": "KE", "NG": "GI", "UM": "KA", "RY": "HI"}
GROWN = {base: grown for grown, base in BASE.items()}
DIGITS = {
    char: str(n) for text in ("１２３４５６７８９", "一二三四五六七八九") for n, char in enumerate(text, 1)
}
BACK = ("KY", "KE", "GI", "KI", "OU", "KI", "GI", "KE", "KY")
RESULT = re.compile("(先手|下手|後手|上手)の(反則負け|反則勝ち|勝ち|入玉勝ち|不戦勝)")
TAKEN = {
    "平手": "", "香落ち": "11", "右香落ち": "91", "角落ち": "22", "飛車落ち": "82", "飛香落ち": "82 11",
    "二枚落ち": "82 22", "四枚落ち": "82 22 11 91", "六枚落ち": "82 22 11 91 21 81",
    "八枚落ち": "82 22 11 91 21 81 31 71", "十枚落ち": "82 22 11 91 21 81 31 71 41 61",
}  # fmt: skip

Board = dict[str, tuple[int, str]]
"""Square as two digits, file first, to colour and CSA name."""


@dataclass
class Plain:
    """What was counted: comments, forks, the winner and, after the last move, the pieces and the hands."""

    comments: int
    forks: int
    winner: int | None = None
    final: tuple[frozenset[Any], frozenset[Any]] | None = None


def even() -> Board:
    board: Board = {"22": (1, "KA"), "82": (1, "HI"), "88": (0, "KA"), "28": (0, "HI")}
    for x, kind in enumerate(BACK, 1):
        board |= {f"{x}1": (1, kind), f"{x}3": (1, "FU"), f"{x}7": (0, "FU"), f"{x}9": (0, kind)}
    return board


def play(board: Board, moves: list[tuple[str, str, str]]) -> tuple[frozenset[Any], frozenset[Any]] | None:
    """The end of moves (source or 00, target, piece afterwards or empty for the same, + for promoted)."""
    hands: Counter[tuple[int, str]] = Counter()
    turn = -1
    for source, to, piece in moves:
        if source != "00" and source not in board:
            return None
        if source == "00":
            if not hands:
                return None
            color = turn ^ 1
            hands[color, piece] -= 1
            kind = piece
        else:
            color, kind = board.pop(source)
            kind = GROWN.get(kind, kind) if piece == "+" else piece or kind
        if to in board:
            taken = board[to][1]
            hands[color, BASE.get(taken, taken)] += 1
        board[to] = (color, kind)
        turn = color
    return frozenset(board.items()), frozenset((+hands).items())


def read(data: bytes, file_format: str, encoding: str, handicap: str) -> Plain:
    text = data.decode(CODECS.get(encoding, encoding), "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if file_format in ("kif", "kif?", "ki2"):
        return _kakinoki(text, file_format, handicap)
    if file_format == "csa":
        return _csa(text)
    if file_format == "jkf":
        return _jkf(json.loads(text))
    return Plain(0, text.count("~") - sum("~" in line for line in text.split("\n")))


def _kakinoki(text: str, file_format: str, handicap: str) -> Plain:
    lines = text.split("\n")
    found = Plain(
        sum(re.match("[ 　]*[*&]", line) is not None for line in lines),
        sum(re.match("[ 　]*変化：", line) is not None for line in lines),
    )
    main = text.partition("\n変化：")[0].split("\n")
    results = [line for line in main if line.startswith("まで")]
    if results and (
        named := re.search("(先手|下手|後手|上手)の(反則負け|反則勝ち|勝ち|入玉勝ち|不戦勝)", results[0])
    ):
        side = int(named[1] in ("後手", "上手"))
        found.winner = side ^ (named[2] == "反則負け")
    rows = [re.match(r" *[0-9]+ +([１-９同].*)", line) for line in main] if file_format == "kif" else []
    if handicap in TAKEN and not any("|" in line for line in lines):
        board = even()
        for square in TAKEN[handicap].split():
            del board[square]
        found.final = _end_of_rows(board, [row[1] for row in rows if row])
    return found


def _end_of_rows(board: Board, rows: list[str]) -> tuple[frozenset[Any], frozenset[Any]] | None:
    moves, last = [], ""
    for row in rows:
        match = re.match(r"(?:同[ 　]*|(..))(成?.)(成|打)?\(?([0-9]{2})?", row)
        if match is None or not (match[3] == "打" or match[4]):
            return None
        last = DIGITS[match[1][0]] + DIGITS[match[1][1]] if match[1] else last
        drop = PIECES[match[2][-1]] if match[3] == "打" else ""
        moves.append(("00" if drop else match[4], last, drop or ("+" if match[3] == "成" else "")))
    return play(board, moves) if moves else None


def _csa(text: str) -> Plain:
    found = Plain(sum(re.search("(^|,) *'", line) is not None for line in text.split("\n")), 0)
    game = re.split(r"\n/", text)[0]
    moves = re.findall(r"(?:^|,)([-+])([0-9]{2})([1-9]{2})([A-Z]{2})", game, re.MULTILINE)
    signs = [0 if move[0] == "+" else 1 for move in moves]
    if signs and re.search(r"^%(TORYO|TIME_UP|ILLEGAL_MOVE)\b", game, re.MULTILINE):
        found.winner = signs[-1]
    if signs and re.search(r"^%KACHI", game, re.MULTILINE):
        found.winner = signs[-1] ^ 1
    if not re.search("^P[-+1-9]|^PI.", game, re.MULTILINE) and moves:
        found.final = play(even(), [move[1:] for move in moves])
    return found


def _jkf(record: Any) -> Plain:
    def comments(entries: Any) -> int:
        inner = sum(comments(fork) for entry in entries for fork in entry.get("forks") or [])
        return inner + sum(len(entry.get("comments") or []) for entry in entries)

    def forks(entries: Any) -> int:
        return sum(1 + forks(fork) for entry in entries for fork in entry.get("forks") or [])

    return Plain(comments(record["moves"]), forks(record["moves"]))
