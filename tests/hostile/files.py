"""More than a hundred hostile files, each made when it is asked for."""

from __future__ import annotations

from random import Random
from typing import Final

from tests.hostile import container_files, record_files, zip_files
from tests.hostile.container_files import Maker

FILES: Final[dict[str, Maker]] = record_files.FILES | zip_files.FILES | container_files.FILES
"""By what they are."""

QUICK: Final = (
    "ZIP bomb by bzip2", "ZIP bomb by bzip2 that says it is small", "a KIF of 20,000 moves",
    "moves with markup", "Quoridor with markup", "JKF with markup", "JSON with NUL and surrogates",
    "numbers of 4,400 digits", "every small hostile text", "strange names in ZIP",
    "overlapping members by bzip2", "tar.xz bomb", "half a tar.gz", "xz with a dictionary of 1.5 GB",
    "a name of markup", "unknown methods", "forks 900 deep",
)  # fmt: skip
"""Those of the short form: one of each sort, a second or so each."""


def chosen(number: int, dice: Random) -> list[str]:
    """The first so many of the quick ones; where they are too few, so many of all in some order."""
    if number <= len(QUICK):
        return list(QUICK[:number])
    names = sorted(FILES)
    dice.shuffle(names)
    return names[:number]
