"""Time per ply from record text to complete JKF, and to its JSON text, beside the format's reference library.

    python -m benchmarks.parse [--rounds N] [--peers FOLDER] [--json]

The games are the 15 real and 60 random ones of the golden files beside the checkout. Times mean nothing by
themselves on a shared machine: compare the ratios to the peers, which run in the same minute. `--peers` (or
`KIFU_PEERS`) is a folder with `node_modules` that has json-kifu-format and tsshogi; without it, or without
Node.js, only our own columns are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kifu_core import dump, load
from tests.shared import GOLDEN, SHARED

FORMATS = ("kif", "ki2", "csa")
FILES = ("xformat.jsonl", "random.jsonl")
PEERS = SHARED / "bench" / "peers.mjs"
REFERENCE = "json-kifu-format"
TARGETS = {"kif": 2.0, "ki2": 2.0, "csa": 1.5}
"""How many times as fast as the reference we want to be."""


@dataclass(frozen=True, slots=True)
class Row:
    """Microseconds per ply of one library for one format, to the record and to its JSON text."""

    library: str
    format: str
    plies: int
    record: float
    text: float


def texts(file_format: str) -> list[str]:
    """The games of the golden files in one format."""
    return [
        json.loads(line)[file_format]
        for name in FILES
        for line in (GOLDEN / "jkf" / name).read_text(encoding="utf-8").splitlines()
    ]


def seconds(work: Callable[[], object], rounds: int) -> float:
    """The median time of several rounds, after some to warm up."""
    for _ in range(3):
        work()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return sorted(times)[rounds // 2]


def measure(file_format: str, rounds: int) -> Row:
    """Our own row."""
    games = texts(file_format)
    plies = sum(len(load(text).games[0].record["moves"]) - 1 for text in games)

    def to_record() -> None:
        for text in games:
            load(text)

    def to_text() -> None:
        for text in games:
            dump(load(text).games[0].record, "jkf")

    per_ply = 1e6 / plies
    return Row(
        "kifu_core",
        file_format,
        plies,
        seconds(to_record, rounds) * per_ply,
        seconds(to_text, rounds) * per_ply,
    )


def peers(folder: str | None) -> list[Row]:
    """The rows of the Node.js libraries; none without Node.js, the packages or the script."""
    node = shutil.which("node")
    if node is None or not folder or not (Path(folder) / "node_modules").is_dir() or not PEERS.is_file():
        return []
    done = subprocess.run([node, str(PEERS), folder], capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    return [Row(r["lib"], r["format"], r["plies"], r["us_per_ply"], r["us_per_ply_json"]) for r in found]


def table(rows: Sequence[Row]) -> str:
    """The rows as a table; the last columns are how many times as fast we are, and want to be."""
    ours = {row.format: row for row in rows if row.library == "kifu_core"}
    lines = [f"{'library':<18}{'format':<8}{'us/ply':>8}{'to text':>9}{'we are':>9}{'target':>8}"]
    for row in rows:
        line = f"{row.library:<18}{row.format:<8}{row.record:>8.2f}{row.text:>9.2f}"
        if row.library != "kifu_core":
            line += f"{row.record / ours[row.format].record:>8.2f}x"
        if row.library == REFERENCE:
            line += f"{TARGETS[row.format]:>7.1f}x"
        lines.append(line)
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--peers", default=os.environ.get("KIFU_PEERS"))
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    if not GOLDEN.is_dir():
        options.exit(1, "the golden files are not beside this checkout\n")
    rows = [measure(file_format, chosen.rounds) for file_format in FORMATS] + peers(chosen.peers)
    if chosen.json:
        for row in rows:
            print(json.dumps({name: getattr(row, name) for name in row.__dataclass_fields__}))
    else:
        print(table(rows))


if __name__ == "__main__":
    main()
