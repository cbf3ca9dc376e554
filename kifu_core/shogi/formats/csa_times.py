"""The times of CSA moves."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from kifu_core.jkf import Consumption, Time
from kifu_core.memo import Memo
from kifu_core.shogi.move_times import TOTALS

TIME: Final = r"T ?([0-9]{0,9}+(?:\.[0-9]{0,9}+)?)"
"""A time, for expressions."""

_CLOCK: Final = re.compile(rf"(?:{TIME})?")


class Clock:
    """The time of a move in JKF, None if there is none, and its seconds."""

    __slots__ = ("seconds", "time")

    def __init__(self, time: Time | None, seconds: int) -> None:
        self.time = time
        self.seconds = seconds


def _read_clock(text: str) -> Clock:
    """Read `T12`; a T without digits and an empty text are no time. JKF has no fractions: they are dropped.

    Raises ValueError for any other text.
    """
    if not _CLOCK.fullmatch(text):
        raise ValueError(text)
    digits = text[1:].partition(".")[0]
    total = int(digits or 0)
    return Clock({"m": total // 60, "s": total % 60} if digits else None, total)


CLOCKS: Final = Memo(_read_clock)


def with_totals(clocks: list[Clock]) -> list[Consumption | None]:
    """Return the times of a line of alternating sides, with the total of each side."""
    times: list[Consumption | None] = []
    own, other = 0, 0
    for clock in clocks:
        own, other = other, own + clock.seconds
        time = clock.time
        times.append(None if time is None else {"now": time, "total": TOTALS[other]})
    return times


_MINUTES: Final = re.compile(r"([0-9]{1,3})分")
_HOURS: Final = re.compile(r"([0-9]{1,3}):([0-9]{1,2})(?![0-9])")
_WARS_LIMITS: Final = (180, 600, 3600)


def wars_clock(header: Mapping[str, str], left: Iterable[int]) -> int | None:
    """Return the seconds on both clocks of a game of 将棋ウォーズ before its first move.

    The headers name them (10分切れ負け); otherwise they are the shortest limit of the site (3 minutes,
    10 minutes, an hour for games of 10 seconds a move) that is not below any time left. None if there is no
    such limit.
    """
    most = max(left)
    limits = [int(match[1]) * 60 for match in _MINUTES.finditer(header.get("棋戦", "")[:80])]
    if match := _HOURS.match(header.get("持ち時間", "")):
        limits.insert(0, int(match[1]) * 3600 + int(match[2]) * 60)
    return next((limit for limit in (*limits, *_WARS_LIMITS) if limit >= most), None)
