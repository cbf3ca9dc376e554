"""Quoridor: time of legal moves in the middle of games, of codes and of keys; games a second into the index.

    python -m benchmarks.quoridor [--games N] [--rounds N] [--json]
    python -m benchmarks.quoridor --index N [--engine sqlite|postgresql] [--json]

Figures are of one run, in processor time, the shortest of rounds that take turns. Games are random
and legal, always the same. Of each game the positions with 8 to 14 walls on the board count as its
middle; legal moves are timed position by position, for the slowest of them too. The peer of the legal
moves floods the board for every wall that finds room; the limit of a key is a bare BLAKE2b of its code.

With `--index` an empty archive takes in so many games, qf_codes in files of 20, with one process, as
`benchmarks.ingest` does with shogi; the limit is the bare insertion of the same rows of the index.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from statistics import median
from typing import Final, TypeVar

from benchmarks import ingest
from benchmarks.support import interpreter
from benchmarks.support.importing import ENGINES, GAMES_A_FILE, empty_archive, take_in
from benchmarks.support.rounds import Round, own, shortest
from benchmarks.support.steps import Steps
from benchmarks.support.targets import Target, verdict
from kifu_core.games import QUORIDOR
from kifu_core.jkf import Record
from kifu_core.quoridor import formats, keys, qf_code
from kifu_core.quoridor.board import VERTICAL, WALL
from kifu_core.quoridor.position import Position
from kifu_core.quoridor.qf_code import Code
from kifu_core.quoridor.rules import fault, legal_moves, pawn_moves
from tests.kifu_core.quoridor.games import positions, random_game

Part = TypeVar("Part")
ROUNDS: Final = 10
SLOWEST: Final = "legal moves, slowest"
TARGET: Final = 1000.0
"""Microseconds that the legal moves of a position in the middle of a game may take."""
_MIDDLE: Final = range(8, 15)
_WALLS: Final = tuple(range(WALL, WALL + 2 * VERTICAL))


def middle_of(seed: int) -> list[Position]:
    """The positions of a game with so many walls that it is in its middle, without won ones."""
    found = [position for position in positions(seed) if position.winner() is None]
    return [one for one in found if 20 - one.walls_left(0) - one.walls_left(1) in _MIDDLE]


def flooding_moves(position: Position) -> list[int]:
    """The peer: the same moves, every wall that finds room tried by flooding the board."""
    return pawn_moves(position) + [wall for wall in _WALLS if fault(position, wall) is None]


def measure_moves(found: list[Position], rounds: int) -> dict[str, float]:
    """Microseconds per position: mean, median and slowest, and the mean of the peer."""
    assert all(legal_moves(position) == flooding_moves(position) for position in found)
    contestants: dict[int, Round] = {
        number: own(legal_moves, [position]) for number, position in enumerate(found)
    }
    times = [seconds * 1e6 for seconds in shortest(contestants, rounds).values()]
    peer = shortest({0: own(flooding_moves, found)}, 2)[0] * 1e6
    return {
        "legal moves, mean": sum(times) / len(times),
        "legal moves, median": median(times),
        SLOWEST: max(times),
        "every wall flooded (peer)": peer / len(times),
    }


def measure_codes(games: list[list[int]], rounds: int) -> dict[str, float]:
    """Microseconds of codes and keys per position, of records per ply."""
    texts = [qf_code.encode(Code(None, tuple(game))) for game in games]
    records = [formats.load(text).games[0].record for text in texts]
    seen = [position for seed in range(len(games)) for position in positions(seed)]
    codes = [keys.display_key(position) for position in seen]
    plies = sum(map(len, games))
    works: dict[str, tuple[int, Round]] = {
        "BLAKE2b of a code (limit)": (len(seen), _own(lambda code: blake2b(code.encode()).digest(), codes)),
        "decode a position": (len(seen), _own(keys.decode, codes)),
        "display key": (len(seen), _own(keys.display_key, seen)),
        "rule key": (len(seen), _own(keys.rule_key, seen)),
        "class": (len(seen), _own(keys.canonical, seen)),
        "class and key": (len(seen), _own(_class_key, seen)),
        "decode a record, per ply": (plies, _own(qf_code.decode, texts)),
        "encode a record, per ply": (plies, _own(_encode, games)),
        "record to all its keys, per ply": (plies, _own(_all_keys, records)),
        "file to record, per ply": (plies, _own(formats.load, texts)),
    }
    times = shortest({name: work for name, (_, work) in works.items()}, rounds)
    return {name: times[name] * 1e6 / count for name, (count, _) in works.items()}


def _own(work: Callable[[Part], object], parts: list[Part], group: int = 20) -> Round:
    """Rounds over some parts at a time, long enough for the clock."""
    groups = [parts[begin : begin + group] for begin in range(0, len(parts), group)]
    return own(lambda some: [work(part) for part in some], groups)


def _encode(game: list[int]) -> str:
    return qf_code.encode(Code(None, tuple(game)))


def _class_key(position: Position) -> int:
    found = keys.canonical(position)
    return keys.key(found.code, found.orientation)


def _all_keys(record: Record) -> list[int]:
    return [keys.key(visit.code, visit.orientation) for visit in QUORIDOR.replay.visits(record)]


def measure_index(engine: str, games: int) -> dict[str, float]:
    """Games a second from files to committed, searchable games, and what that is made of."""
    with empty_archive(engine) as folder:
        files = _write_files(folder / "codes", games)
        began = time.process_time()
        with Steps() as steps:
            seconds = take_in(files, 1)
        busy = time.process_time() - began
        ingest.expect(games, QUORIDOR.name, keys.display_key(Position.initial()))
        rows, bare = ingest.bare_rows()
    told = {"games a second": games / seconds, "bare rows (limit), games a second": games / bare}
    told |= {"rows a game": rows / games, "processor time, ms a game": busy / games * 1e3}
    return told | {f"  {step}, ms a game": part / games * 1e3 for step, part in steps.seconds.items()}


def _write_files(folder: Path, games: int) -> list[str]:
    """Files of games that are all different, a code a line."""
    folder.mkdir()
    paths: list[str] = []
    for first in range(0, games, GAMES_A_FILE):
        seeds = range(first, min(first + GAMES_A_FILE, games))
        codes = [qf_code.encode(Code(None, tuple(random_game(seed)))) for seed in seeds]
        path = folder / f"{first}.qf"
        path.write_text("\n".join(codes))
        paths.append(str(path))
    return paths


def main() -> None:
    """Measure and print; exit with 1 if the target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--index", type=int, default=0, metavar="N", help="take in so many games")
    parser.add_argument("--engine", choices=ENGINES, default="sqlite")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    if options.index:
        _show_index(measure_index(options.engine, options.index), options)
        return
    found = [position for seed in range(options.games) for position in middle_of(seed)]
    figures = measure_moves(found, options.rounds)
    figures |= measure_codes([random_game(seed) for seed in range(options.games)], options.rounds)
    if options.json:
        print(interpreter.as_json({name: round(figure, 3) for name, figure in figures.items()}))
    else:
        _show(figures, found, options.games)
    sys.exit(verdict([Target(SLOWEST, figures[SLOWEST], TARGET, " us")]))


def _show(figures: dict[str, float], found: list[Position], games: int) -> None:
    walls = sum(20 - one.walls_left(0) - one.walls_left(1) for one in found) / len(found)
    print(f"{len(found)} positions in the middle of {games} games, {walls:.1f} walls on the board")
    for name, figure in figures.items():
        target = f"   target {TARGET:.0f}" if name == SLOWEST else ""
        print(f"{name:32} {figure:8.2f} us{target}")


def _show_index(figures: dict[str, float], options: argparse.Namespace) -> None:
    if options.json:
        print(interpreter.as_json({name: round(figure, 3) for name, figure in figures.items()}))
        return
    print(f"{options.engine}: {options.index} games of Quoridor, one process")
    for name, figure in figures.items():
        print(f"{name:44}{figure:9.2f}")


if __name__ == "__main__":
    main()
