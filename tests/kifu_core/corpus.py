"""The corpus of real files: what its index says of each, and what we read."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from kifu_core import KifuError, ParseResult, load
from tests.shared import CORPUS

FORMATS = ("kif", "kif?", "ki2", "csa", "jkf")


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file of the corpus: its row in the index and our reading or the error instead."""

    path: str
    format: str
    encoding: str
    kind: str
    plies: int
    result: ParseResult | None
    error: KifuError | None

    @property
    def found(self) -> int:
        """The plies of the first game's main line, -1 if nothing was read."""
        if self.result is None or not self.result.games:
            return -1
        return sum("move" in entry for entry in self.result.games[0].record["moves"])

    @property
    def agrees(self) -> bool:
        """As many plies as the index says, one more or less for the ending."""
        return abs(self.found - self.plies) <= 1


def read_all() -> Iterator[ReadFile]:
    """Read every record file of the corpus."""
    with (CORPUS / "index.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["format"] in FORMATS]
    for row in rows:
        result, error = None, None
        try:
            result = load((CORPUS / row["path"]).read_bytes(), row["path"])
        except KifuError as raised:
            error = raised
        yield ReadFile(
            row["path"], row["format"], row["encoding"], row["kind"], int(row["moves"] or 0), result, error
        )
