"""Parts of boards sought in columns: what these cost to make, their bytes, and how long questions take.

    python -m benchmarks.patterns [--games 5000] [--copies 1] [--rounds 5] [--threads 2] [--json]

Made-up games become files of columns (5,000 games each), which are copied under other slots `--copies` times.
`made` is the processor's time for a game: its positions gathered, and written as Parquet; `tags` that for
finding its castles and openings. Questions are of six kinds, each asked `--rounds` times of files that the
system has read before; `game` is how many games they find.

How to read it: the limit of a question is `scan`, the sum of one column over all rows in the same run. The
peer is `replayed`: the same question by playing 200 games through with `kifu_core`, times all games. The
target is 300 ms for half of the questions, and one second for all, at 10 million positions.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks import generate

A_FILE: Final = 5_000
REPLAYED: Final = 200
QUESTIONS: Final = {
    "rare": "K1a N9i -8i",
    "frequent": "P7f P2f",
    "castle": "K8h S7g G7h G6g",
    "four looks": "{G,S}7h N7g mirror:yes",
    "counts": "hand:B,R board:+P>=1",
    "sequence": "K2h then<=40 K1h line:main",
}


@contextmanager
def prepared() -> Iterator[Path]:
    """Give a folder, Django being set up for it."""
    os.environ.update(DJANGO_SETTINGS_MODULE="archive.settings", SECRET_KEY="only-for-benchmarks")
    with TemporaryDirectory(prefix="kifu-bench-") as name:
        os.environ["ARCHIVE_DATA_DIR"] = name
        import django

        django.setup()
        (Path(name) / "tmp").mkdir(exist_ok=True)
        yield Path(name)


def measure_making(folder: Path, games: int) -> tuple[list[Path], dict[str, Any]]:
    """Make files of so many games; their paths and the milliseconds of a processor for a game."""
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
            record = generate.record(slot)
            about = OfGame(slot, slot % 3, 730_000 + slot % 9_000, 1500, 1600)
            timed("gathered", lambda: positions.add(about, record))  # noqa: B023
            timed("tags", lambda: arisen(start(record), main_moves(record)))  # noqa: B023
        paths.append(folder / f"{first}.parquet")
        timed("written", lambda: write_segment(positions, paths[-1]))  # noqa: B023
        rows += len(positions)
    size = sum(path.stat().st_size for path in paths)
    made = {name: round(1000 * spent / games, 3) for name, spent in seconds.items()}
    return paths, {"rows": rows, "bytes_a_row": round(size / rows, 2), "ms_a_game": made}


def measure_questions(paths: list[Path], games: int, rounds: int, threads: int) -> dict[str, Any]:
    """The shortest milliseconds of each question, of its limit and of its peer."""
    from archive.columns.asking import games_with
    from archive.columns.segments import reading
    from archive.duck import bounded
    from kifu_core.shogi.patterns import find, parse

    source = reading(paths)
    lines = [positions_of(number) for number in range(REPLAYED)]
    found: dict[str, Any] = {}
    with bounded("1GB", threads) as database:
        scan = _fastest(rounds, lambda: database.execute(f"SELECT sum(s55) FROM {source}").fetchall())
        found["scan"] = {"ms": round(1000 * scan, 1)}
        for name, text in QUESTIONS.items():
            pattern = parse(text)
            spent = _fastest(rounds, lambda: games_with(database, pattern, source))  # noqa: B023
            replayed = _fastest(1, lambda: [find(pattern, line) for line in lines])  # noqa: B023
            found[name] = {
                "ms": round(1000 * spent, 1),
                "times_scan": round(spent / scan, 1),
                "replayed": round(1000 * replayed * games / REPLAYED),
                "games": len(games_with(database, pattern, source)),
            }
    return found


def _fastest(rounds: int, ask: Callable[[], object]) -> float:
    """Return the seconds of the fastest of so many rounds."""
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        ask()
        found.append(time.perf_counter() - began)
    return min(found)


def positions_of(number: int) -> list[Any]:
    """Every position of a made-up game."""
    from kifu_core.shogi.position import Position

    position = Position.initial()
    line = [position.copy()]
    for move in generate.moves(number):
        position.do_move(move)
        line.append(position.copy())
    return line


def measure(games: int, copies: int, rounds: int, threads: int) -> dict[str, Any]:
    """All tables."""
    with prepared() as folder:
        paths, found = measure_making(folder, games)
        for number in range(1, copies):
            paths += [_copied(path, number * games) for path in paths[: -(-games // A_FILE)]]
        found["positions"] = found.pop("rows") * copies
        return found | {"questions": measure_questions(paths, games * copies, rounds, threads)}


def _copied(path: Path, slots: int) -> Path:
    """Copy a file, its games under other slots."""
    from archive.duck import bounded, literal

    copy = path.with_name(f"{path.stem}-{slots}.parquet")
    with bounded("1GB") as database:
        database.execute(
            f"COPY (SELECT * REPLACE (slot + {slots} AS slot) FROM read_parquet({literal(path)})) "
            f"TO {literal(copy)} (FORMAT parquet, COMPRESSION zstd)"
        )
    return copy


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=5_000)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.games, options.copies, options.rounds, options.threads)
    if options.json:
        print(json.dumps(found))
        return
    print(
        f"{found['positions']} positions, {found['bytes_a_row']} bytes each; ms a game {found['ms_a_game']}"
    )
    for name, row in found["questions"].items():
        print(f"  {name:<12}" + "".join(f"{key:>14} {value:>9}" for key, value in row.items()))


if __name__ == "__main__":
    main()
