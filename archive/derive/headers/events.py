"""Events, rounds, openings and problems in headers."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from archive.derive.headers.dates import read_day
from archive.derive.headers.text import NUMBER, SITES, Header, first, has_any, number, plain

EVENTS: Final = ("棋戦", "大会", "棋戦詳細")
OPENINGS: Final = ("戦型", "戦形", "OPENING")

_N = "(?<![0-9一二三四五六七八九十])[0-9一二三四五六七八九十]{1,3}"
# Pieces that could be the end of a longer word need a lookbehind: 日本戦, 三段リーグ, 名人戦県大会, 県予選.
_PIECE: Final = re.compile(
    rf"[\s、,・]*(?:第?{_N}局(?:目)?|第?{_N}回戦|{_N}次リーグ|(?:{_N}次|最終|予備)?(?<![都道府県市区町村国])予選"
    r"|(?<!日)本戦|決勝トーナメント|(?:(?<!日)本戦)?トーナメント|(?<!日)本選"
    r"|(?:準々|準準|準)?決勝(?:戦|リーグ(?:戦)?)?|[3-9三五七九]位決定戦|敗者復活戦|(?:昇級者?|残留|出場者)決定戦|プレーオフ"
    r"|(?:挑戦者|挑戦)決定(?:戦|トーナメント|リーグ)?"
    rf"|(?:挑戦者決定)?[三五七九十]番勝負|{_N}番勝負|(?<![A-Za-z])[A-Z]ブロック"
    r"|(?<![A-Za-z])[A-FS][12]?級(?:[12]組)?|(?<![0-9一二三四五六七八九十])[1-6一二三四五六]組"
    r"|(?<=[戦杯期回\s])[紅白](?:組(?:リーグ戦?)?|リーグ戦?)|(?<!女流)王位リーグ戦?|(?<=[戦杯期回組級選\s])リーグ戦?"
    rf"|(?:(?<=局)|(?<=回戦)|(?<=決勝)|(?<=予選)|(?<=公式戦)|(?<=シリーズ))[\s(]+\S{{1,6}}大会\)?"
    rf"|第?{_N}(?:ラウンド|日目)|(?<![0-9A-Za-z])[0-9]+R)$"
)
_EDITION: Final = re.compile(rf"第\s*([0-9]{{1,4}}|{NUMBER})\s*[期回]")
_OF_SERVER: Final = re.compile(r"[^+]+\+([^+]+-[0-9]{1,5}-[0-9]{1,4}F?)\+[^+]*\+[^+]*\+[0-9]{14}$")
_TIME_IN_NAME: Final = re.compile(r"\s*[(][0-9]+分[^()]*[)]$")
_SHORTEST: Final = 2


@dataclass(frozen=True, slots=True)
class EventName:
    """An event: its name, the `round` of this game, and its number in a series (0: unknown)."""

    name: str = ""
    round: str = ""
    edition: int = 0


def read_event(text: str) -> EventName:
    """Split an event's header into its parts.

    >>> read_event("第50期棋王戦コナミグループ杯五番勝負第３局")
    EventName(name='第50期棋王戦コナミグループ杯', round='五番勝負 第3局', edition=50)
    >>> read_event("第49回　小学生名人戦県大会　A級決勝")
    EventName(name='第49回 小学生名人戦県大会', round='A級 決勝', edition=49)
    >>> read_event("wdoor+floodgate-300-10F+yyr+tenuki+20180722050000").name
    'floodgate-300-10F'
    """
    return _read_event(plain(text))


@lru_cache(maxsize=4096)
def _read_event(name: str) -> EventName:
    if match := _OF_SERVER.match(name):
        return EventName(match[1])
    name, pieces = _TIME_IN_NAME.sub("", name) or name, list[str]()
    while match := _PIECE.search(name):
        rest = name[: match.start()].strip(" 、,・")
        if len(rest) < _SHORTEST or rest.endswith("第") or _EDITION.fullmatch(rest):
            break
        pieces.append(match[0].strip(" 、,・"))
        name = rest
    edition = _EDITION.search(name)
    return EventName(name, " ".join(reversed(pieces)), number(edition[1]) if edition else 0)


def event(header: Header) -> EventName:
    """Return the event; its name is empty if it is unknown."""
    return read_event(first(header, EVENTS))


def site(header: Header) -> str:
    """Return the place; empty if it is unknown."""
    return plain(first(header, SITES))


_OPENING_WORDS: Final = {
    "yagura": "矢倉", "aigakari": "相掛かり", "相懸かり": "相掛かり", "相掛り": "相掛かり",
    "kakugawari": "角換わり", "角換り": "角換わり", "角換わりその他": "角換わり", "yokofudori": "横歩取り",
    "横歩取": "横歩取り", "shikenbisha": "四間飛車", "sankenbisha": "三間飛車", "nakabisha": "中飛車",
    "mukaibisha": "向かい飛車", "向飛車": "向かい飛車", "相振飛車": "相振り飛車", "相振り": "相振り飛車",
    "陽動振飛車": "陽動振り飛車", "振飛車": "振り飛車", "その他の戦型": "その他", "その他戦型": "その他",
}  # fmt: skip
"""Other spellings of openings, and the one that is stored."""


def read_opening(text: str) -> str:
    """Return the name of an opening in its stored spelling.

    >>> read_opening("YAGURA"), read_opening("相振飛車"), read_opening("横歩取り△３三角型")
    ('矢倉', '相振り飛車', '横歩取り△3三角型')
    """
    name = plain(text)
    return _OPENING_WORDS.get(name.lower(), name)


OPENING_NAMES: Final = frozenset(_OPENING_WORDS.values()) - {"その他"} | {
    "居飛車", "振り飛車", "相居飛車", "対抗形", "相矢倉", "急戦矢倉", "米長流急戦矢倉", "雁木", "右玉",
    "袖飛車", "棒銀", "早繰り銀", "腰掛け銀", "角換わり棒銀", "角換わり早繰り銀", "角換わり腰掛け銀",
    "角換わり右玉", "一手損角換わり", "筋違い角", "相掛かり棒銀", "相横歩取り", "横歩取り8五飛",
    "右四間飛車", "四間飛車穴熊", "藤井システム", "石田流", "早石田", "升田式石田流", "ゴキゲン中飛車",
    "原始中飛車", "角交換四間飛車", "角交換振り飛車", "立石流", "阪田流向かい飛車", "鬼殺し", "嬉野流",
    "力戦", "居飛車穴熊", "穴熊",
}  # fmt: skip
"""Names of openings and castles in headers (81Dojo, shogi-extend, 将棋DB2)."""


def is_opening(text: str) -> bool:
    """Return whether a text is the name of an opening in any spelling.

    >>> is_opening("YAGURA"), is_opening("四間飛車"), is_opening("羽生善治")
    (True, True, False)
    """
    return read_opening(text) in OPENING_NAMES


def opening(header: Header) -> str:
    """Return the opening of the game; empty if it is unknown."""
    return read_opening(first(header, OPENINGS))


# shogi-extend (bioshogi) writes 戦法, earlier versions 戦型, and 囲い.
_SIDE_OPENINGS: Final = (
    ("先手の戦型", "下手の戦型", "先手の戦法", "下手の戦法"),
    ("後手の戦型", "上手の戦型", "後手の戦法", "上手の戦法"),
)
_SIDE_CASTLES: Final = (("先手の囲い", "下手の囲い"), ("後手の囲い", "上手の囲い"))
_LISTED: Final = re.compile("[,、]")
_PROBLEM: Final = {
    "author": ("作者",),
    "title": ("作品名",),
    "number": ("作品番号",),
    "published_in": ("発表誌",),
    "published": ("発表年月", "発表年月日"),
    "award": ("受賞",),
    "soundness": ("完全性",),
    "source": ("出典",),
    "category": ("分類",),
}
_LENGTHS: Final = ("手数", "詰手数")
_OF_PROBLEMS: Final = (*chain.from_iterable(_PROBLEM.values()), *_LENGTHS)


def event_data(header: Header, event: EventName) -> dict[str, Any]:
    """Return edition, title, and each side's openings and castles, as JSON without empty values. `event` is
    the event of this header."""
    data: dict[str, Any] = {
        "edition": event.edition,
        "title": plain(first(header, ("表題",))),
        "openings": _of_sides(header, _SIDE_OPENINGS),
        "castles": _of_sides(header, _SIDE_CASTLES),
    }
    return {name: value for name, value in data.items() if value}


def _of_sides(header: Header, names: tuple[tuple[str, ...], tuple[str, ...]]) -> list[list[str]]:
    """Return the lists in headers for colours 0 and 1 (`原始棒銀, 棒銀`); nothing if neither has one."""
    if not has_any(header, names[0] + names[1]):
        return []
    texts = [plain(first(header, own)) for own in names]
    if not any(texts):
        return []
    return [[name for part in _LISTED.split(text) if (name := read_opening(part))] for text in texts]


def problem_data(header: Header) -> dict[str, Any]:
    """Return the facts about a problem as JSON; `published` is as precise as it is known."""
    if not has_any(header, _OF_PROBLEMS):
        return {}
    data: dict[str, Any] = {name: plain(first(header, keys)) for name, keys in _PROBLEM.items()}
    if day := read_day(data["published"]).text:
        data["published"] = day
    if match := re.match(r"[0-9]{1,5}", plain(first(header, _LENGTHS))):
        data["plies"] = int(match[0])
    return {name: value for name, value in data.items() if value}
