"""The golden files of the reference: their names, and the table of the differences that are meant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.shared import GOLDEN

JKF = GOLDEN / "jkf"
MANDATORY = ("kif", "ki2", "csa", "jkf")
FOLDERS = (
    *MANDATORY,
    "examples/kif",
    "examples/ki2",
    "examples/csa",
    "examples/jkf",
    "tsshogi-kif",
    "tsshogi-jkf",
)
DEVIATIONS = Path(__file__).parents[2] / "docs" / "formats" / "deviations.md"

_PARTS = (".txt", ".json", ".raw.json", ".positions.json")


def records() -> list[str]:
    """The names of all golden records, as `folder/file`, without `.txt`."""
    return sorted(f"{folder}/{path.name[:-4]}" for folder in FOLDERS for path in (JKF / folder).glob("*.txt"))


def strays() -> Iterator[str]:
    """Files that belong to no record, and parts of records that are missing."""
    for folder in FOLDERS:
        names = {path.name for path in (JKF / folder).iterdir() if path.is_file()}
        stems = {name[:-4] for name in names if name.endswith(".txt")}
        expected = {stem + part for stem in stems for part in _PARTS}
        optional = {stem + ".minimal.json" for stem in stems}
        yield from sorted(f"{folder}/{name}: unexpected" for name in names - expected - optional)
        yield from sorted(f"{folder}/{name}: missing" for name in expected - names)


def manifest_names() -> set[str]:
    """The files that the manifest of the reference's own suite lists, as `folder/file`."""
    rows = json.loads((JKF / "manifest.json").read_text(encoding="utf-8"))
    return {"/".join(row["file"].split("/")[-2:]) for row in rows if row["group"] == "suite"}


def text_of(name: str) -> str:
    """The text of a golden record, its line ends untouched."""
    return (JKF / f"{name}.txt").read_bytes().decode("utf-8")


def answer(name: str, part: str = "") -> Any:
    """A golden answer; `part` is empty, `.raw`, `.positions` or `.minimal`."""
    return json.loads((JKF / f"{name}{part}.json").read_text(encoding="utf-8"))


@cache
def lines(name: str) -> tuple[dict[str, Any], ...]:
    """The rows of a golden `.jsonl` file; none without the reference material."""
    path = JKF / name
    if not path.is_file():
        return ()
    return tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def deviations() -> set[str]:
    """The inputs in the table of deviations."""
    rows = re.findall(r"^\| `([^`]+)` \|", DEVIATIONS.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == len(set(rows)), "an input stands twice in the table"
    return set(rows)
