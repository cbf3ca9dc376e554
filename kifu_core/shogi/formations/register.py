"""The register of all formations, with their parents and forms.

The tables are files of this package, a row a formation. Their patterns are the common shapes of textbooks,
refined by games whose records name the formation. Squares are those of the owner, who sits at rank i.
"""

import re
from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from kifu_core.shogi.formations.formation import Family, Formation, Publication
from kifu_core.tables import read_table

VERSION: Final = 4
"""Increases with every change of a pattern: stored occurrences have to be computed anew."""

GAMES: Final = "games"
"""The source of a formation that only games confirm."""


WORKS: Final = {
    row["key"]: Publication(
        row["key"],
        row["author"],
        row["title"],
        row["publisher"],
        int(row["year"]) if row["year"] else None,
        row["isbn"],
        row["url"],
    )
    for row in read_table(__package__, "works.csv")
}
"""The works that confirm formations, by key."""


def _sources(keys: str) -> tuple[Publication, ...]:
    return () if keys == GAMES else tuple(WORKS[key] for key in keys.split())


def _rows(family: Family, file: str) -> tuple[Formation, ...]:
    return tuple(
        Formation(
            family,
            int(row["number"]),
            row["name"],
            row["japanese"],
            row["reading"],
            row["english"],
            tuple(row["of"].split()),
            int(row["until"]),
            tuple(row["patterns"].split(" | ")),
            _sources(row["sources"]),
        )
        for row in read_table(__package__, file)
    )


CASTLES: Final = _rows("castle", "castles.csv")
OPENINGS: Final = _rows("opening", "openings.csv")
FORMATIONS: Final = (*CASTLES, *OPENINGS)

BY_NAME: Final = {one.name: one for one in FORMATIONS}
BY_NUMBER: Final = {one.number: one for one in FORMATIONS}


def with_parents(names: Iterable[str]) -> set[str]:
    """Return these formations with all their parents."""
    result: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in result:
            result.add(name)
            waiting += BY_NAME[name].parents
    return result


def with_forms(name: str) -> set[str]:
    """Return a formation and all forms of it."""
    return {one.name for one in FORMATIONS if name in with_parents([one.name])}


def by_any_name(text: str) -> Formation | None:
    """Return the formation of a text, by any of its names or its reading; None for others."""
    return _CALLED.get(_folded(text))


def _folded(text: str) -> str:
    """Return a name for comparison, without the word for its family: 美濃 is 美濃囲い."""
    plain = normalize("NFKC", text).casefold().replace(" ", "").replace("-", "")
    return _SORT.sub("", plain)


_SORT: Final = re.compile("(?<=.)(?:囲い|がこい|戦法|せんぽう|castle)$")


_CALLED: Final = {
    _folded(text): one
    for one in reversed(FORMATIONS)
    for text in (one.reading, one.english, one.japanese, one.name)
}
