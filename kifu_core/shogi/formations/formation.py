"""What is told of a castle or an opening."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Family = Literal["castle", "opening"]


@dataclass(frozen=True, slots=True)
class Publication:
    """A book or a page that shows or names formations: a row of `works.csv`.

    `key` is what the tables call it. `author`, `isbn` and `url` are empty and `year` is None where the work
    has none or does not tell it.
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

    `number` is what it is stored as and never another's, `name` its name for programs, `japanese` the one
    people use, `reading` that in kana, `english` its
    common English name. `parents` are formations that it is a form of: a game that has it has them. Each of
    `patterns` (see `kifu_core.shogi.patterns`) is enough, as its owner sees it, where it begins to stand at
    any ply up to `until`. `sources` are the works that confirm shape or name, none where only games do.
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
