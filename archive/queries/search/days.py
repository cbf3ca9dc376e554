"""Days, months and years of queries."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

DAY: Final = r"\d{4}(?:[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?|月)?|年)?"
"""A regular expression for a day, month or year."""
_PARTS: Final = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?|年)?")


def read_day(text: str) -> str | None:
    """Return a day, month or year as 2024-03-15, 2024-03 or 2024; None for other texts.

    >>> read_day("2024年3月"), read_day("2024/3/5"), read_day("2024"), read_day("2024-13")
    ('2024-03', '2024-03-05', '2024', None)
    """
    match = _PARTS.fullmatch(text)
    if match is None or (not text.isascii() and not re.fullmatch("[0-9年月日]+", text)):
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        date(year or 0, month or 1, day or 1)
    except ValueError:
        return None
    return "-".join(f"{part:0{width}}" for part, width in ((year, 4), (month, 2), (day, 2)) if part)


def first_day(text: str) -> date:
    """Return the first day of a result of `read_day`."""
    year, month, day = (*map(int, text.split("-")), 1, 1)[:3]
    return date(year, month, day)


def last_day(text: str) -> date:
    """Return the last day of a result of `read_day`."""
    year, *rest = map(int, text.split("-"))
    month = rest[0] if rest else 12
    return date(year, month, rest[1] if len(rest) > 1 else monthrange(year, month)[1])


def shifted(text: str, days: int) -> str | None:
    """Return the day after a period, or the one before it; None outside of the calendar."""
    end = last_day(text) if days > 0 else first_day(text)
    try:
        return (end + timedelta(days=days)).isoformat()
    except OverflowError:
        return None
