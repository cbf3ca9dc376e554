"""SFEN in the spelling of URLs and of chess programs.

URLs have `_`, `.` or `%20` for blanks (lishogi, shogi-extend), text copied from pages any blank of Unicode.
Programs of chess variants (Fairy-Stockfish, PyChess) write FEN: the hands in brackets after the board, `w`
for the side of the capital letters, which is `b` in SFEN, and two counters at the end.
"""

import re
from typing import Final
from urllib.parse import unquote, unquote_plus

_CELLS: Final = "[1-9KRBGSNLPkrbgsnlp+]{1,18}+"
_ENCODED: Final = "(?>(?:[1-9KRBGSNLPkrbgsnlp]|%2[Bb]){1,18})"
_SIGN: Final = r"(?:[_.+]|%20)"
_GAP: Final = rf"(?:[^\S\n]|{_SIGN})"
BOARD: Final = rf"(?:(?:{_CELLS}/){{8}}{_CELLS}|(?:{_ENCODED}(?:/|%2[Ff])){{8}}{_ENCODED})(?!%2[FfBb]|/)"
"""The first field of an SFEN, for expressions."""
_HANDS: Final = r"(?:\[[^\]\s]{0,80}+\])?"
FIELDS: Final = rf"{BOARD}{_HANDS}{_GAP}{{1,8}}[bw](?:{_GAP}|\n|\Z)"
"""The beginning of an SFEN up to the side to move."""
_JOINED: Final = rf"{BOARD}{_HANDS}{_SIGN}[bw](?:{_SIGN}|\n|\Z)"
TO_ADDRESS: Final = (
    rf"(?:https?://\S{{0,500}}?(?:(?<=[/=.+_])|(?<=%20))(?={FIELDS})"
    rf"|(?:position{_GAP})?(?:sfen{_GAP})?(?={_JOINED}))"
)
"""The part of a URL before its SFEN; or `position sfen` copied from one, with signs for blanks."""

_BLANKS: Final = re.compile(r"[\s_.]+")
_STANDARD: Final = re.compile(r"[^\s_.%\[]++ [bw] (?:-|[0-9PLNSGBRplnsgbr]*[A-Za-z])(?: [0-9]++)?")
_COUNTER: Final = re.compile(r"[0-9]{1,9}")
_OTHER: Final = {"w": "b", "b": "w"}


def decoded(text: str) -> str:
    """Return the unescaped text of a URL, with blanks between its words."""
    text = unquote_plus(text) if "%2F" in text.upper() else unquote(text)
    return _BLANKS.sub(" ", text).strip()


def as_sfen(text: str) -> str:
    """Return an SFEN as the standard has it; any other text with single blanks.

    >>> as_sfen("4k4/9/9/9/9/9/9/9/4K4_w_2Pr_7")
    '4k4/9/9/9/9/9/9/9/4K4 w 2Pr 7'
    >>> as_sfen("4k4/9/9/9/9/9/9/9/4K4[PPr] b 0 4"), as_sfen("4k4/9/9/9/9/9/9/9/4K4[-] b - 1")
    ('4k4/9/9/9/9/9/9/9/4K4 w PPr 4', '4k4/9/9/9/9/9/9/9/4K4 b - 1')
    """
    if _STANDARD.fullmatch(text):
        return text
    board, *rest = decoded(text).split(" ")
    board, bracket, hands = board.partition("[")
    hands = hands.removesuffix("]") or "-"
    turn, *tail = rest or ["w" if bracket else ""]
    counters = tail[next((i for i, word in enumerate(tail) if word != "-"), len(tail)) :]
    if not _is_fen(bool(bracket), tail, counters):
        fields = [board, turn, *tail]
        if bracket and tail[:1] == ["-"]:
            fields[2] = hands
        return " ".join(filter(None, fields))
    return " ".join([board, _OTHER.get(turn, turn), hands, *counters[1:]])


def _is_fen(has_hands: bool, tail: list[str], counters: list[str]) -> bool:
    """Tell a FEN by its two counters; in 2019 PyChess wrote brackets in an SFEN: `[-] b - 1`."""
    if not all(map(_COUNTER.fullmatch, counters)):
        return False
    return len(counters) == 2 or (has_hands and not counters)
