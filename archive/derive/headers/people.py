"""Players in headers: the name, and the title, rank, rating, handicap and place written with it.

The name identifies a player. The rest is true of that day only.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from archive.derive.headers.text import SITES, Header, first, plain
from archive.names.character_forms import folded
from kifu_core.record import rates

PLAYERS: Final = (("先手", "下手"), ("後手", "上手"))
_SIDES: Final = (("先手", "下手", "BLACK"), ("後手", "上手", "WHITE"))
_RANKS_OF_SIDES: Final = tuple(
    tuple(f"{side}{word}" for word in ("段級", "段位") for side in sides) for sides in _SIDES
)
_RATINGS_OF_SIDES: Final = tuple(
    tuple(f"{side}{word}" for side in sides for word in ("レーティング", "レート", "R", "_RATE"))
    for sides in _SIDES
)
_NOBODY: Final = frozenset((
    "先手", "後手", "上手", "下手", "詰方", "玉方", "攻方", "受方", "攻め方", "受け方", "詰め方",
    "-", "?", "???",
))  # fmt: skip
"""Words of programs for an unknown player; 詰方 and 玉方 are the sides of a problem."""

_NUMERALS: Final = "0-9一二三四五六七八九十初"
_TITLES: Final = (
    f"(?:永世|名誉|前|元|新|アマ|アマチュア|女流|実力制第四代|[{_NUMERALS}]+世)?"
    f"(?:竜王|名人|王位|王座|棋王|王将|棋聖|叡王|女王|倉敷藤花|清麗|白玲|[{_NUMERALS}]冠)"
)
_POLITE: Final = "先生|氏|さん|様|殿"
# One numeral, or a ten and one: 加藤一二三九段 is 加藤一二三.
_RANKS: Final = (
    "(?:アマ|アマチュア|女流|指導棋士|奨励会)?(?:[0-9]{1,2}|[一二三四五六七八九初]|十[一二三四五]?)[段級]"
)
_RANK: Final = re.compile(rf"[\s(\[【〔]*({_RANKS})[)\]】〕]?$")
# Lists of results write `四段　山田　実`: the gap distinguishes the rank from a name that begins like one.
_RANK_BEFORE: Final = re.compile(rf"({_RANKS})\s+(?=\S)")
# `名人 大山康晴`; two titles in a row are the name itself.
_TITLE_BEFORE: Final = re.compile(rf"({_TITLES})\s+(?=(?:[^\x00-\x7f]\s*){{3,}}$)(?!{_TITLES}$)")
# Collections of 将棋ウォーズ: `taro[13K]`, `taro[2D]`; 3D in parentheses may belong to a program's name.
_LATIN_RANK: Final = re.compile(
    r"\s*(?:\[\s*([0-9]{1,2})\s*([kd])\s*\]|[(\[]\s*([0-9]{1,2})\s*-?\s*(kyu|dan)\s*[)\]])$", re.IGNORECASE
)
# A title may follow any name, also a family name alone (羽生七冠); by itself it is the player's name. The
# other words may be part of a name if fewer than three characters precede them.
_TITLE: Final = re.compile(
    rf"(?:[\s・]+|(?<=[^\s(\[]))({_TITLES})$|(?:[\s・]+|(?<=\S\S\S))(十段|九段|{_POLITE})$"
)
_TITLE_ALONE: Final = re.compile(_TITLES)
_TITLE_APART: Final = re.compile(rf"\s*\(({_TITLES})\)$")
_HANDICAP: Final = re.compile(
    r"[\s(]*((?:平手|[左右]?香車?落ち?|[左右]?香|角落ち?|飛車?落ち?|飛香落ち?|角香落ち?"
    r"|[左右]?[二三四五六七八九十]枚落ち?))\)?$"
)
_RATING: Final = re.compile(
    r"\s*[(\[]\s*(?:R|レート)?\s*:?\s*([0-9]{3,4})\s*[)\]]$|\s+[RＲ]:?\s*([0-9]{3,4})$"
)
_MARKED: Final = re.compile(r"[(\[]\s*(?:R|レート)|\s[RＲ]")
_MARKS: Final = re.compile(r"^[▲△☗☖▼▽・\s]+")
# `羽生善治九段（先手）` in records copied from tables. Without a rank it may be part of a name.
_SIDE: Final = re.compile(r"\s*[(\[](?:先手|後手|上手|下手)番?[)\]]$")
_WIDE_GAP: Final = re.compile(r"(?<=[^\x00-\x7f])\s+(?=[^\x00-\x7f])")
_YEARS: Final = range(1980, 2036)
"""Numbers after a program's name that are rather the year of its version than a rating."""

_RATED_SITES: Final = ("81Dojo", "将棋倶楽部24")
"""Sites that append the rating to every name: `taro81(1980)`."""

# Home towns, as in 佐藤実三段(花巻), 四段　山田　実(福島), in results of prefectures.
_KANJI: Final = "々〆一-鿿豈-﫿\U00020000-\U0002ffff\U000e0100-\U000e01ef"
_PLACE: Final = re.compile(rf"\s*[(\[〔【]([{_KANJI}ぁ-ヶー・]{{1,8}})[)\]〕】]$")
_JAPANESE_NAME: Final = re.compile(rf"[{_KANJI}ぁ-ヶー]+(?:\s+[{_KANJI}ぁ-ヶー]+)*")
_SURE_PLACE: Final = re.compile(
    "北海道|青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|東京|神奈川|新潟|富山|石川|福井|山梨|長野|岐阜"
    "|静岡|愛知|三重|滋賀|京都|大阪|兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎"
    "|熊本|大分|宮崎|鹿児島|沖縄|.+(?:[都府県市区町村]|支部|大学|高校|中学校?|小学校)"
)
_NO_PLACE: Final = re.compile(
    "[仮改新旧代弱強他].*|.*(?:先手|後手|上手|下手|[手番局戦版型級段世冠者係員生人名力弱強姓氏説]|代理|代打ち?|コンピュータ|ソフト|プロ|アマ)"
)
"""Other words in parentheses after a name: a side, a role, a program's strength."""

_COLUMN_LIMIT: Final = 32767
"""Ratings are columns of 16 bits."""


@dataclass(frozen=True, slots=True)
class Person:
    """A player in one record, normalized. Unknown values are empty."""

    name: str = ""
    titles: tuple[str, ...] = ()
    """The titles in the order in which they are written."""
    rank: str = ""
    """A dan or kyu."""
    handicap: str = ""
    """Words for the start, which some records append to a name."""
    rating: int | None = None
    place: str = ""
    """Where the player is from."""


def read_player(text: str, rated: bool = False) -> Person:
    """Split a player's header into its parts; with `rated` a number in parentheses is a rating even if it
    could be a year.

    >>> read_player("羽生　善治 九段")
    Person(name='羽生善治', titles=(), rank='九段', handicap='', rating=None, place='')
    >>> person = read_player("藤井聡太竜王・名人（香落ち）")
    >>> person.name, person.titles, person.handicap
    ('藤井聡太', ('竜王', '名人'), '香落ち')
    >>> read_player("kellow(803)").rating, read_player("詰方").name
    (803, '')
    >>> person = read_player("四段　山田　実(福島)")
    >>> person.name, person.rank, person.place
    ('山田実', '四段', '福島')
    """
    return _read_player(plain(text), rated)


@lru_cache(maxsize=4096)
def _read_player(text: str, rated: bool) -> Person:
    peeled = _Peeled(_MARKS.sub("", text), rated)
    peeled.run()
    peeled.name = plain(_WIDE_GAP.sub("", peeled.name))
    peeled.run()
    name = "" if peeled.name in _NOBODY else peeled.name
    titles = tuple(reversed(peeled.titles))
    return Person(name, titles, peeled.rank, peeled.handicap, peeled.rating, peeled.place)


class _Peeled:
    """A name from which titles and other additions are removed one by one, but never all of its text."""

    def __init__(self, name: str, rated: bool) -> None:
        self.name = name
        self.rated = rated
        self.titles: list[str] = []
        self.rank = ""
        self.handicap = ""
        self.rating: int | None = None
        self.place = ""

    def run(self) -> None:
        pieces = (
            self._take_side, self._take_rank, self._take_title, self._take_handicap, self._take_rating,
            self._take_place, self._take_rank_before, self._take_title_before,
        )  # fmt: skip
        while any(take() for take in pieces):
            pass

    def _cut(self, match: re.Match[str] | None) -> bool:
        """Remove the match, unless nothing would remain."""
        if match is None or not (rest := self.name[: match.start()].strip(" ・")):
            return False
        self.name = rest
        return True

    def _take_side(self) -> bool:
        match = _SIDE.search(self.name)
        if match is None:
            return False
        rest = self.name[: match.start()]
        return bool(_RANK.search(rest) or _TITLE.search(rest)) and self._cut(match)

    def _take_rank(self) -> bool:
        if (match := _RANK.search(self.name)) and self._cut(match):
            self.rank = self.rank or match[1]
            return True
        if (match := _LATIN_RANK.search(self.name)) and self._cut(match):
            number, word = match[1] or match[3], match[2] or match[4]
            self.rank = self.rank or number + ("級" if word[0] in "kK" else "段")
            return True
        return False

    def _take_rank_before(self) -> bool:
        match = _RANK_BEFORE.match(self.name)
        if match is None:
            return False
        self.name, self.rank = self.name[match.end() :], self.rank or match[1]
        return True

    def _take_title_before(self) -> bool:
        match = _TITLE_BEFORE.match(self.name)
        if match is None:
            return False
        self.name = self.name[match.end() :]
        self.titles.append(match[1])
        return True

    def _take_title(self) -> bool:
        if _TITLE_ALONE.fullmatch(self.name):
            return False
        match = _TITLE_APART.search(self.name) or _TITLE.search(self.name)
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
        marked = self.rated or _MARKED.match(match[0].lstrip() if match[1] else match[0])
        if (rating in _YEARS and not marked) or not self._cut(match):
            return False
        self.rating = rating
        return True

    def _take_place(self) -> bool:
        match = _PLACE.search(self.name)
        if match is None or not self._is_place(match[1], self.name[: match.start()]) or not self._cut(match):
            return False
        self.place = self.place or match[1]
        return True

    def _is_place(self, text: str, name: str) -> bool:
        """Return whether the text in parentheses after a name is the place where that person is from.

        Programs have names like 激指(弱), so a doubtful place needs a person's name before it: a name with a
        rank, in two parts, or of three characters and more.
        """
        if not _JAPANESE_NAME.fullmatch(name):
            return False
        if _SURE_PLACE.fullmatch(text):
            return True
        if _NO_PLACE.fullmatch(text):
            return False
        ranked = bool(self.rank) or ((rank := _RANK.search(name)) is not None and rank.start() > 0)
        return ranked or " " in name or (len(name) > 2 and "将棋" not in name and len(text) > 1)


def player_name(text: str) -> str:
    """Return a player's name without title, rank and the blanks inside a Japanese name.

    >>> player_name("羽生　善治 九段"), player_name("藤井聡太竜王・名人"), player_name("Bonanza  2.1")
    ('羽生善治', '藤井聡太', 'Bonanza 2.1')
    """
    return read_player(text).name


def player_key(text: str) -> str:
    """Return the key of a player: equal for all forms of the name's characters.

    >>> player_key("髙見　泰地 七段") == player_key("高見泰地")
    True
    """
    return folded(player_name(text))


def people(header: Header) -> tuple[Person, Person]:
    """Return the players of colours 0 and 1, with ranks and ratings from other headers."""
    black, white = (
        _with_own_headers(_person(first(header, names), header), header, colour)
        for colour, names in enumerate(PLAYERS)
    )
    return black, white


def _person(text: str, header: Header) -> Person:
    """Return the player of a header. On a site that appends ratings, a number in brackets is no year."""
    may_be_rated = text.endswith((")", "]", "）", "］"))
    return read_player(text, may_be_rated and plain(first(header, SITES)).startswith(_RATED_SITES))


def _with_own_headers(person: Person, header: Header, colour: int) -> Person:
    rank = plain(first(header, _RANKS_OF_SIDES[colour]))
    rating = plain(first(header, _RATINGS_OF_SIDES[colour]))
    if not rank and not rating:
        return person
    digits = re.match(r"\s*R?\s*([0-9]{1,5})", rating)
    number = person.rating if person.rating is not None else int(digits[1]) if digits else None
    return replace(person, rank=person.rank or rank, rating=number)


def players(header: Header) -> tuple[str, str]:
    """Return the names of colours 0 and 1; empty if unknown."""
    black, white = people(header)
    return black.name, white.name


def player_keys(header: Header) -> tuple[str, str]:
    """Return the keys of the players of colours 0 and 1; empty if unknown."""
    black, white = players(header)
    return folded(black), folded(white)


def ratings(
    header: Header, remarks: Iterable[str], persons: Iterable[Person] | None = None
) -> tuple[int | None, int | None]:
    """Return the ratings of colours 0 and 1, rounded down. `remarks` are lines of the file outside of its
    record, `persons` the people of this header, if the caller has them.
    """
    numbers: list[int | None] = [person.rating for person in persons or people(header)]
    for color, rating in rates(remarks).items():
        numbers[color] = rating
    black, white = (
        number if number is not None and abs(number) <= _COLUMN_LIMIT else None for number in numbers
    )
    return black, white
