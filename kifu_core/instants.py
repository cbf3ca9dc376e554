"""Convert timestamps with a time zone to Japan time."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

_JAPAN: Final = timezone(timedelta(hours=9))
_INSTANT: Final = re.compile(
    r"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]{1,12})?)?"
    r" ?(?:(Z|UTC|GMT)|(JST)|([-+])([0-9]{2}):?([0-9]{2})(?: [A-Z]{3,4})?)"
)
_DAYS: Final = frozenset(["00:00", "09:00"])
"""Japan times of a date without a time that was stored as UTC: midnight in Japan or at Greenwich."""


def in_japan(text: str) -> str:
    """Return a timestamp as date and time in Japan, any other text unchanged.

    >>> in_japan("2013-01-05T15:00:00.000Z"), in_japan("2017-03-22T01:30:00Z")
    ('2013/01/06', '2017/03/22 10:30')
    >>> in_japan("2024-05-01 23:00:05 -0500"), in_japan("2024-05-01 23:00")
    ('2024/05/02 13:00:05', '2024-05-01 23:00')
    """
    if (match := _INSTANT.fullmatch(text.strip())) is None:
        return text
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=_zone(match)).astimezone(_JAPAN)
    except (ValueError, OverflowError):
        return text
    date, clock = f"{local.year:04d}/{local:%m/%d}", f"{local:%H:%M}"
    if match[7] and clock in _DAYS and not second:
        return date
    return f"{date} {clock}" + (f":{second:02d}" if second else "")


def _zone(match: re.Match[str]) -> timezone:
    if match[7]:
        return UTC
    if match[8]:
        return _JAPAN
    offset = timedelta(hours=int(match[10]), minutes=int(match[11]))
    return timezone(-offset if match[9] == "-" else offset)
