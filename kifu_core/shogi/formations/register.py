"""All formations by name, and what a game that has one of them has with it.

The tables are files of this package, a row a formation: their patterns are what textbooks draw alike, settled
by looking at games whose records say what was played. Squares are the owner's, who sits at rank i.
"""

import csv
from collections.abc import Iterable
from importlib.resources import files
from typing import Final

from kifu_core.shogi.formations.formation import Family, Formation

VERSION: Final = 1
"""Goes up with every change of what stands for a name: whoever stores what was found finds it anew then."""


def _rows(family: Family, file: str) -> tuple[Formation, ...]:
    lines = (files(__package__) / file).read_text("utf-8").splitlines()
    return tuple(
        Formation(
            family,
            row["name"],
            row["japanese"],
            row["reading"],
            row["english"],
            tuple(row["of"].split()),
            int(row["until"]),
            tuple(row["patterns"].split(" | ")),
        )
        for row in csv.DictReader(lines)
    )


CASTLES: Final = _rows("castle", "castles.csv")
OPENINGS: Final = _rows("opening", "openings.csv")
FORMATIONS: Final = (*CASTLES, *OPENINGS)

BY_NAME: Final = {one.name: one for one in FORMATIONS}


def with_parents(names: Iterable[str]) -> set[str]:
    """Return these formations and all that they are forms of."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += BY_NAME[name].parents
    return found
