"""Time per ply from record text to complete JKF, to its JSON text and to position keys, compared with peers.

    python -m benchmarks.parse [--rounds N] [--peers FOLDER] [--json]
        [--beside CHECKOUT ...] [--beside-target RATIO]

The games are the 15 real and 60 random ones of the golden files beside the checkout. `--peers` (or
`KIFU_PEERS`) is a folder with `node_modules` that has json-kifu-format and tsshogi; rsshogi takes part where
Python finds it (`PYTHONPATH`). Without them only our own rows are printed.

`--beside` names another checkout of this project, such as an older commit; repeat it for several checkouts.
Each of them, and this one once more, reads the games in a process of its own. `ratio` is our time for the
record over theirs; `--beside-target` is the most that it may be.

All take turns, round by round, and of each game the shortest time counts (`support.shortest`). Compare
ratios: times on a shared machine mean little.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import kifu_core
from benchmarks import keys
from benchmarks.support import Round, Target, announce, as_json, options_of, own, shortest, verdict
from kifu_core import dump, load
from kifu_core.shogi.replay import packed_move, start
from tests.shared import GOLDEN

FORMATS = ("kif", "ki2", "csa")
FILES = ("xformat.jsonl", "random.jsonl")
OURS = "kifu_core"
ROOT = Path(kifu_core.__file__).resolve().parents[1]
"""The checkout, or the folder of its compiled library."""
NODE_SCRIPT = Path(__file__).with_name("peers.mjs")
CHECKOUT_SCRIPT = Path(__file__).with_name("checkout.py")
TARGETS = {
    ("json-kifu-format", "kif"): 2.6,
    ("json-kifu-format", "ki2"): 2.3,
    ("json-kifu-format", "csa"): 1.8,
    **{("rsshogi", file_format): 1.0 for file_format in FORMATS},
}
"""How many times as fast as a peer we want to be: to the record, or to the text if that is all it gives."""


Texts = Mapping[str, Sequence[str]]
"""The texts of the games by format."""


class Contestant(NamedTuple):
    """A library with a format: the plies of the games it reads, and rounds to the record and to its JSON."""

    library: str
    format: str
    plies: int
    record: Round | None
    text: Round


@dataclass(frozen=True, slots=True)
class Comparison:
    """Microseconds per ply of one library for one format, to the record and to its JSON text.

    `faster` are how many times as fast we are in either; None where there is nothing to compare.
    """

    library: str
    format: str
    plies: int
    record: float | None
    text: float
    faster_record: float | None
    faster_text: float
    target: float | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Our time to the record over that of another checkout, and both times in microseconds per ply."""

    checkout: str
    format: str
    theirs: float
    ours: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The rows of all libraries and checkouts, and microseconds per ply from a replay to keys."""

    rows: list[Comparison]
    keys: dict[str, float]
    beside: list[Ratio]


def golden_texts() -> Texts:
    """Return the games of the golden files by format."""
    lines = [line for name in FILES for line in (GOLDEN / "jkf" / name).read_text("utf-8").splitlines()]
    games = [json.loads(line) for line in lines]
    return {file_format: [game[file_format] for game in games] for file_format in FORMATS}


# --- the contestants -------------------------------------------------------------------------------------


def ours(texts: Texts) -> Iterator[Contestant]:
    """Yield this library for each format."""

    def to_text(text: str) -> str:
        return dump(load(text).games[0].record, "jkf")

    for file_format in FORMATS:
        games = texts[file_format]
        plies = sum(len(load(text).games[0].record["moves"]) - 1 for text in games)
        yield Contestant(OURS, file_format, plies, own(load, games), own(to_text, games))


@contextmanager
def node(folder: str | None, texts: Texts) -> Iterator[list[Contestant]]:
    """Yield json-kifu-format and tsshogi from a folder with `node_modules`; nothing without Node.js."""
    program = shutil.which("node")
    if program is None or not folder or not (Path(folder) / "node_modules").is_dir():
        yield []
        return
    with _peer_process([program, str(NODE_SCRIPT), folder], texts) as (process, rows):
        yield [
            Contestant(
                row["library"],
                row["format"],
                row["plies"],
                _remote_round(process, [row["library"], row["format"], False], 1e-6),
                _remote_round(process, [row["library"], row["format"], True], 1e-6),
            )
            for row in rows
        ]


@contextmanager
def checkout(folder: Path, texts: Texts) -> Iterator[dict[str, tuple[int, Round]]]:
    """Yield the plies by format of a checkout of this project, and its rounds to the record."""
    # -B leaves the checkout as it is.
    command = [sys.executable, "-B", str(CHECKOUT_SCRIPT), str(folder.resolve())]
    with _peer_process(command, texts) as (process, rows):
        yield {row["format"]: (row["plies"], _remote_round(process, row["format"], 1.0)) for row in rows}


@contextmanager
def _peer_process(
    command: Sequence[str], texts: Texts
) -> Iterator[tuple[subprocess.Popen[str], list[dict[str, Any]]]]:
    """Start a process that answers rounds; yield it with its rows, one per format that it reads."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        _write(process, texts)
        yield process, list(iter(lambda: _read(process), None))


def _remote_round(process: subprocess.Popen[str], request: object, unit: float) -> Round:
    """Return a round in the other process, whose answers are in units of so many seconds."""

    def timed() -> list[float]:
        _write(process, request)
        return [time * unit for time in _read(process)]

    return timed


def _write(process: subprocess.Popen[str], value: object) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(value) + "\n")
    process.stdin.flush()


def _read(process: subprocess.Popen[str]) -> Any:
    """Return the next line of the answer; None after the last row, before the rounds."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("a contestant has stopped; see above")
    return json.loads(line)


def rsshogi(texts: Texts) -> list[Contestant]:
    """Return rsshogi, which gives the record only as JSON text; nothing where it is not installed."""
    try:
        record = importlib.import_module("rsshogi.record").Record
    except ImportError:
        return []
    readers = {"kif": record.from_kif_str, "ki2": record.from_ki2_str, "csa": record.from_csa_str}
    return [_rust(file_format, read, texts[file_format]) for file_format, read in readers.items()]


def _rust(file_format: str, read: Callable[[str], Any], texts: Sequence[str]) -> Contestant:
    plies = sum(len(json.loads(read(text).to_jkf())["moves"]) - 1 for text in texts)
    return Contestant("rsshogi", file_format, plies, None, own(lambda text: read(text).to_jkf(), texts))


# --- the measurement -------------------------------------------------------------------------------------


def rows_of(
    contestants: Iterable[Contestant], seconds: Mapping[tuple[str, str, str], float]
) -> list[Comparison]:
    """Return the rows of the table from the shortest rounds."""
    records: dict[str, float] = {}
    texts: dict[str, float] = {}
    rows = []
    for library, file_format, plies, record, _ in contestants:
        to_text = seconds[library, file_format, "text"] * 1e6 / plies
        to_record = seconds[library, file_format, "record"] * 1e6 / plies if record else None
        if library == OURS:
            assert to_record is not None
            records[file_format], texts[file_format] = to_record, to_text
        faster = to_record / records[file_format] if to_record else None
        target = TARGETS.get((library, file_format))
        faster_text = to_text / texts[file_format]
        rows.append(Comparison(library, file_format, plies, to_record, to_text, faster, faster_text, target))
    return rows


def key_games(texts: Sequence[str]) -> list[keys.GameMoves]:
    """Return the same games for the benchmark of keys."""
    records = [load(text).games[0].record for text in texts]
    return [
        keys.GameMoves(
            start(record), [packed_move(entry["move"]) for entry in record["moves"] if "move" in entry]
        )
        for record in records
    ]


def measure(folder: str | None, checkouts: Sequence[Path], rounds: int) -> Figures:
    """Time all libraries, the keys and the checkouts, in turn."""
    texts = golden_texts()
    games = key_games(texts["csa"])
    with ExitStack() as processes:
        node_peers = processes.enter_context(node(folder, texts))
        paths = [ROOT, *checkouts] if checkouts else []
        checkout_rounds = [processes.enter_context(checkout(path, texts)) for path in paths]
        contestants = [*ours(texts), *node_peers, *rsshogi(texts)]
        works: dict[tuple[str, str, str], Round] = {
            ("keys", "", name): own(work, games) for name, work in keys.FOLLOWING.items()
        }
        for library, file_format, _, record, text in contestants:
            works[library, file_format, "text"] = text
            if record is not None:
                works[library, file_format, "record"] = record
        for number, formats in enumerate(checkout_rounds):
            for file_format, (_, record) in formats.items():
                works["checkout", file_format, str(number)] = record
        seconds = shortest(works, rounds)
    count = sum(len(game.moves) for game in games)
    following = {name: time * 1e6 / count for (kind, _, name), time in seconds.items() if kind == "keys"}
    times = [
        {
            file_format: seconds["checkout", file_format, str(number)] * 1e6 / plies
            for file_format, (plies, _) in formats.items()
        }
        for number, formats in enumerate(checkout_rounds)
    ]
    return Figures(rows_of(contestants, seconds), following, ratio_rows(checkouts, times))


def ratio_rows(checkouts: Sequence[Path], times: Sequence[Mapping[str, float]]) -> list[Ratio]:
    """Compare other checkouts with this one, whose times by format come first in `times`."""
    return [
        Ratio(str(checkout), file_format, time, times[0][file_format], times[0][file_format] / time)
        for checkout, theirs in zip(checkouts, times[1:], strict=True)
        for file_format, time in theirs.items()
    ]


def targets_of(figures: Figures, ratio: float | None = None) -> Iterator[Target]:
    """Yield the targets for peers and keys; with a ratio, also for other checkouts."""
    rows = {(row.library, row.format): row for row in figures.rows}
    for (library, file_format), bound in TARGETS.items():
        row = rows.get((library, file_format))
        faster = None if row is None else row.faster_record or row.faster_text
        yield Target(f"{file_format}: as fast as {library}", faster, bound, " times", least=True)
    yield from keys.targets_of(figures.keys)
    if ratio is not None:
        for one in figures.beside:
            yield Target(f"{one.format}: time over that of {one.checkout}", one.ratio, ratio)


def table(rows: Sequence[Comparison]) -> str:
    """Return the rows as a table; the last columns are how many times as fast we are, and the target."""
    heads = f"{'we are':>9}{'to text':>9}{'target':>8}"
    lines = [f"{'microseconds/ply':<18}{'format':<8}{'record':>8}{'to text':>9}{heads}"]
    for row in rows:
        record = "-" if row.record is None else f"{row.record:.2f}"
        line = f"{row.library:<18}{row.format:<8}{record:>8}{row.text:>9.2f}"
        if row.library != OURS:
            faster = "-" if row.faster_record is None else f"{row.faster_record:.2f}x"
            line += f"{faster:>9}{row.faster_text:>8.2f}x"
        if row.target is not None:
            line += f"{row.target:>7.1f}x"
        lines.append(line)
    return "\n".join(lines)


def key_table(following: Mapping[str, float]) -> str:
    """Return the times of the keys as a table, with their targets."""
    lines = [f"{'microseconds/ply, moves included':<43}{'target':>8}"]
    for name, time in following.items():
        target = f"{keys.TARGETS[name]:8.1f}" if name in keys.TARGETS else ""
        lines.append(f"{name:<34}{time:9.2f}{target}")
    return "\n".join(lines)


def ratio_table(rows: Sequence[Ratio], target: float | None) -> str:
    """Return the ratios to other checkouts as a table, with their target."""
    lines = [
        f"{'record, microseconds/ply':<34}{'format':<8}{'theirs':>8}{'ours':>8}{'ratio':>8}{'target':>8}"
    ]
    for row in rows:
        figures = f"{row.theirs:>8.2f}{row.ours:>8.2f}{row.ratio:>8.3f}"
        bound = "" if target is None else f"{target:>8g}"
        lines.append(f"{row.checkout:<34}{row.format:<8}{figures}{bound}")
    return "\n".join(lines)


def main() -> None:
    """Measure and print; exit with 1 if a target is missed."""
    options = options_of(__doc__)
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--peers", default=os.environ.get("KIFU_PEERS"))
    options.add_argument("--beside", type=Path, action="append", default=[], metavar="CHECKOUT")
    options.add_argument("--beside-target", type=float, metavar="RATIO", help="at most, to the record")
    chosen = options.parse_args()
    for folder in chosen.beside:
        if not (folder / "kifu_core").is_dir():
            options.error(f"{folder} has no kifu_core")
    announce(only_json=chosen.json)
    if not GOLDEN.is_dir():
        options.exit(1, "the golden files are not beside this checkout\n")
    figures = measure(chosen.peers, chosen.beside, chosen.rounds)
    if chosen.json:
        print(as_json(asdict(figures)))
    else:
        tables = [table(figures.rows), key_table(figures.keys)]
        if figures.beside:
            tables.append(ratio_table(figures.beside, chosen.beside_target))
        print(*tables, sep="\n\n")
    sys.exit(verdict(targets_of(figures, chosen.beside_target)))


if __name__ == "__main__":
    main()
