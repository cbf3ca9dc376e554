"""Patterns of parts of boards: what their columns cost a game, their bytes, and the time of queries.

    python -m benchmarks.patterns [--games 20000] [--copies 4] [--rounds 5] [--threads 2] [--json]

Made-up games become files of columns (20,000 games each), which are copied under other slots `--copies`
times. `made` is processor time for a game: gathering its positions, writing them as Parquet and as runs;
`tags` is that for finding its castles and openings.

Five patterns of each of six kinds are searched `--rounds` times as by the archive, with its default limit of
memory: the first match in every game, and the results of the games. `cold` is the first query after the
system has dropped the files from its cache, `warm` a later one, `at once` one of eight at a time;
milliseconds, p50 and p99.

The limit is `scan`: reading the columns of the queries in Parquet, row by row. The peer is `replayed`: the
same query by replaying 200 games with `kifu_core`, times all games.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from benchmarks import population
from benchmarks.support import Target, announce, as_json, database, options_of, percentile, verdict

A_FILE: Final = 20_000
REPLAYED: Final = 200
READ: Final = ("slot", "node", "ply", "fork", "turn", "move", "result", "played")
"""Columns that every query reads."""
AT_ONCE: Final = 8
TARGETS: Final = {"p50": 300.0, "p99": 1000.0}
"""Milliseconds of one query at a time."""

QUERIES: Final = {
    "rare": ("K1a N9i -8i", "K5a", "+P1a +P9a", "hand:B=2,R=2", "K1i k9a turn:own"),
    "frequent": ("P7f P2f", "-7g", "G7h", "P7f p3d", "P7f turn:own"),
    "castles": (
        "K8h S7g G7h G6g", "K2h S3h G4i G5h", "K9i L9h S8h", "K8h S8g G7h G6g P8f", "K7h G6i G5h S7i",
    ),
    "mirrored": (
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


def measure_making(folder: Path, games: int) -> tuple[list[Path], dict[str, Any]]:
    """Make files of so many games; return their paths, and bytes and processor milliseconds of a game."""
    from archive.columns.folder import runs_of
    from archive.columns.lines import pack_lines
    from archive.columns.positions import PositionGame, Positions
    from archive.columns.segments import write_segment
    from kifu_core.shogi.formations import occurrences
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
            record = population.record(slot)
            about = PositionGame(slot, slot % 3, 730_000 + slot % 9_000, 1500, 1600)
            timed("gathered", lambda: positions.add(about, pack_lines(record)))  # noqa: B023
            timed("tags", lambda: occurrences(start(record), main_moves(record)))  # noqa: B023
        paths.append(folder / f"{first}.parquet")
        timed("written", lambda: write_segment(positions, paths[-1]))  # noqa: B023
        rows += len(positions)
    size, of_runs = (sum(path.stat().st_size for path in ranges) for ranges in (paths, map(runs_of, paths)))
    made = {name: round(1000 * spent / games, 3) for name, spent in seconds.items()}
    return paths, {
        "rows": rows,
        "bytes_a_row": round(size / rows, 2),
        "of_runs": round(of_runs / rows, 2),
        "ms_a_game": made,
    }


def measure_queries(paths: list[Path], games: int, rounds: int) -> dict[str, Any]:
    """Return the milliseconds of each kind of query, of its limit and of its peer."""
    from kifu_core.shogi.patterns import find, parse

    lines = [positions_of(number) for number in range(REPLAYED)]
    kinds: dict[str, Any] = {}
    for kind, texts in QUERIES.items():
        _forget(paths)
        cold = [_search(paths, text) for text in texts]
        warm = [_search(paths, text) for _ in range(rounds) for text in texts]
        scan = min(_scan(paths, text) for text in texts for _ in range(2))
        began = time.perf_counter()
        for text in texts:
            pattern = parse(text)
            for line in lines:
                find(pattern, line)
        replayed = (time.perf_counter() - began) / len(texts)
        kinds[kind] = {
            "cold": percentiles(cold),
            "warm": percentiles(warm),
            "scan": round(1000 * scan, 1),
            "replayed": round(1000 * replayed * games / REPLAYED),
        }
    every = [text for texts in QUERIES.values() for text in texts]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        at_once = list(pool.map(lambda text: _search(paths, text), every * rounds))
    return {"queries": kinds, "at once": percentiles(at_once)}


def _search(paths: list[Path], text: str) -> float:
    """Return the seconds of a query: the first matches, and the results of their games."""
    from archive.columns.duck import duck_query
    from archive.columns.finding import find_first_matches
    from archive.columns.state import ColumnState
    from kifu_core.shogi.patterns import parse

    pattern, state = parse(text), ColumnState(tuple(paths), (), 0)
    began = time.perf_counter()
    with duck_query(600) as query:
        query.table("matches", find_first_matches(query, state, pattern)._asdict())
        query.rows("SELECT result, own, count(*) FROM matches GROUP BY ALL")
    return time.perf_counter() - began


def _scan(paths: list[Path], text: str) -> float:
    """Return the seconds of reading the columns that a query reads."""
    from django.conf import settings

    from archive.columns.duck import memory_database
    from archive.columns.first_matches import contents
    from archive.columns.schema import TYPES
    from archive.columns.segments import parquet_source
    from kifu_core.shogi.patterns import orientations, parse

    source = parquet_source(paths)
    steps = [step for look in orientations(parse(text)) for step in look.steps]
    names = {name for step in steps for name, _ in contents(step)} | {*READ}
    read = ", ".join(f"max({name})" for name in TYPES if name in names)
    began = time.perf_counter()
    with memory_database("256MB", settings.ARCHIVE_PATTERN_THREADS) as database:
        database.execute(f"SELECT {read} FROM {source}").fetchall()
    return time.perf_counter() - began


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return p50 and p99 in milliseconds."""
    return {
        "p50": round(1000 * percentile(seconds, 0.5), 1),
        "p99": round(1000 * percentile(seconds, 0.99), 1),
    }


def _forget(paths: list[Path]) -> None:
    """Have the system drop these files and their runs from its cache."""
    from archive.columns.folder import runs_of

    for path in (*paths, *map(runs_of, paths)):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def positions_of(number: int) -> list[Any]:
    """Return every position of a made-up game."""
    from kifu_core.shogi.position import Position

    position = Position.initial()
    line = [position.copy()]
    for move in population.moves(number):
        position.do_move(move)
        line.append(position.copy())
    return line


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Make the files and query them."""
    with database("sqlite") as folder:
        from django.conf import settings

        settings.ARCHIVE_PATTERN_THREADS, settings.ARCHIVE_PATTERNS_AT_ONCE = options.threads, AT_ONCE
        (folder / "tmp").mkdir(exist_ok=True)
        paths, making = measure_making(folder, options.games)
        for number in range(1, options.copies):
            paths += [_copied(path, number * options.games) for path in paths[: -(-options.games // A_FILE)]]
        making["positions"] = making.pop("rows") * options.copies
        return making | measure_queries(paths, options.games * options.copies, options.rounds)


def _copied(path: Path, slots: int) -> Path:
    """Copy a file with its runs, the games under other slots."""
    from archive.columns.duck import memory_database, sql_literal
    from archive.columns.runs import make_runs

    copy = path.with_name(f"{path.stem}-{slots}.parquet")
    with memory_database("1GB") as database:
        database.execute(
            f"COPY (SELECT * REPLACE (slot + {slots} AS slot) FROM read_parquet({sql_literal(path)})) "
            f"TO {sql_literal(copy)} (FORMAT parquet, COMPRESSION zstd)"
        )
    make_runs(copy)
    return copy


def main() -> None:
    """Print a table, or JSON; exit with 1 if a target is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--games", type=int, default=A_FILE)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    announce(only_json=options.json)
    figures = measure(options)
    if options.json:
        print(as_json(figures))
    else:
        print_table(figures)
    sys.exit(verdict(targets_of(figures["queries"])))


def targets_of(queries: dict[str, Any]) -> Iterator[Target]:
    """Return the targets of each kind of query, one at a time."""
    for kind, row in queries.items():
        for files in ("cold", "warm"):
            for share, bound in TARGETS.items():
                yield Target(f"{kind}, {files}, {share}", row[files][share], bound, " ms")


def print_table(figures: dict[str, Any]) -> None:
    print(
        f"{figures['positions']} positions, {figures['bytes_a_row']} bytes each, and {figures['of_runs']} "
        f"in runs; ms a game {figures['ms_a_game']}"
    )
    for name, row in figures["queries"].items():
        print(f"  {name:<12}" + "".join(f"  {key} {value}" for key, value in row.items()))
    print(f"  {AT_ONCE} at once: {figures['at once']}")


if __name__ == "__main__":
    main()
