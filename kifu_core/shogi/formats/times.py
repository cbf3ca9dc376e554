"""Times in KIF after moves, `( 0:16/00:00:16)`, and their variants by people."""

import re
from typing import Final, NamedTuple, cast

from kifu_core.jkf import Consumption, Time
from kifu_core.memo import Memo

CLOCK: Final = r"[^()（）\n]{0,40}+"
"""The text between the brackets."""

TIME: Final = re.compile(
    r"\s*(?:(\d{1,6}):)?(\d{1,6}):(\d{1,6})(?:\.\d*)?\s*(?:/\s*(?:(?:(\d{1,6}):)?(\d{1,6}):(\d{1,6}))?)?.*"
)

_NOW: Final = re.compile(r"\s*(?:(\d{1,6}):)?(\d{1,6}):(\d{1,6})\s*")
_TOTAL: Final = re.compile(r"\s*(?:(\d{1,6}):)?(\d{1,6}):(\d{1,6}).*")
_SPOKEN: Final = re.compile(r"\s*(?=\d)(?:(\d{1,6})時間)?\s*(?:(\d{1,6})分)?\s*(?:(\d{1,6})秒)?\s*")
_FRACTION: Final = re.compile(r"[\s\d:]*:\d{1,6}\.(\d{1,9})")
_WIDE: Final = str.maketrans("：／．", ":/.")


def _read_now(text: str) -> Time | None:
    match = _NOW.fullmatch(text)
    return _now(*match.groups()) if match else None


def _read_total(text: str) -> Time | None:
    match = _TOTAL.fullmatch(text)
    return _total(*match.groups()) if match else None


def _now(hours: str | None, minutes: str | None, seconds: str | None) -> Time:
    now: Time = {"m": int(minutes or 0), "s": int(seconds or 0)}
    if hours:
        now["h"] = int(hours)
    return now


def _total(hours: str | None, minutes: str | None, seconds: str | None) -> Time:
    return {"h": int(hours or 0), "m": int(minutes or 0), "s": int(seconds or 0)}


_NOWS: Final = Memo(_read_now)
_TOTALS: Final = Memo(_read_total)


class Partial(dict[str, Time]):
    """A time without its total; its own class makes it easy to find in a block."""


class Unreadable(dict[str, Time]):
    """A text with digits that is no time."""


def _read_time(text: str) -> Consumption | None:
    """Read a row's time: minutes and seconds, then the side's total, which some programs leave out.

    People also write `12秒` and `1分3秒`. Returns None for a text without digits.
    """
    first, _, second = text.partition("/")
    if (now := _NOWS[first]) and (total := _TOTALS[second]):  # few spans of time make up all rows
        return {"now": now, "total": total}
    text = text.translate(_WIDE)
    if match := TIME.fullmatch(text):
        hours, minutes, seconds, *rest = match.groups()
        now = _now(hours, minutes, seconds)
        if rest[1] is None:
            return cast(Consumption, Partial(now=now))
        return {"now": now, "total": _total(*rest)}
    return _read_spoken(*text.partition("/")[::2])


def _read_spoken(first: str, second: str) -> Consumption | None:
    now, total = _part(first), _part(second)
    if now is None or (total is None and second.strip()):
        wrong = any(char.isdecimal() for char in first + second)
        return cast(Consumption, Unreadable()) if wrong else None
    if total is None:
        return cast(Consumption, Partial(now=_now(*now.groups())))
    return {"now": _now(*now.groups()), "total": _total(*total.groups())}


def _part(text: str) -> re.Match[str] | None:
    return _SPOKEN.fullmatch(text) or _NOW.fullmatch(text)


TIMES: Final = Memo(_read_time)
"""Times by their text; records share them."""


_PLAIN: Final = re.compile(r"\(\0?([0-9]{1,3}):([0-9]{2})/([0-9]{2,3}):([0-9]{2}):([0-9]{2})\)")


class PlainTime(NamedTuple):
    """A time in the common form, and the side's seconds before and after the move."""

    time: Consumption
    before: int
    after: int


def _read_plain_time(text: str) -> PlainTime:
    """Read `(0:16/00:00:16)`, perhaps with NUL for its blank; raises ValueError for any other text."""
    match = _PLAIN.fullmatch(text)
    if match is None:
        raise ValueError(text)
    minutes, second, hours, total_minutes, total_seconds = map(int, match.groups())
    after = hours * 3600 + total_minutes * 60 + total_seconds
    first, _, second_part = text.strip("(\0)").partition("/")
    now, total = _NOWS[first], _TOTALS[second_part]
    assert now is not None and total is not None
    return PlainTime({"now": now, "total": total}, after - minutes * 60 - second, after)


PLAIN_TIMES: Final = Memo(_read_plain_time)


def fraction(text: str) -> str:
    """Return the decimals of a move's time, for which JKF has no place.

    >>> fraction(" 0:12.50/00:00:12")
    '50'
    """
    match = _FRACTION.match(text)
    return match[1] if match else ""
