"""Plain text, and the first of several headers that is not blank."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

TEXT_LIMIT: Final = 200
"""Characters of a stored name: a unique index of PostgreSQL allows 2,700 bytes a value."""

READ_LIMIT: Final = 1000
"""Characters of a header that are parsed, so that patterns never see a megabyte of blanks."""

Header = Mapping[str, str]

SITES: Final = ("場所", "対局場所", "対局場")

# PostgreSQL stores neither NUL nor lone surrogates; other control characters are removed from names.
_UNSTORABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_DIGITS: Final = {digit: number for number, digit in enumerate("〇一二三四五六七八九")} | {"零": 0}
NUMBER: Final = "(?:[0-9]{1,2}|[二三四五六七八九]?十[一二三四五六七八九]?|[〇零一二三四五六七八九]{1,2})"
"""A regular expression for the texts that `number` reads."""


def plain(text: str) -> str:
    """Return a text for a column: NFKC, single blanks, no characters that a database refuses, cut to
    length."""
    return _plain(text[:READ_LIMIT]) if text else ""


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    blanked = _UNSTORABLE.sub(" ", text)
    return " ".join(unicodedata.normalize("NFKC", blanked).split())[:TEXT_LIMIT].rstrip()


def first(header: Header, names: tuple[str, ...]) -> str:
    """Return the first of these headers that is not blank, with or without an asterisk before its name."""
    if not has_any(header, names):
        return ""
    return next((header[name] for name in _spellings(names)[0] if header.get(name, "").strip()), "")


def has_any(header: Header, names: tuple[str, ...]) -> bool:
    """Return whether a header has any of these names. Fast, because most are absent."""
    return not _spellings(names)[1].isdisjoint(header)


@cache
def _spellings(names: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    spellings = tuple(spelling for name in names for spelling in (name, f"*{name}"))
    return spellings, frozenset(spellings)


def number(text: str) -> int:
    """Return a number below 100 in digits or Chinese numerals; 元 and 初 are 1.

    >>> number("12"), number("十二"), number("二十"), number("元")
    (12, 12, 20, 1)
    """
    if text.isdecimal():
        return int(text)
    if text in ("元", "初"):
        return 1
    tens, ten, ones = text.partition("十")
    if not ten:
        return int("".join(str(_DIGITS[digit]) for digit in text))
    return _DIGITS.get(tens, 1) * 10 + (_DIGITS[ones] if ones else 0)
