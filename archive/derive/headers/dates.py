"""Days in headers, in every order and era, as precisely as they are known.

Until the end of 1872 Japan used a lunisolar calendar. Such days keep the numbers of the source, in the
Gregorian year that most of the year fell into, with `calendar` "lunisolar". A `date` made of them serves only
to order games and to show the day with its calendar.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from archive.derive.headers.text import NUMBER, READ_LIMIT, Header, first, number
from kifu_core.instants import in_japan

BEGINNINGS: Final = ("開始日時", "対局日", "対局開始日時", "対局日時", "日時", "開始日", "対局年月日")
ENDS: Final = ("終了日時", "対局終了日時", "終了日")

_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")
"""Texts without one, such as `????/??/??` and `-`, are not reported as unreadable."""

_UNKNOWN_WORDS: Final = frozenset(["不明", "不詳", "未詳", "未定", "日付不明", "unknown", "none", "n/a"])

_LONGEST: Final = 100
"""Characters of a text that are parsed."""

LUNISOLAR: Final = "lunisolar"
GREGORIAN: Final = "gregorian"
FIRST_GREGORIAN_YEAR: Final = 1873

ERAS: Final = {
    "天正": 1573, "文禄": 1592, "慶長": 1596, "元和": 1615, "寛永": 1624, "正保": 1644, "慶安": 1648,
    "承応": 1652, "明暦": 1655, "万治": 1658, "寛文": 1661, "延宝": 1673, "天和": 1681, "貞享": 1684,
    "元禄": 1688, "宝永": 1704, "正徳": 1711, "享保": 1716, "元文": 1736, "寛保": 1741, "延享": 1744,
    "寛延": 1748, "宝暦": 1751, "明和": 1764, "安永": 1772, "天明": 1781, "寛政": 1789, "享和": 1801,
    "文化": 1804, "文政": 1818, "天保": 1830, "弘化": 1844, "嘉永": 1848, "安政": 1854, "万延": 1860,
    "文久": 1861, "元治": 1864, "慶応": 1865, "慶應": 1865, "明治": 1868, "大正": 1912, "昭和": 1926,
    "平成": 1989, "令和": 2019, "M": 1868, "T": 1912, "S": 1926, "H": 1989, "R": 2019,
}  # fmt: skip
"""The first year of each era."""

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TAIL = (
    rf"(?:\s*[-/.年]\s*(?P<leap>閏)?(?P<month>{NUMBER})(?![0-9一二三四五六七八九十])"
    rf"(?:\s*[-/.月]\s*(?P<day>{NUMBER})(?![0-9一二三四五六七八九十]))?)?"
)
_WESTERN: Final = re.compile(rf"\s*(?:西暦)?(?P<year>[0-9]{{4}})(?![0-9]){_TAIL}")
# As in names of files: `20181230`.
_TOGETHER: Final = re.compile(
    r"\s*(?P<year>(?:1[6-9]|20)[0-9]{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])(?P<leap>)(?![0-9])"
)
_NAMED_ERA = "|".join(name for name in ERAS if len(name) > 1)
_JAPANESE: Final = re.compile(
    rf"\s*(?:(?P<era>{_NAMED_ERA})\s*(?P<year>元|{NUMBER})(?=\s*[-/.年(]|\s*$)"
    rf"|(?P<letter>[MTSHR])(?P<short>[0-9]{{1,2}})(?=[-/.年])){_TAIL}"
)
_MONTH_NAME = r"(?P<name>[A-Za-z]{3})[a-z]*\.?"
_ENGLISH: Final = re.compile(
    rf"\s*(?:[A-Za-z]{{3,9}},\s*)?"
    rf"(?:{_MONTH_NAME}\s+(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?"
    rf"|(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH_NAME.replace('name', 'name2')},?)\s+"
    r"(?P<year>[0-9]{4})(?![0-9])"
)
# As .NET writes it for the United States (`12/30/2018 10:29:48 PM`) and for others (`30/12/2018 22:29:48`).
_YEAR_LAST: Final = re.compile(
    r"\s*(?P<first>[0-9]{1,2})(?P<mark>[-/.])(?P<second>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4})(?![0-9])"
    r"(?:[,\s]+(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s*(?P<half>[AaPp]\.?[Mm]\.?))?))?\s*"
)
_UNTIL: Final = re.compile(
    r"\s*日?\s*(?:\([^()]{1,4}\))?\s*[・･,、~〜–-]\s*"
    r"(?:(?P<year>[0-9]{4})\s*[-/.年]\s*)?(?:(?P<month>[0-9]{1,2})\s*[/.月]\s*)?(?P<day>[0-9]{1,2})\s*(?:日|\(|$|\s)"
)
_CLOCK: Final = re.compile(
    r"(?P<half>午前|午後|[AaPp]\.?[Mm]\.?)?\s*(?<![0-9])(?P<hour>[0-9]{1,2})"
    r"(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?|時(?:\s*(?P<minute2>[0-9]{1,2})分)?)(?![0-9])"
    r"(?:\s*(?P<half2>[AaPp]\.?[Mm]\.?))?"
)


@dataclass(frozen=True, slots=True)
class Day:
    """The first and last day of a game, and their precision: "day", "month", "year" or "".

    `text` is the first day as precisely as it is known: 2024-05-01, 2024-05, 2024 or nothing. In a lunisolar
    year it has the numbers of the source; if they are no Gregorian day (1711-02-30), `start`, `end` and
    `precision` are those of the month. `time` is the time of day at which the game began, HH:MM or HH:MM:SS,
    or empty.
    """

    start: date | None = None
    end: date | None = None
    precision: str = ""
    text: str = ""
    calendar: str = ""
    time: str = ""
    leap_month: bool = False


NO_DAY: Final = Day()


@dataclass(frozen=True, slots=True)
class _DayNumbers:
    """A day as written; an unknown month or day is 0. `rest` is the text after it."""

    year: int
    month: int
    day: int
    leap: bool
    rest: str


def read_day(text: str) -> Day:
    """Return the day that a text begins with: 2024-05-01, 2024/05, 2024年, 令和6年5月1日, R6.5.1, May 1,
    2024.

    >>> read_day("1743/00/00").text, read_day("2024/05/01 10:00").text, read_day("May").text
    ('1743', '2024-05-01', '')
    >>> day = read_day("12/30/2018 10:29:48 PM")
    >>> day.text, day.time
    ('2018-12-30', '22:29:48')
    >>> read_day("2013-01-05T15:00:00.000Z").text  # an instant, of that day in Japan
    '2013-01-06'
    >>> day = read_day("慶応2年9月")
    >>> day.text, day.precision, day.calendar
    ('1866-09', 'month', 'lunisolar')
    """
    return _read_day(text[:_LONGEST])


@lru_cache(maxsize=4096)
def _read_day(text: str) -> Day:
    normal = in_japan(unicodedata.normalize("NFKC", text))
    numbers = _numbers(normal)
    if numbers is None:
        # A time of day counts only by itself, not after an unreadable day.
        return Day(time=_time(normal)) if _CLOCK.fullmatch(normal.strip()) else NO_DAY
    lunisolar = numbers.year < FIRST_GREGORIAN_YEAR
    if not _possible(numbers, lunisolar):
        return NO_DAY
    start, end, precision = _span(numbers.year, numbers.month, numbers.day)
    length = 10 if numbers.month and numbers.day else 7 if numbers.month else 4
    if precision == "day":
        end = max(start, _end_of_range(numbers, lunisolar) or start)
    return Day(
        start, end, precision,
        text=f"{numbers.year:04d}-{numbers.month:02d}-{numbers.day:02d}"[:length],
        calendar=LUNISOLAR if lunisolar else GREGORIAN,
        time=_time(numbers.rest),
        leap_month=numbers.leap and lunisolar,
    )  # fmt: skip


def _numbers(text: str) -> _DayNumbers | None:
    if match := _WESTERN.match(text) or _TOGETHER.match(text):
        return _parts(match, int(match["year"]), text)
    if match := _JAPANESE.match(text):
        era, year = match["era"] or match["letter"], match["year"] or match["short"]
        return _parts(match, ERAS[era] + number(year) - 1, text)
    if match := _ENGLISH.match(text):
        name = (match["name"] or match["name2"]).lower()
        if name in _MONTHS:
            day = int(match["day"] or match["day2"])
            return _DayNumbers(int(match["year"]), _MONTHS.index(name) + 1, day, False, text[match.end() :])
    if match := _YEAR_LAST.fullmatch(text):
        return _with_year_last(match)
    return None


def _with_year_last(match: re.Match[str]) -> _DayNumbers | None:
    """Return the numbers of a day that ends with its year. With AM or PM the month is first, with full stops
    the day; otherwise None unless the numbers are unambiguous."""
    month, day = int(match["first"]), int(match["second"])
    if match["mark"] == "." or (not match["half"] and month > 12):
        month, day = day, month
    elif not match["half"] and day <= 12 and month != day:
        return None
    return _DayNumbers(int(match["year"]), month, day, False, match["clock"] or "") if month and day else None


def _parts(match: re.Match[str], year: int, text: str) -> _DayNumbers:
    month, day = (number(match[part]) if match[part] else 0 for part in ("month", "day"))
    return _DayNumbers(year, month, day, bool(match["leap"]), text[match.end() :])


def _possible(numbers: _DayNumbers, lunisolar: bool) -> bool:
    """Return whether a day can exist; lunar months have 29 or 30 days."""
    if numbers.year < 1 or numbers.month > 12:
        return False
    if not numbers.month or not numbers.day:
        return True
    return numbers.day <= (30 if lunisolar else monthrange(numbers.year, numbers.month)[1])


def _span(year: int, month: int, day: int) -> tuple[date, date, str]:
    if not month:
        return date(year, 1, 1), date(year, 12, 31), "year"
    last = monthrange(year, month)[1]
    if not day or day > last:
        return date(year, month, 1), date(year, month, last), "month"
    return date(year, month, day), date(year, month, day), "day"


def _end_of_range(numbers: _DayNumbers, lunisolar: bool) -> date | None:
    """Return the last day of `2005/11/29･30日` or `2005/11/30-12/1`."""
    match = _UNTIL.match(numbers.rest)
    if match is None:
        return None
    year, month = int(match["year"] or numbers.year), int(match["month"] or numbers.month)
    last = _DayNumbers(year, month, int(match["day"]), False, "")
    return _span(year, month, last.day)[0] if month and last.day and _possible(last, lunisolar) else None


def _time(text: str) -> str:
    match = _CLOCK.search(text)
    if match is None:
        return ""
    hour, minute = int(match["hour"]), int(match["minute"] or match["minute2"] or 0)
    half = (match["half"] or match["half2"] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "午後" or half[0] == "p" else 0)
    if hour > 24 or minute > 59:
        return ""
    return f"{hour:02d}:{minute:02d}" + (f":{match['second']}" if match["second"] else "")


_OF_SERVER: Final = re.compile(
    r".*\+(20[0-9]{2})([01][0-9])([0-3][0-9])([0-2][0-9])([0-5][0-9])([0-5][0-9])$"
)


def day_of_server(event: str) -> Day:
    """Return the start time that shogi-server appends to a game's name: …+20180722050000."""
    match = _OF_SERVER.match(event[:READ_LIMIT].strip())
    return _day_of_groups(match.groups()) if match else NO_DAY


def _day_of_groups(groups: Sequence[str]) -> Day:
    year, month, day, hour, minute, second = groups
    return read_day(f"{year}-{month}-{day} {hour}:{minute}:{second}")


GAME_ID: Final = "対局ID"
"""The header for a site's id of a game that only the name of its file contains."""

_OF_WARS: Final = re.compile(
    r"([0-9A-Za-z_]{1,40})-([0-9A-Za-z_]{1,40})-"
    r"(20[0-9]{2})([01][0-9])([0-3][0-9])_([0-2][0-9])([0-5][0-9])([0-5][0-9])"
)


def wars_players(name: str) -> tuple[str, str] | None:
    """Return Black and White in a game id of 将棋ウォーズ, `a-b-20260412_175024`; None for other names."""
    match = _OF_WARS.fullmatch(name)
    return (match[1], match[2]) if match else None


def day_of_wars(name: str) -> Day:
    """Return the start time that 将棋ウォーズ appends to a game's id."""
    match = _OF_WARS.fullmatch(name[:READ_LIMIT].strip())
    return _day_of_groups(match.groups()[2:]) if match else NO_DAY


def played(header: Header) -> Day:
    """Return the day of a game. An end that is no day, or is before the start, is ignored."""
    days = [read_day(text) for name in BEGINNINGS if (text := first(header, (name,)))]
    start = next((day for day in days if day.start), None)
    if start is None:
        start = day_of_server(header.get("棋戦", ""))
    if start.start is None:
        start = day_of_wars(header.get(GAME_ID, ""))
    if start.start is None:
        return days[0] if days else NO_DAY
    end = read_day(first(header, ENDS))
    if start.precision != "day" or end.precision != "day":
        return start
    assert start.end is not None and end.start is not None
    return replace(start, end=max(start.end, end.start))


def unknown_days(header: Header) -> Iterator[str]:
    """Yield the texts of day headers that cannot be read, except words and signs for an unknown day."""
    for name in (*BEGINNINGS, *ENDS):
        text = first(header, (name,)).strip()
        unreadable = text and read_day(text) == NO_DAY and text.lower() not in _UNKNOWN_WORDS
        if unreadable and _LETTER_OR_DIGIT.search(text):
            yield text
