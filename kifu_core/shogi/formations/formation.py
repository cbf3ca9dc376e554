"""The data of castles and openings."""

from dataclasses import dataclass
from typing import Literal

Family = Literal["castle", "opening"]


@dataclass(frozen=True, slots=True)
class Publication:
    """A book or a page that shows or names formations: a row of `works.csv`.

    `key` is its name in the tables. `author`, `isbn` and `url` may be empty, and `year` None.
    """

    key: str
    author: str
    title: str
    publisher: str
    year: int | None
    isbn: str
    url: str


@dataclass(frozen=True, slots=True)
class Formation:
    """A castle or an opening of one side: a row of `castles.csv` or `openings.csv`.

    `number` is its stored number, which no other formation ever gets, `name` its name in the API, `japanese`
    the common name, `reading` that in kana, `english` the common English name. `parents` are formations of
    which it is a form: a game with the formation has its parents too. The formation occurs if one of
    `patterns` (see `kifu_core.shogi.patterns`), as its owner sees it, begins to stand at a ply up to `until`.
    `sources` are the works that confirm shape or name, empty if only games do.
    """

    family: Family
    number: int
    name: str
    japanese: str
    reading: str
    english: str
    parents: tuple[str, ...]
    until: int
    patterns: tuple[str, ...]
    sources: tuple[Publication, ...]
