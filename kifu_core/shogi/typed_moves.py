"""Moves and positions that users type without a record.

Western notation as on our pages (`P-7f`, `Sx2b+`, `G4i-5h`, `P*5e`, `P-76`; Hodges and most English books) is
matched with the legal moves of each position. CSA moves (`+7776FU`, also without signs) are read as a CSA
record from the usual start, Japanese ones (`76歩 34歩`, `1.▲７六歩`) as KI2.
"""

import re
from typing import Final

from kifu_core.deadline import watched
from kifu_core.errors import KifuError
from kifu_core.expressions import many
from kifu_core.shogi import formats, moves, replay, rules, spelling
from kifu_core.shogi.fen import BOARD, as_sfen
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.pieces import LETTERS
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import USI

_MOST: Final = 512
"""Moves of a line, more than a typed game has."""

_NUMBER: Final = r"(?:\d{1,3}\.{1,3}\s*)?"
_WESTERN: Final = re.compile(
    rf"{_NUMBER}[▲△▼▽☗☖]?(\+?[PLNSGBRK])([1-9][a-i1-9])?([-x*'])?([1-9][a-i1-9])([+=]?)"
)
_CSA_MOVE: Final = r"[-+]?\d{4}(?:FU|KY|KE|GI|KI|KA|HI|OU|TO|NY|NK|NG|UM|RY)"
_CSA_LINE: Final = re.compile(rf"(?:{_CSA_MOVE}(?:,?[TL]\d+)?[\s,]*)+")
_CSA_ONE: Final = re.compile(_CSA_MOVE)
_JAPANESE: Final = re.compile(spelling.MOVE)
_JAPANESE_PART: Final = (
    rf"(?>(?:{spelling.NUMBER}[ 　\t]*+)?)[{spelling.MARKS}]?+[ 　\t]*+{spelling.MOVE}{spelling.APART}"
    r"[\s　、，,。．.・]*+"
)
_JAPANESE_LINE: Final = re.compile(many(_JAPANESE_PART, 1))
_RANKS: Final = "abcdefghi"


_SHORTEST_CODE: Final = 20
"""Shorter words that are valid codes are taken for names."""
_ALONE: Final = re.compile(r"startpos(?: moves .+)?|[▲△▼▽☗☖]..+|(?:(?:[1-9][a-i]){2}\+?(?:\s+|$))+")
"""Moves without a position: USI from the usual start, KI2, USI without a start."""
_LIKE_SFEN: Final = re.compile(r"(?:[0-9a-zA-Z+]{1,18}/){6,10}[0-9a-zA-Z+]{1,18}(?:\s+\S+){2,3}")
"""A text meant as an SFEN, valid or not: a board of about nine ranks, and two or three further fields."""
_OTHER_SFEN: Final = re.compile(rf"{BOARD}(?:$|[\[_%.+\s](?!.* moves ).*)")
"""An SFEN in the spelling of other programs and of URLs."""


def parse_position(words: str) -> Position | None:
    """Return the position that words stand for without being a record; None for other words.

    They are an SFEN, which may lack the side to move and the hands, a Shogi64 code, or moves in USI, KI2, CSA
    or Western notation, whose last position is returned. Raises KifuError for an invalid SFEN.
    """
    if (position := position_after(words)) is not None:
        return position
    text = words.removeprefix("position ").strip()
    bare = text.removeprefix("sfen ").strip()
    if _OTHER_SFEN.fullmatch(bare):
        bare = as_sfen(bare)
    if _LIKE_SFEN.fullmatch(bare):
        return Position.from_sfen(bare)
    try:
        if _ALONE.fullmatch(text):
            return _end_of_main_line(text)
        if bare.count("/") == 8:
            return (
                _end_of_main_line(f"position sfen {bare}")
                if " moves " in bare
                else Position.from_sfen(_completed(bare))
            )
        return shogi64.decode(bare) if len(bare) >= _SHORTEST_CODE else None
    except KifuError:
        return None


def _completed(sfen: str) -> str:
    """Complete an SFEN by Black to move and empty hands, where these are left out."""
    fields = sfen.split()
    return " ".join([*fields, *("b", "-")[len(fields) - 1 :]])


def _end_of_main_line(text: str) -> Position | None:
    result = formats.load(text)
    for game in result.games:
        *_, (_ply, position, _move, _entry) = replay.main_line(game.record)
        return position
    return None


def position_after(words: str) -> Position | None:
    """Return the position after moves from the usual start; None if a word is no legal move."""
    return _after_western(words) or _after_csa(words) or _after_japanese(words)


def _after_western(words: str) -> Position | None:
    tokens = [match for word in _tokens(words) if (match := _WESTERN.fullmatch(word))]
    if not tokens or len(tokens) != len(_tokens(words)) or len(tokens) > _MOST:
        return None
    position = Position.initial()
    for token in watched(tokens):
        move = _matching_move(position, token)
        if move is None:
            return None
        position.do_move(move)
    return position


def western_move(text: str, position: Position) -> int | None:
    """Return the legal move that a Western text such as `P-7f` names; None if it names none, or several."""
    match = _WESTERN.fullmatch(text)
    return None if match is None else _matching_move(position, match)


def _tokens(words: str) -> list[str]:
    """Return the moves of a line; a number on its own is joined to the next move."""
    return re.sub(r"(?<!\S)(\d{1,3}\.{1,3})\s+", r"\1", words.replace(",", " ")).split()


def _matching_move(position: Position, token: re.Match[str]) -> int | None:
    """Return the only legal move that a token fits; None if there is none, or several."""
    piece, origin, sign, target, tail = token.groups()
    dropped = sign in ("*", "'")
    matches = [
        move
        for move in rules.legal_moves(position)
        if USI[moves.target(move)] == _square(target)
        and bool(moves.dropped(move)) == dropped
        and LETTERS[moves.dropped(move) or abs(position.board[moves.source(move)])] == piece
        and (origin is None or (not dropped and USI[moves.source(move)] == _square(origin)))
        and (sign != "x" or position.board[moves.target(move)] != 0)
        and moves.promotes(move) == (tail == "+")
    ]
    # A move without a sign may also be a drop where no piece on the board can go there.
    if not matches and sign is None and origin is None and not tail:
        matches = [
            move
            for move in rules.legal_moves(position)
            if moves.dropped(move)
            and LETTERS[moves.dropped(move)] == piece
            and USI[moves.target(move)] == _square(target)
        ]
    return matches[0] if len(matches) == 1 else None


def _square(text: str) -> str:
    """Return a square as USI writes it: `7f` for `7f` and `76`."""
    return text if text[1] in _RANKS else text[0] + _RANKS[int(text[1]) - 1]


def _after_csa(words: str) -> Position | None:
    if not _CSA_LINE.fullmatch(words):
        return None
    tokens = _CSA_ONE.findall(words)[:_MOST]
    lines = [token if token[0] in "+-" else "+-"[number % 2] + token for number, token in enumerate(tokens)]
    return _end_of_record("\n".join(["PI", "+", *lines, ""]), len(lines))


def _after_japanese(words: str) -> Position | None:
    if not _JAPANESE_LINE.fullmatch(words):
        return None
    tokens = _JAPANESE.findall(words)[:_MOST]
    # A mark makes KI2 of a single move too; whose turn it is, the position tells.
    return _end_of_record("".join(f"▲{token}" for token in tokens), len(tokens))


def _end_of_record(text: str, plies: int) -> Position | None:
    """Return the end of a record of `plies` moves; None if one of them cannot be played."""
    result = formats.load(text)
    if len(result.games) != 1 or any(one.severity == "error" for one in result.games[0].issues):
        return None
    *_, (reached, position, _move, _entry) = replay.main_line(result.games[0].record)
    return position if reached == plies else None
