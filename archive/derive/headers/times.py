"""Time limits and used times in headers, in seconds."""

import re
from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

from archive.derive.headers.text import NUMBER, READ_LIMIT, Header, first, number, plain
from kifu_core.shogi.clock import TimeLimit as TimeLimit

LIMITS: Final = ("持ち時間", "持時間", "TIME", "TIME_LIMIT", "制限時間")
LIMITS_OF_SIDE: Final = (("先手持ち時間", "下手持ち時間", "TIME+"), ("後手持ち時間", "上手持ち時間", "TIME-"))
BYOYOMI: Final = ("秒読み",)
USED: Final = ("消費時間",)


_SPAN: Final = re.compile(
    rf"(?:(?P<days>[0-9]{{1,2}})日)?(?:(?P<h>[0-9]{{3}}|{NUMBER})時間)?(?:(?P<half>半))?"
    rf"(?:(?P<m>[0-9]{{3,5}}|{NUMBER})分)?(?:(?P<s>[0-9]{{3,5}}|{NUMBER})秒)?"
)
_SECONDS_OF: Final = {"days": 86400, "h": 3600, "m": 60, "s": 1}
_CSA3: Final = re.compile(
    r"([0-9]{1,6})(?:\.[0-9]*)?\+([0-9]{1,6})(?:\.[0-9]*)?\+([0-9]{1,6})(?:\.[0-9]*)?(?:\+([0-9]+))?"
)
_CSA2: Final = re.compile(r"([0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?)\+([0-9]{1,4})")
_CLOCK: Final = re.compile(r"([0-9]{1,3}):([0-9]{2})(?::([0-9]{2}))?")
_MAIN_AND_BYOYOMI: Final = re.compile(r"([0-9]{2,6})\+([0-9]{1,4})")
_EACH: Final = re.compile(r"^(?:持ち?時間)?は?\s*:?\s*(?:双方|両者|各自|各々|各)?\s*:?\s*")
_SUDDEN: Final = re.compile(r"\s*(?:切れ負け|切負け|切れ負|切れ|サドンデス|秒読みなし)$")
_METHOD: Final = re.compile(
    r"(?:チェスクロック|ストップウォッチ)(?:使用|方式)?|早指し(?:戦|将棋)?|[12一二]日制|[()]", re.IGNORECASE
)
"""Words about clocks and days of play, and brackets, which are replaced by blanks."""
_FISCHER: Final = re.compile(r"フィッシャー(?:ルール|モード|方式)?|fischer", re.IGNORECASE)
_UNITS: Final = (
    (re.compile(r"(?<=[0-9])\s?(?:hours?|hr?s?)(?![a-z])", re.IGNORECASE), "時間"),
    (re.compile(r"(?<=[0-9])\s?(?:min(?:ute)?s?|m)(?![a-z])", re.IGNORECASE), "分"),
    (re.compile(r"(?<=[0-9])\s?(?:sec(?:ond)?s?|s)(?![a-z])", re.IGNORECASE), "秒"),
)
_UNJOINED: Final = re.compile("(?<=[分間半])(?=(?:[0-9]?0|[6-9][0-9])秒)")
"""Between a main time and byoyomi, as in 15分30秒: main times have no seconds."""
_EVERY_MOVE: Final = re.compile(
    r"(?:初手(?:より|から))?\s*(?:(?:1手|一手|秒読み)\s*(.+?)(?:未満|以内|将棋|の秒読み)?|([^時間]{1,6}[分秒])将棋)$"
)
_THEN: Final = re.compile(
    r"(?:切れたら|使い切(?:ると|ったら)|切れ後|以後|のち|後|→)?[、,]?\s*(?:1手|一手|秒読み)?\s*"
    r"(.+?)(?:の?秒読み|将棋|未満|以内)?$"
)
_ADDED: Final = re.compile(r"(?:1手(?:ごと|毎)?に?)?\s*(.+?)\s*(?:追加|加算)$")
_JOINTS: Final = re.compile(r"\s*[+/]\s*|\s+|(?=切れたら|使い切|秒読み)|[、,]")
_OF_SIDES: Final = re.compile(
    r"(?:先手|下手|▲|☗)\s*:?\s*(?P<black>[^△☖]{1,40}?)[\s、,/]*(?:後手|上手|△|☖)\s*:?\s*(?P<white>.{1,40})"
    r"|(?P<first>[^/秒]{1,40}[分間半])\s*/\s*(?P<second>[^/秒]{1,40}[分間半])"
)
"""Limits of both sides: ▲10分△5分, 25分/10分."""
_PERIODS: Final = re.compile(r"[(]?(?:考慮時間)\s*(.+?)[)]?$")
# Periods of a minute in NHK's matches: `10回`, `1分10回`, `考慮時間1分×10回`.
_TIMES: Final = re.compile(
    r"[(]?(?:考慮時間|考慮)?\s*(?:(?:1分|一分)(?:間|単位)?\s*(?:[x×*・]|を|が)?)?\s*([0-9]{1,3})回[)]?",
    re.IGNORECASE,
)


_SHORTEST: Final = 30
"""Seconds of the shortest main time without units: `5+10` may be minutes."""


def seconds_of(text: str) -> int | None:
    """Return the seconds of `4時間30分`, `一時間半`, `00:30`; None for anything else.

    >>> seconds_of("4時間30分"), seconds_of("一時間半"), seconds_of("60秒"), seconds_of("3")
    (16200, 5400, 60, None)
    """
    text = text.replace(" ", "")
    if match := _CLOCK.fullmatch(text):
        return int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3] or 0)
    match = _SPAN.fullmatch(text)
    if match is None or not any(match[part] for part in _SECONDS_OF):
        return None
    total = sum(number(match[part]) * unit for part, unit in _SECONDS_OF.items() if match[part])
    return total + (1800 if match["half"] else 0)


def read_limit(text: str) -> TimeLimit | None:
    """Return the time limit in a header; None if it cannot be read.

    >>> read_limit("15分+60秒")
    TimeLimit(main=900, byoyomi=60, increment=0, periods=0)
    >>> read_limit("各５時間").main, read_limit("10分切れ負け").main, read_limit("30+0+5").increment
    (18000, 600, 5)
    >>> read_limit("15分＋30秒＋10回").periods
    10
    >>> read_limit("60分 切れたら1分将棋").byoyomi, read_limit("なし（初手より１手30秒未満）").byoyomi
    (60, 30)
    """
    black, white = read_limits(text)
    return black if black == white else None


def read_limits(text: str) -> tuple[TimeLimit | None, TimeLimit | None]:
    """Return the time limits of colours 0 and 1 in a header; None if one cannot be read.

    >>> [limit.main for limit in read_limits("25分/10分")], [limit.main for limit in read_limits("各5時間")]
    ([1500, 600], [18000, 18000])
    """
    text = _EACH.sub("", plain(text))
    if match := _OF_SIDES.fullmatch(text):
        sides = (match["black"] or match["first"], match["white"] or match["second"])
        return _read_limit(sides[0].strip()), _read_limit(sides[1].strip())
    return (_read_limit(text),) * 2


@lru_cache(maxsize=1024)
def _read_limit(text: str) -> TimeLimit | None:
    if match := _CSA3.fullmatch(text):
        return TimeLimit(int(match[1]), int(match[2]), int(match[3]))
    if (match := _CSA2.fullmatch(text)) and (main := seconds_of(match[1])) is not None:
        return TimeLimit(main, int(match[2]))
    if (match := _MAIN_AND_BYOYOMI.fullmatch(text)) and int(match[1]) >= _SHORTEST:
        return TimeLimit(int(match[1]), int(match[2]))
    fischer = _FISCHER.search(text) is not None
    text = _METHOD.sub(" ", _FISCHER.sub(" ", text)).replace("手 ", "手")
    for expression, unit in _UNITS:
        text = expression.sub(unit, text)
    text = _SUDDEN.sub("", _UNJOINED.sub(" ", text.strip())).strip(" 、,")
    limit = _from_first_move(text) or _added_up(text)
    if limit is not None and fischer:
        return TimeLimit(limit.main, 0, limit.increment or limit.byoyomi, limit.periods)
    return limit


def _from_first_move(text: str) -> TimeLimit | None:
    match = _EVERY_MOVE.fullmatch(text.removeprefix("なし").removeprefix("0分").strip(" 、,"))
    span = seconds_of(match[1] or match[2]) if match else None
    return TimeLimit(0, span) if span is not None else None


def _added_up(text: str) -> TimeLimit | None:
    """Return the sum of a main time and its additions, joined by + or words."""
    parts = [part for part in _JOINTS.split(text) if part]
    main = seconds_of(parts[0]) if parts else None
    if main is None:
        return None
    limit = TimeLimit(main)
    for part in parts[1:]:
        changed = _with_part(limit, part)
        if changed is None:
            return None
        limit = changed
    return limit


def _with_part(limit: TimeLimit, part: str) -> TimeLimit | None:
    if match := _TIMES.fullmatch(part):
        return TimeLimit(limit.main, limit.byoyomi, limit.increment, int(match[1]))
    if match := _PERIODS.fullmatch(part):
        span = seconds_of(match[1])
        if span is None:
            return None
        return TimeLimit(limit.main, limit.byoyomi, limit.increment, max(1, span // 60))
    if match := _ADDED.fullmatch(part):
        span = seconds_of(match[1])
        return None if span is None else TimeLimit(limit.main, limit.byoyomi, span)
    match = _THEN.fullmatch(part)
    span = seconds_of(match[1]) if match else None
    if span is None and part.isdecimal():
        span = int(part)
    return None if span is None else TimeLimit(limit.main, span, limit.increment, limit.periods)


# The game names of servers: floodgate-300-10F has 300 seconds and 10 more with each move; without the F the
# 10 seconds are byoyomi.
_OF_SERVER: Final = re.compile(r"[^+]*-([0-9]{1,5})-([0-9]{1,4})(F?)(?:\+|$)")
_IN_NAME: Final = re.compile(r"[(]([0-9]+分[^()]*)[)]$")
_INCREMENT: Final = re.compile(r"Increment:([0-9]{1,4})$")


def limits(header: Header, remarks: Iterable[str] = ()) -> tuple[TimeLimit | None, TimeLimit | None]:
    """Return the time limits of colours 0 and 1, from their own headers, a common one, or the event's
    name."""
    sides = read_limits(first(header, LIMITS))
    both = sides[0] if sides[0] == sides[1] else None
    event = plain(first(header, ("棋戦",)))
    if both is None and (match := _OF_SERVER.search(event.partition("+")[2] or event)):
        rest = int(match[2])
        both = TimeLimit(int(match[1]), 0, rest) if match[3] else TimeLimit(int(match[1]), rest)
    if both is None and (match := _IN_NAME.search(event)):
        both = read_limit(match[1])
    if both is not None:
        both = _completed(both, header, remarks)
    black, white = (
        read_limit(first(header, names)) or both or side
        for names, side in zip(LIMITS_OF_SIDE, sides, strict=True)
    )
    return black, white


def _completed(limit: TimeLimit, header: Header, remarks: Iterable[str]) -> TimeLimit:
    """Return the limit with the byoyomi or increment of a header of its own."""
    byoyomi = seconds_of(plain(first(header, BYOYOMI)))
    if byoyomi and not limit.byoyomi:
        return TimeLimit(limit.main, byoyomi, limit.increment, limit.periods)
    increments = [
        int(match[1]) for remark in remarks if (match := _INCREMENT.match(remark[:READ_LIMIT].strip()))
    ]
    if increments and increments[0] and not (limit.byoyomi or limit.increment):
        return TimeLimit(limit.main, 0, increments[0], limit.periods)
    return limit


_USED: Final = re.compile(r"(?P<plies>[0-9]{1,5})?\s*[▲☗](?P<black>[^△☖]*)[△☖](?P<white>.*)")


def read_used(text: str) -> dict[str, int] | None:
    """Read plies and used seconds of both sides from `117▲268△283` (minutes) or `▲4時間39分△4時間01分`.

    >>> read_used("117▲268△283")
    {'plies': 117, 'black': 16080, 'white': 16980}
    >>> read_used("▲4時間39分△4時間01分")
    {'black': 16740, 'white': 14460}
    """
    match = _USED.fullmatch(plain(text))
    if match is None:
        return None
    used = {"plies": int(match["plies"])} if match["plies"] else {}
    for side in ("black", "white"):
        span = match[side].strip()
        seconds = int(span) * 60 if span.isdecimal() else seconds_of(span)
        if seconds is None:
            return None
        used[side] = seconds
    return used


def times_data(header: Header, remarks: Iterable[str] = ()) -> dict[str, Any]:
    """Return the known times as JSON: `time_limit` if both have the same, otherwise `time_limits`."""
    black, white = limits(header, list(remarks))
    data: dict[str, Any] = {}
    if black is not None and black == white:
        data["time_limit"] = asdict(black)
    elif black is not None or white is not None:
        data["time_limits"] = [asdict(side) if side else None for side in (black, white)]
    if used := read_used(first(header, USED)):
        data["time_used"] = used
    return data
