"""Reads every record file of the corpus beside the checkout and prints how many are read, by kind.

Use: python -m benchmarks.corpus_table [--all]; --all lists every file that differs from the index, else only
those marked complete.
"""

from __future__ import annotations

import sys
from collections import Counter

from benchmarks.support import interpreter
from tests.kifu_core.corpus import ReadFile, read_all
from tests.shared import CORPUS

COLUMNS = ("files", "same plies", "other plies", "no game", "unknown format")


def column(item: ReadFile) -> str:
    """The column of the table that a file counts in."""
    if item.error is not None:
        return "unknown format"
    if item.found < 0:
        return "no game"
    return "same plies" if item.agrees else "other plies"


def reason(item: ReadFile) -> str:
    """The first error of a file in one line."""
    if item.error is not None:
        return f"{item.error.code}, line {item.error.line}"
    assert item.result is not None
    issues = [*item.result.issues, *(issue for game in item.result.games for issue in game.issues)]
    errors = [f"{issue.code}, line {issue.line}" for issue in issues if issue.severity == "error"]
    return errors[0] if errors else "no error"


def main() -> None:
    if not CORPUS.is_dir():
        sys.exit("the corpus is not beside this checkout")
    interpreter.announce()
    readings = list(read_all())
    counts: Counter[tuple[str, str]] = Counter()
    for item in readings:
        counts[item.kind, "files"] += 1
        counts[item.kind, column(item)] += 1
    print(f"{'kind':<24}" + "".join(f"{name:>16}" for name in COLUMNS))
    for kind in sorted({item.kind for item in readings}):
        print(f"{kind:<24}" + "".join(f"{counts[kind, name]:>16}" for name in COLUMNS))
    for item in readings:
        if not item.agrees and (item.kind == "complete" or "--all" in sys.argv):
            print(f"{item.path}: {item.found} plies, index {item.plies}: {reason(item)}")


if __name__ == "__main__":
    main()
