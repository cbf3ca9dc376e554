"""Games in bulk: games a second, the memory of the process that sends them, and going on after a break.

    python -m benchmarks.export [--games 10000] [--engine sqlite|postgresql] [--json]

Fills an archive with made-up games, starts `manage.py serve` on it with one web process, and asks for all
games as each of the forms over one connection that takes what comes at once. The rates are of whole answers,
the memory is that of the web process: before, and at its highest meanwhile.

How to read it: memory is flat when the highest of a run with ten times the games is the same. `resumed` cuts
the NDJSON in the middle of a line, goes on behind the last whole one, and wants every game once.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from benchmarks import serve
from benchmarks.serve import HOST, Server, free_port
from benchmarks.support import filling, interpreter
from benchmarks.support.databases import database
from benchmarks.support.targets import Target, verdict
from tests.serving import processes_of

EXPORT: Final = "/api/v1/games/export"
FORMS: Final = ("ndjson", "csv", "kif", "csa", "ki2", "db")
AGAIN: Final = "ndjson again"
"""The first of them once more: what has grown since is kept by connections and threads, not by answers."""

SECONDS: Final = 3600.0
LOOK_SECONDS: Final = 0.1
BLOCK: Final = 256 * 1024
MIB: Final = 1024


class Memory:
    """What the largest process that serves an archive's web has of memory, in MiB, while the body runs."""

    def __init__(self, folder: Path) -> None:
        self.pids = [pid for pid in processes_of(folder) if b"\0web\0" in _command(pid)]
        self.before = self.highest = self._now()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _now(self) -> float:
        return max((_rss(pid) for pid in self.pids), default=0.0)

    def _look(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            self.highest = max(self.highest, self._now())

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _rss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / MIB for line in lines if line.startswith("VmRSS:")), 0.0)


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """The archive in a folder, served by one web process."""
    port = free_port()
    own = {
        "ARCHIVE_BIND": f"{HOST}:{port}", "ARCHIVE_WEB_WORKERS": "1", "ARCHIVE_SAMPLES": "0",
        "ARCHIVE_EXPORT_GAMES": "10000000", "ARCHIVE_EXPORT_FILES": "20000",
    }  # fmt: skip
    with serve.served(port, folder / "serve.log", os.environ | own):
        yield Server(port)


@contextmanager
def asked(port: int, query: str) -> Iterator[HTTPResponse]:
    """The answer to a request, which is read by the body."""
    connection = HTTPConnection(HOST, port, timeout=SECONDS)
    try:
        connection.request("GET", f"{EXPORT}?{query}")
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"{query}: {answer.status} {answer.read(300)!r}")
        yield answer
    finally:
        connection.close()


def measured(port: int, folder: Path, form: str, games: int) -> dict[str, Any]:
    """One form: games, seconds, bytes and memory. A ZIP that has not all goes on as often as it takes."""
    size, done, cursor = 0, 0, 0
    with Memory(folder) as memory:
        began = time.perf_counter()
        while done < games:
            query = f"as={form}" + ("" if form == "db" else f"&cursor={cursor}")
            found = _read(port, query)
            size += found[0]
            if form in ("kif", "csa", "ki2"):
                done, cursor = done + found[1], found[2]
            else:
                done = games
        seconds = time.perf_counter() - began
    return {
        "games": games,
        "rate": round(games / seconds),
        "mb": round(size / 1e6, 1),
        "before": round(memory.before),
        "highest": round(memory.highest),
    }


def _read(port: int, query: str) -> tuple[int, int, int]:
    """Read an answer to its end: its bytes; of a ZIP also its games and where it goes on."""
    size = 0
    with asked(port, query) as answer:
        zipped = answer.headers["Content-Type"] == "application/zip"
        kept = io.BytesIO()
        while block := answer.read(BLOCK):
            size += len(block)
            if zipped:
                kept.write(block)
    if not zipped:
        return size, 0, 0
    with ZipFile(kept) as found:
        rows = list(csv.DictReader(io.StringIO(found.read("INDEX.csv").decode("utf-8-sig"))))
    return size, len(rows) - 1, int(rows[-1]["id"])


def resumed(port: int, games: int) -> dict[str, Any]:
    """NDJSON that breaks off in the middle and is gone on with: every game has to come once."""
    whole = [line["id"] for line in _lines(port, "as=ndjson", None)][:-1]
    began = _lines(port, "as=ndjson", games // 2)
    first = [line["id"] for line in began]
    rest = _lines(port, f"as=ndjson&cursor={first[-1]}", None)
    ids = [*first, *(line["id"] for line in rest[:-1])]
    return {
        "cut_after": len(first),
        "games": len(ids),
        "missing": len({*whole} - {*ids}),
        "doubled": len(ids) - len({*ids}),
        "complete": rest[-1].get("complete"),
    }


def _lines(port: int, query: str, most: int | None) -> list[dict[str, Any]]:
    """Read lines, without their records; all of them, or so many and a part of the next."""
    found: list[dict[str, Any]] = []
    with asked(port, query) as answer:
        for line in answer:
            told = json.loads(line)
            found.append({"id": told.get("id"), "complete": told.get("complete")})
            if len(found) == most:
                answer.read(100)
                break
    return found


def fill(games: int) -> None:
    """Store so many games, unless they are there."""
    from archive.models import Game

    there = Game.objects.count()
    if there >= games:
        return
    with filling.writers(2) as pool:
        for part in filling.fill(pool, there, games):
            say(f"  {part.games} games at {part.rate:.0f}/s")


def say(text: str) -> None:
    """Tell how far it is, beside what is measured."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Measure and print; exit with 1 if a game was missing or came twice."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--keep", type=Path, help="a folder in which the archive stays for the next run")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    with database(options.engine, options.keep) as folder:
        fill(options.games)
        with served(folder) as server:
            found: dict[str, Any] = {}
            for form in FORMS:
                found[form] = measured(server.port, folder, form, options.games)
                say(f"{form}: {found[form]}")
            found[AGAIN] = measured(server.port, folder, "ndjson", options.games)
            found["resumed"] = resumed(server.port, options.games)
            say(f"resumed: {found['resumed']}")
    if options.json:
        print(interpreter.as_json({"engine": options.engine, **found}))
    else:
        print_table(options.engine, found)
    names = ("missing", "doubled")
    sys.exit(verdict(Target(f"resumed: {name} games", found["resumed"][name], 0) for name in names))


def print_table(engine: str, found: dict[str, Any]) -> None:
    """A line per form."""
    print(f"{engine:12}{'games/s':>9}{'MB':>9}{'MiB before':>12}{'MiB highest':>13}")
    for form in (*FORMS, AGAIN):
        row = found[form]
        print(f"{form:12}{row['rate']:>9}{row['mb']:>9}{row['before']:>12}{row['highest']:>13}")
    print(f"resumed: {found['resumed']}")


if __name__ == "__main__":
    main()
