"""Players as headers write them: the name, and what stands around it - title, rank, rating, handicap.

The name alone is what a player is known by; the rest is true of that day only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from archive.ingest.headers.text import READ_LIMIT, Header, first, plain

PLAYERS: Final = (("先手", "下手"), ("後手", "上手"))
_SIDES: Final = (("先手", "下手", "BLACK"), ("後手", "上手", "WHITE"))
_NOBODY: Final = frozenset(
    [
        "先手",
        "後手",
        "上手",
        "下手",
        "詰方",
        "玉方",
        "攻方",
        "受方",
        "攻め方",
        "受け方",
        "詰め方",
        "-",
        "?",
        "???",
    ]
)
"""What programs write where they know no name; 詰方 and 玉方 are the sides of a problem."""

_NUMERALS: Final = "0-9一二三四五六七八九十初"
_TITLES: Final = (
    f"(?:永世|名誉|前|新|アマ|アマチュア|女流|実力制第四代|[{_NUMERALS}]+世)?"
    f"(?:竜王|名人|王位|王座|棋王|王将|棋聖|叡王|女王|倉敷藤花|清麗|白玲|[{_NUMERALS}]冠)"
)
_POLITE: Final = "先生|氏|さん|様|殿"
# One numeral, or a ten and one: 加藤一二三九段 is 加藤一二三.
_RANK: Final = re.compile(
    r"[\s(]*((?:アマ|アマチュア|女流|指導棋士|奨励会)?(?:[0-9]{1,2}|[一二三四五六七八九初]|十[一二三四五]?)[段級])\)?$"
)
# A title is one behind any name, also behind a family name alone (羽生七冠); by itself it is what the player
# is called. The other words may be part of a name of which less than three characters are left.
_TITLE: Final = re.compile(rf"(?:[\s・]+|(?<=\S))({_TITLES})$|(?:[\s・]+|(?<=\S\S\S))(十段|九段|{_POLITE})$")
_TITLE_ALONE: Final = re.compile(_TITLES)
_HANDICAP: Final = re.compile(
    r"[\s(]*((?:平手|[左右]?香車?落ち?|[左右]?香|角落ち?|飛車?落ち?|飛香落ち?|角香落ち?"
    r"|[左右]?[二三四五六七八九十]枚落ち?))\)?$"
)
_RATING: Final = re.compile(
    r"\s*[(\[]\s*(?:R|レート)?\s*:?\s*([0-9]{3,4})\s*[)\]]$|\s+[RＲ]:?\s*([0-9]{3,4})$"
)
_MARKED: Final = re.compile(r"[(\[]\s*(?:R|レート)|\s[RＲ]")
_MARKS: Final = re.compile(r"^[▲△☗☖▼▽・\s]+")
_WIDE_GAP: Final = re.compile(r"(?<=[^\x00-\x7f])\s+(?=[^\x00-\x7f])")
_YEARS: Final = range(1980, 2036)
"""A bare number like these behind a program's name is the year of its version more often than a rating."""

_COLUMN_LIMIT: Final = 32767
"""Ratings are columns of 16 bits."""

_RATE_LINE: Final = re.compile(r"(black|white)_rate:(.*):\s*(-?[0-9]{1,5})(?:\.[0-9]*)?\s*$")


@dataclass(frozen=True, slots=True)
class Person:
    """A player as one record knows him, normalized; empty where nothing is said.

    `titles` are in the order they stand in, `rank` is a dan or kyu, `handicap` the words for the start that
    some records write behind a name.
    """

    name: str = ""
    titles: tuple[str, ...] = ()
    rank: str = ""
    handicap: str = ""
    rating: int | None = None


def read_player(text: str) -> Person:
    """A player's header taken apart.

    >>> read_player("羽生　善治 九段")
    Person(name='羽生善治', titles=(), rank='九段', handicap='', rating=None)
    >>> person = read_player("藤井聡太竜王・名人（香落ち）")
    >>> person.name, person.titles, person.handicap
    ('藤井聡太', ('竜王', '名人'), '香落ち')
    >>> read_player("kellow(803)").rating, read_player("詰方").name
    (803, '')
    """
    return _read_player(plain(text))


@lru_cache(maxsize=4096)
def _read_player(text: str) -> Person:
    peeled = _Peeled(_MARKS.sub("", text))
    peeled.run()
    peeled.name = plain(_WIDE_GAP.sub("", peeled.name))
    peeled.run()
    name = "" if peeled.name in _NOBODY else peeled.name
    return Person(name, tuple(reversed(peeled.titles)), peeled.rank, peeled.handicap, peeled.rating)


class _Peeled:
    """A name from which what stands behind it is taken piece by piece; never all of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.titles: list[str] = []
        self.rank = ""
        self.handicap = ""
        self.rating: int | None = None

    def run(self) -> None:
        while self._take_rank() or self._take_title() or self._take_handicap() or self._take_rating():
            pass

    def _cut(self, match: re.Match[str] | None) -> bool:
        """Cut the match off, unless nothing would be left."""
        if match is None or not (rest := self.name[: match.start()].strip(" ・")):
            return False
        self.name = rest
        return True

    def _take_rank(self) -> bool:
        match = _RANK.search(self.name)
        if not self._cut(match):
            return False
        self.rank = self.rank or (match[1] if match else "")
        return True

    def _take_title(self) -> bool:
        if _TITLE_ALONE.fullmatch(self.name):
            return False
        match = _TITLE.search(self.name)
        if not self._cut(match):
            return False
        if match and (title := match[1] or match[2]) not in _POLITE.split("|"):
            self.titles.append(title)
        return True

    def _take_handicap(self) -> bool:
        match = _HANDICAP.search(self.name)
        # Without a blank or a parenthesis the words may be part of a name.
        if match is None or match[0][0] not in " (" or not self._cut(match):
            return False
        self.handicap = match[1]
        return True

    def _take_rating(self) -> bool:
        match = _RATING.search(self.name)
        if match is None:
            return False
        rating = int(match[1] or match[2])
        if (
            rating in _YEARS and not _MARKED.match(match[0].lstrip() if match[1] else match[0])
        ) or not self._cut(match):
            return False
        self.rating = rating
        return True


def player_name(text: str) -> str:
    """A player's name without title, rank and the blanks inside a Japanese name.

    >>> player_name("羽生　善治 九段"), player_name("藤井聡太竜王・名人"), player_name("Bonanza  2.1")
    ('羽生善治', '藤井聡太', 'Bonanza 2.1')
    """
    return read_player(text).name


def people(header: Header) -> tuple[Person, Person]:
    """The players of colours 0 and 1, with what the headers beside their names say of rank and rating."""
    black, white = (
        _with_own_headers(read_player(first(header, names)), header, sides)
        for names, sides in zip(PLAYERS, _SIDES, strict=True)
    )
    return black, white


def _with_own_headers(person: Person, header: Header, sides: tuple[str, ...]) -> Person:
    rank = plain(
        first(header, tuple(f"{side}段級" for side in sides) + tuple(f"{side}段位" for side in sides))
    )
    rating = first(
        header, tuple(f"{side}{word}" for side in sides for word in ("レーティング", "レート", "R", "_RATE"))
    )
    digits = re.match(r"\s*R?\s*([0-9]{1,5})", plain(rating))
    return Person(
        person.name, person.titles, person.rank or rank, person.handicap,
        person.rating if person.rating is not None else int(digits[1]) if digits else None,
    )  # fmt: skip


def players(header: Header) -> tuple[str, str]:
    """The names of colours 0 and 1; an empty text where there is none."""
    black, white = people(header)
    return black.name, white.name


def ratings(header: Header, remarks: Iterable[str]) -> tuple[int | None, int | None]:
    """The ratings of colours 0 and 1, rounded down; `remarks` are the lines a file has beside its record.

    floodgate writes them as comments: `'black_rate:name+hash:3749.0`.
    """
    found: list[int | None] = [person.rating for person in people(header)]
    for remark in remarks:
        if match := _RATE_LINE.match(remark[:READ_LIMIT].strip()):
            found[match[1] == "white"] = int(match[3])
    black, white = (
        rating if rating is not None and abs(rating) <= _COLUMN_LIMIT else None for rating in found
    )
    return black, white
