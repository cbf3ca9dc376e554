"""Read lines of play in running text, as engines write them, in CSA, USI and Japanese notation.

Such text is often cut off or ends in words, so the line ends at the first token that is no move.
"""

import re
from typing import Final

from kifu_core.shogi import rules
from kifu_core.shogi.moves import DROP, from_usi, pack
from kifu_core.shogi.pieces import BY_CODE, BY_NAME, HAND_KINDS, UNPROMOTED
from kifu_core.shogi.position import Position
from kifu_core.shogi.spelling import MARKS
from kifu_core.shogi.squares import BY_CSA, BY_JAPANESE

LONGEST: Final = 200
"""Moves of a line that are read; engines write a few dozen."""

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<csa>[-+]?[0-9]{4}[A-Z]{2})(?![A-Za-z0-9])"
    r"|(?P<usi>(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?)(?![A-Za-z0-9])"
    rf"|[{MARKS}]?(?P<kanji>(?:(?:同[ 　]*)?[1-9１-９][1-9１-９一二三四五六七八九]|同)[ 　]*"
    r"(?:成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])[左直右上寄引行入下]{0,3}"
    r"(?:不成|成|打|生)?[ 　]*(?:[(（][0-9]{2}[)）])?))"
)
_KANJI: Final = re.compile(
    r"(?P<same>同[ 　]*)?(?P<place>[1-9１-９][1-9１-９一二三四五六七八九])?[ 　]*"
    r"(?P<piece>成[香桂銀歩角飛]|.)(?P<words>[左直右上寄引行入下]*)(?P<end>不成|成|打|生)?[ 　]*"
    r"(?:[(（](?P<source>[0-9]{2})[)）])?"
)
_WORDS: Final = {
    "左": "L", "直": "C", "右": "R", "上": "U", "行": "U", "入": "U", "寄": "M", "引": "D", "下": "D",
}  # fmt: skip


def read_line(text: str, position: Position, last: int = -1) -> list[int]:
    """Return the packed moves of a text that begins with a line of play in this position.

    `last` is the target of the move before, for 同. Checks and mates by pawn drops are ignored. `position` is
    not changed. Linear in the length of the line.
    """
    board = position.copy()
    moves: list[int] = []
    at = 0
    while len(moves) < LONGEST and (match := _TOKEN.match(text, at)):
        candidates = _candidates(match, board, last)
        if len(candidates) != 1 or not _can_play(board, move := candidates[0]):
            break
        board.do_move(move)
        moves.append(move)
        last, at = move >> 1 & 127, match.end()
    return moves


def read_move(text: str, position: Position, last: int = -1) -> list[int] | None:
    """Return the packed moves that the text of one move can stand for, legal or not; None for other texts."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else _candidates(match, position, last)


def _can_play(position: Position, move: int) -> bool:
    """Return whether the side to move has the piece, and whether the piece reaches the target."""
    origin, to = move >> 8, move >> 1 & 127
    board, turn = position.board, position.turn
    if origin > DROP:
        return not board[to] and position.hands[turn][origin - DROP] > 0
    piece = -board[origin] if turn else board[origin]
    if piece <= 0 or (board[to] and (board[to] < 0) == bool(turn)):
        return False
    return origin in rules.sources(position, turn, piece, to)


def _candidates(match: re.Match[str], position: Position, last: int) -> list[int]:
    if text := match["csa"]:
        move = _csa_move(text.lstrip("+-"), position)
        return [move] if move else []
    if text := match["usi"]:
        return [from_usi(text)] if text[:2] != text[2:4] else []
    return _kanji_moves(match["kanji"], position, last)


def _csa_move(text: str, position: Position) -> int:
    """Return the packed move of a CSA move without its sign, 0 for none."""
    to, kind = BY_CSA.get(text[2:4], -1), BY_CODE.get(text[4:], 0)
    if to < 0 or not kind:
        return 0
    if text[:2] == "00":
        return pack(DROP + kind, to) if kind in HAND_KINDS else 0
    origin = BY_CSA.get(text[:2], -1)
    if origin < 0:
        return 0
    before = abs(position.board[origin])
    return pack(origin, to, before != kind and before == UNPROMOTED[kind])


def _kanji_moves(text: str, position: Position, last: int) -> list[int]:
    match = _KANJI.fullmatch(text)
    assert match is not None
    to = BY_JAPANESE[match["place"]] if match["place"] else last
    kind = BY_NAME.get(match["piece"], 0)
    if to < 0 or not kind:
        return []
    if match["source"] and match["source"] != "00":
        origin = BY_CSA.get(match["source"], -1)
        return [pack(origin, to, match["end"] == "成")] if origin >= 0 else []
    words = "".join(sorted(_WORDS[word] for word in match["words"]))
    if match["end"] == "打" or match["source"]:
        words = "H"
    origins = rules.resolve(position, kind, to, _in_order(words))
    return [pack(origin, to, match["end"] == "成") for origin in origins]


def _in_order(words: str) -> str:
    return "".join(letter for letter in "LCRUMDH" if letter in words)
