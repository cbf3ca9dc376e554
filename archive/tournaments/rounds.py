"""The rounds of a tournament, from the words of headers."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from unicodedata import normalize


class Round(NamedTuple):
    """A round: `order` sorts the rounds of a tournament; `last` says that its losers are out."""

    order: int
    name: str
    last: bool


_KANJI: Final = {digit: str(value) for value, digit in enumerate("〇一二三四五六七八九")}
_TEN: Final = re.compile(r"(\d?)十(\d?)")
THIRD_PLACE: Final = 1_090
"""The order of the match for the third place, whose players have both lost before."""
_FINALS: Final = (
    (re.compile(r"(?:3|三)位決定|third[- ]place|3rd[- ]place", re.IGNORECASE), THIRD_PLACE),
    (re.compile(r"準々決勝|準準決勝|ベスト8|quarter[- ]?finals?\b|\bQF\b", re.IGNORECASE), 1_070),
    (re.compile(r"準決勝|ベスト4|semi[- ]?finals?\b|\bSF\b", re.IGNORECASE), 1_080),
    (re.compile(r"決勝(?!トーナメント|リーグ)|\bfinals?\b", re.IGNORECASE), 1_100),
)
_LAST: Final = re.compile(r"ベスト(\d{1,3})|round of (\d{1,3})|last (\d{1,3})\b", re.IGNORECASE)
_NUMBERED: Final = (
    re.compile(r"(\d{1,3})\s*回戦"),
    re.compile(r"第\s*(\d{1,3})\s*(?:局|戦|ラウンド|節)"),
    re.compile(r"(?:\bround|\br(?:d|nd)?\.?|ラウンド)\s*\.?(\d{1,3})\b", re.IGNORECASE),
    re.compile(r"^(\d{1,3})$"),
)


def round_of(text: str) -> Round | None:
    """Return the round that a header names; None if it names none.

    >>> round_of("本戦 準決勝"), round_of("第３回戦")
    (Round(order=1080, name='準決勝', last=True), Round(order=3, name='3', last=False))
    """
    plain = _digits(normalize("NFKC", text)).strip()
    for pattern, order in _FINALS:
        if found := pattern.search(plain):
            return Round(order, found[0], True)
    if found := _LAST.search(plain):
        left = int(next(filter(None, found.groups())))
        return Round(1_070 - left, found[0], True)
    for pattern in _NUMBERED:
        if found := pattern.search(plain):
            return Round(int(found[1]), found[1].lstrip("0") or "0", False)
    return None


def _digits(text: str) -> str:
    """Write numbers in kanji as digits: `第十二回戦` has 12."""
    digits = "".join(_KANJI.get(character, character) for character in text)
    return _TEN.sub(lambda found: f"{found[1] or 1}{found[2] or 0}", digits)
