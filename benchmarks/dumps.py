"""Dumps of everything public: games a second and the memory of the process that makes one, and of reading it.

    python -m benchmarks.dumps [--games 10000] [--engine sqlite|postgresql] [--json]

Fills an archive with made-up games, runs `manage.py dump`, again beside the first one, and `--check` of both.
The rates are of the whole commands, start of Python included.

How to read it: memory is flat when it is the same of a run with ten times the games. `start` is a command
that makes nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.support import filling, interpreter
from benchmarks.support.databases import database

ROOT: Final = Path(__file__).resolve().parents[1]
RUNS: Final = {
    "start": ["--check"],
    "dump": [],
    "dump beside an older one": [],
    "check of both": ["--check"],
}


@dataclass(frozen=True, slots=True)
class Run:
    """A command: seconds, and the most memory that its process had, in MiB."""

    name: str
    seconds: float
    memory: float


def run(name: str, options: list[str]) -> Run:
    """Run `manage.py dump` with options in a process of its own. Raises CalledProcessError."""
    command = [sys.executable, str(ROOT / "manage.py"), "dump", *options]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(name, time.perf_counter() - begun, used.ru_maxrss / 1024)


def measure(engine: str, games: int) -> tuple[list[Run], int]:
    """Return the runs on an archive of so many games, and the bytes of a dump of it."""
    with database(engine) as folder:
        with filling.writers(2 if engine == "postgresql" else 1) as pool:
            for _part in filling.fill(pool, 0, games):
                pass
        runs = [run(name, options) for name, options in RUNS.items()]
        newest = max(path for path in (folder / "dumps").iterdir() if path.is_dir())
        return runs, sum(path.stat().st_size for path in newest.iterdir())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--json", action="store_true", help="one line for programs")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    runs, size = measure(options.engine, options.games)
    if options.json:
        report = {"games": options.games, "bytes": size, "runs": [asdict(one) for one in runs]}
        print(interpreter.as_json(report))
        return
    print(f"{options.games:,} games on {options.engine}, {size / options.games:,.0f} bytes a game")
    for one in runs:
        rate = options.games / one.seconds
        print(f"{one.name:<26}{one.seconds:>8.1f} s {rate:>9,.0f} games/s {one.memory:>7.0f} MiB")


if __name__ == "__main__":
    main()
