"""Parts of boards sought in columns: what these cost to make, their bytes, and how long questions take.

    python -m benchmarks.patterns [--games 20000] [--copies 4] [--rounds 5] [--threads 2] [--corpus]
        [--json]

Made-up games become files of columns (20,000 games each), which are copied under other slots `--copies`
times; with `--corpus` a file begins with the real games of the reference material. `made` is the processor's
time for a game: its positions gathered, and written as Parquet and as runs; `tags` that for finding its
castles and openings.

Five questions of each of six kinds are asked `--rounds` times as the archive asks them, with the memory of
its default settings: the first place in every game, and the results of the games. `cold` is asked once after
the system has been told to forget the files, `warm` when it has read them, `at once` is how long one of eight
takes that are asked at the same time; milliseconds, half of them and 99 of 100. `most` is the largest memory
of this process while it asks, in MiB, without the pages of mapped files, and `at rest` what it has before.

How to read it: `scan` is reading the columns that its questions read in Parquet, row by row, with nothing
else asked of them: the limit of an answer that reads rows. The peer is `replayed`: the same question by
playing 200 games through with `kifu_core`, times all games. The target for one question at a time is 300 ms
for half of them, and one second for 99 of 100.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, Final

from benchmarks import generate
from benchmarks.serve import percentile
from benchmarks.support import interpreter
from benchmarks.support.targets import Target, verdict
from kifu_core.jkf import Record
from tests.shared import CORPUS

A_FILE: Final = 20_000
REPLAYED: Final = 200
READ: Final = ("slot", "node", "ply", "fork", "turn", "move", "result", "played")
"""Columns that are read of each position, whatever it is asked for."""
AT_ONCE: Final = 8
TARGETS: Final = {"p50": 300.0, "p99": 1000.0}
"""Milliseconds of one question at a time."""

QUESTIONS: Final = {
    "rare": ("K1a N9i -8i", "K5a", "+P1a +P9a", "hand:B=2,R=2", "K1i k9a turn:own"),
    "frequent": ("P7f P2f", "-7g", "G7h", "P7f p3d", "P7f turn:own"),
    "castles": (
        "K8h S7g G7h G6g", "K2h S3h G4i G5h", "K9i L9h S8h", "K8h S8g G7h G6g P8f", "K7h G6i G5h S7i",
    ),
    "four looks": (
        "{G,S}7h N7g mirror:yes", "K2h S3h mirror:yes", "+P5c mirror:yes", "K9i L9h mirror:yes",
        "R6h S7h mirror:yes",
    ),
    "counts": (
        "hand:B,R board:+P>=1", "hand:P>=5", "board:+R,+B", "board:P=9 hand:p=0 ply:40..", "hand:G>=2",
    ),
    "sequence": (
        "K2h then<=40 K1h line:main", "P7f then<=20 P6f", "S3h then G4i then K2h", "K9i then<=60 +R2a",
        "R2h then<=30 R6h line:main",
    ),
}  # fmt: skip


@contextmanager
def prepared(threads: int) -> Iterator[Path]:
    """Give a folder, Django being set up for it."""
    os.environ.update(DJANGO_SETTINGS_MODULE="archive.settings", SECRET_KEY="only-for-benchmarks")
    os.environ.update(ARCHIVE_PATTERN_THREADS=str(threads), ARCHIVE_PATTERNS_AT_ONCE=str(AT_ONCE))
    with TemporaryDirectory(prefix="kifu-bench-") as name:
        os.environ["ARCHIVE_DATA_DIR"] = name
        import django

        django.setup()
        (Path(name) / "tmp").mkdir(exist_ok=True)
        yield Path(name)


def measure_making(folder: Path, records: Iterator[Record], games: int) -> tuple[list[Path], dict[str, Any]]:
    """Make files of so many games; their paths and the milliseconds of a processor for a game."""
    from archive.columns.folder import runs_of
    from archive.columns.lines import pack_lines
    from archive.columns.positions import OfGame, Positions
    from archive.columns.segments import write_segment
    from kifu_core.shogi.formations import arisen
    from kifu_core.shogi.replay import main_moves, start

    seconds = dict.fromkeys(("gathered", "written", "tags"), 0.0)
    paths, rows = [], 0

    def timed(name: str, do: Callable[[], object]) -> None:
        began = time.process_time()
        do()
        seconds[name] += time.process_time() - began

    for first in range(0, games, A_FILE):
        positions = Positions()
        for slot in range(first, min(first + A_FILE, games)):
            record = next(records)
            about = OfGame(slot, slot % 3, 730_000 + slot % 9_000, 1500, 1600)
            timed("gathered", lambda: positions.add(about, pack_lines(record)))  # noqa: B023
            timed("tags", lambda: arisen(start(record), main_moves(record)))  # noqa: B023
        paths.append(folder / f"{first}.parquet")
        timed("written", lambda: write_segment(positions, paths[-1]))  # noqa: B023
        rows += len(positions)
    size, of_runs = (sum(path.stat().st_size for path in each) for each in (paths, map(runs_of, paths)))
    made = {name: round(1000 * spent / games, 3) for name, spent in seconds.items()}
    return paths, {
        "rows": rows,
        "bytes_a_row": round(size / rows, 2),
        "of_runs": round(of_runs / rows, 2),
        "ms_a_game": made,
    }


def measure_questions(paths: list[Path], games: int, rounds: int) -> dict[str, Any]:
    """The milliseconds of each kind of questions, of its limit and of its peer, and the memory they take."""
    lines = [positions_of(number) for number in range(REPLAYED)]
    kinds: dict[str, Any] = {}
    with _Watched() as memory:
        _measure_kinds(paths, games, rounds, lines, kinds)
        asked = [text for texts in QUESTIONS.values() for text in texts]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            at_once = list(pool.map(lambda text: _ask(paths, text), asked * rounds))
    return {"questions": kinds, "at once": _told(at_once), "memory": memory.told()}


def _measure_kinds(
    paths: list[Path], games: int, rounds: int, lines: list[list[Any]], kinds: dict[str, Any]
) -> None:
    """Write the milliseconds of each kind of questions to `kinds`."""
    from kifu_core.shogi.patterns import find, parse

    for kind, texts in QUESTIONS.items():
        _forget(paths)
        cold = [_ask(paths, text) for text in texts]
        warm = [_ask(paths, text) for _ in range(rounds) for text in texts]
        scan = min(_scan(paths, text) for text in texts for _ in range(2))
        began = time.perf_counter()
        for text in texts:
            pattern = parse(text)
            for line in lines:
                find(pattern, line)
        replayed = (time.perf_counter() - began) / len(texts)
        kinds[kind] = {
            "cold": _told(cold),
            "warm": _told(warm),
            "scan": round(1000 * scan, 1),
            "replayed": round(1000 * replayed * games / REPLAYED),
        }


class _Watched:
    """The memory of this process while something is done, in MiB: its own, without the pages of mapped
    files, which the system takes back when it needs them."""

    def __enter__(self) -> _Watched:
        self.at_rest = self.most = _memory("RssAnon")
        self.ended = Event()
        self.thread = Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.ended.wait(0.02):
            self.most = max(self.most, _memory("RssAnon"))

    def told(self) -> dict[str, int]:
        return {"at rest": self.at_rest, "most": self.most}


def _ask(paths: list[Path], text: str) -> float:
    """Return the seconds of a question: the first places, and the results of their games."""
    from archive.columns.finding import places_of
    from archive.columns.state import State
    from archive.duck import asking
    from kifu_core.shogi.patterns import parse

    pattern, state = parse(text), State(tuple(paths), (), 0)
    began = time.perf_counter()
    with asking(600) as question:
        question.table("found", places_of(question, state, pattern)._asdict())
        question.rows("SELECT result, own, count(*) FROM found GROUP BY ALL")
    return time.perf_counter() - began


def _scan(paths: list[Path], text: str) -> float:
    """Return the seconds of reading the columns that a question reads."""
    from django.conf import settings

    from archive.columns.places import contents
    from archive.columns.schema import TYPES
    from archive.columns.segments import reading
    from archive.duck import bounded
    from kifu_core.shogi.patterns import looks, parse

    source = reading(paths)
    steps = [step for look in looks(parse(text)) for step in look.steps]
    names = {name for step in steps for name, _ in contents(step)} | {*READ}
    read = ", ".join(f"max({name})" for name in TYPES if name in names)
    began = time.perf_counter()
    with bounded("256MB", settings.ARCHIVE_PATTERN_THREADS) as database:
        database.execute(f"SELECT {read} FROM {source}").fetchall()
    return time.perf_counter() - began


def _told(seconds: list[float]) -> dict[str, float]:
    """Half and 99 of 100, in milliseconds."""
    return {
        "p50": round(1000 * percentile(seconds, 0.5), 1),
        "p99": round(1000 * percentile(seconds, 0.99), 1),
    }


def _forget(paths: list[Path]) -> None:
    """Have the system drop what it keeps of these files and of their runs."""
    from archive.columns.folder import runs_of

    for path in (*paths, *map(runs_of, paths)):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _memory(name: str) -> int:
    """A figure of this process' memory, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) // 1024


def positions_of(number: int) -> list[Any]:
    """Every position of a made-up game."""
    from kifu_core.shogi.position import Position

    position = Position.initial()
    line = [position.copy()]
    for move in generate.moves(number):
        position.do_move(move)
        line.append(position.copy())
    return line


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """All tables."""
    with prepared(options.threads) as folder:
        records = chain(real_records() if options.corpus else (), map(generate.record, count()))
        paths, found = measure_making(folder, records, options.games)
        for number in range(1, options.copies):
            paths += [_copied(path, number * options.games) for path in paths[: -(-options.games // A_FILE)]]
        found["positions"] = found.pop("rows") * options.copies
        return found | measure_questions(paths, options.games * options.copies, options.rounds)


def real_records() -> Iterator[Record]:
    """The games of the reference material."""
    from kifu_core import load
    from kifu_core.errors import KifuError

    for folder in ("csa", "jkf", "ki2", "kif", "usen"):
        for path in sorted(path for path in (CORPUS / folder).rglob("*") if path.is_file()):
            with suppress(KifuError):
                yield from (game.record for game in load(path.read_bytes(), name=path.name).games)


def _copied(path: Path, slots: int) -> Path:
    """Copy a file with its runs, its games under other slots."""
    from archive.columns.runs import make_runs
    from archive.duck import bounded, literal

    copy = path.with_name(f"{path.stem}-{slots}.parquet")
    with bounded("1GB") as database:
        database.execute(
            f"COPY (SELECT * REPLACE (slot + {slots} AS slot) FROM read_parquet({literal(path)})) "
            f"TO {literal(copy)} (FORMAT parquet, COMPRESSION zstd)"
        )
    make_runs(copy)
    return copy


def main() -> None:
    """Print a table, or JSON; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=A_FILE)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--corpus", action="store_true", help="begin with the games of the reference material"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    found = measure(options)
    if options.json:
        print(interpreter.as_json(found))
    else:
        _show(found)
    sys.exit(verdict(targets_of(found["questions"])))


def targets_of(questions: dict[str, Any]) -> Iterator[Target]:
    """The targets of each kind of questions, asked one at a time."""
    for kind, row in questions.items():
        for files in ("cold", "warm"):
            for share, bound in TARGETS.items():
                yield Target(f"{kind}, {files}, {share}", row[files][share], bound, " ms")


def _show(found: dict[str, Any]) -> None:
    print(
        f"{found['positions']} positions, {found['bytes_a_row']} bytes each, and {found['of_runs']} in runs; "
        f"ms a game {found['ms_a_game']}"
    )
    for name, row in found["questions"].items():
        print(f"  {name:<12}" + "".join(f"  {key} {value}" for key, value in row.items()))
    print(f"  {AT_ONCE} at once: {found['at once']}; MiB {found['memory']}")


if __name__ == "__main__":
    main()
