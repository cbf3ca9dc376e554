"""The runs of a file of positions: the same columns once more, in the form in which patterns are sought.

Neighbouring rows differ in two squares or so, so a column is told by the rows where it changes: a search
reads a few thousand numbers for a column where there are a hundred thousand rows. A file of runs lies beside
its Parquet file. It is mapped into memory, and only the columns that a pattern names are read.

It begins with `MAGIC` and the numbers of elements of its arrays, eight bytes each; the arrays follow as the
processor has them, in the order of `_layout`, each from a place that eight divides. It is made from the
Parquet file whenever it is missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from archive.columns.positions import UNKNOWN
from archive.columns.schema import CONTENTS, SQUARES
from archive.columns.spans import Rows, Spans
from archive.duck import bounded, literal
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.moves import DROP

SUFFIX: Final = ".runs"
MAGIC: Final = b"KIFURUN1"

_AT_ONCE: Final = 16
"""Columns of a Parquet file that are read at once."""

_OF_GAMES: Final = {"slot": np.int32, "first": np.int32, "result": np.int8, "played": np.int32}
_OF_LINES: Final = {"first": np.int32, "ply": np.int16, "game": np.int32, "fork": np.bool_, "turn": np.int8}
_NAMED: Final = ("slot", "node", "ply", "fork", "turn", "move", "result", "played")

Column = NDArray[np.generic]


def runs_of(path: Path) -> Path:
    """Return where the runs of a Parquet file lie."""
    return path.with_suffix(SUFFIX)


class Runs:
    """The runs of a file. `games` and `lines` are told in the order of their rows: of a game its slot, its
    `first` row, its result and its day (`UNKNOWN` for none); of a line its first row and the ply, the game by
    number, whether it is a fork, and whose turn it is there. Two forks that follow each other without a step
    in ply or turn may be told as one line. By row: the packed move, and the kind of the piece that it moves,
    0 for none."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            raw = np.memmap(file, np.uint8, "r")
        if bytes(raw[: len(MAGIC)]) != MAGIC:
            raise ValueError(f"{path} has no runs")
        arrays = iter(_arrays(raw))
        self.games = {name: next(arrays) for name in _OF_GAMES}
        self.lines = {name: next(arrays) for name in _OF_LINES}
        self.moves, self.moved = next(arrays), next(arrays)
        self._columns = {name: (next(arrays), next(arrays)) for name in CONTENTS}

    def __len__(self) -> int:
        return len(self.moves)

    def column(self, name: str) -> tuple[Rows, NDArray[np.int8]]:
        """Return the first rows of a column's runs, then the number of all rows, and what each run holds."""
        return self._columns[name]

    def line_spans(self, chosen: NDArray[np.bool_]) -> Spans:
        """Return the rows of some lines."""
        first = self.lines["first"]
        return Spans(first, np.append(first[1:], np.int32(len(self)))).among(chosen)


@lru_cache(maxsize=1024)
def opened(path: Path) -> Runs:
    """Return the runs of a Parquet file, which never change. Raises FileNotFoundError."""
    return Runs(runs_of(path))


def write_runs(columns: Mapping[str, Column], path: Path) -> None:
    """Write the runs of the columns of a Parquet file, as `Positions.columns` gives them, beside it."""
    told = {name: columns[name] for name in _NAMED}
    _write(told, lambda names: {name: columns[name] for name in names}, runs_of(path))


def make_runs(path: Path) -> None:
    """Write the runs of a Parquet file beside it."""
    with bounded("512MB") as database:

        def read(columns: str) -> dict[str, Any]:
            return database.execute(f"SELECT {columns} FROM read_parquet({literal(path)})").fetchnumpy()

        known = {name: f"coalesce({name}, {UNKNOWN}) AS {name}" for name in ("result", "played")}
        _write(
            read(", ".join(known.get(name, name) for name in _NAMED)),
            lambda names: read(", ".join(names)),
            runs_of(path),
        )


Read = Callable[[tuple[str, ...]], Mapping[str, Column]]


def _write(told: Mapping[str, Column], read: Read, path: Path) -> None:
    moves = np.asarray(told["move"], np.uint16)
    games, lines = _games(told), _lines(told)
    # The rows by what they leave: no square is looked for in all of them.
    leaving = np.argsort(moves >> 8, kind="stable")
    bounds = np.searchsorted(moves[leaving] >> 8, np.arange(len(SQUARES) + 1))
    kinds = np.where(moves >> 8 > DROP, (moves >> 8) - DROP, 0).astype(np.int8)
    arrays: list[Column] = [*games.values(), *lines.values(), moves, kinds]
    for begin in range(0, len(CONTENTS), _AT_ONCE):
        names = CONTENTS[begin : begin + _AT_ONCE]
        for name, column in read(names).items():
            values = np.asarray(column, np.int8)
            if name in SQUARES:
                square = SQUARES.index(name)
                rows = leaving[bounds[square] : bounds[square + 1]]
                kinds[rows] = np.where(moves[rows] != NO_MOVE, np.abs(values[rows]), 0)
            arrays += _runs(values)
    made = path.with_suffix(".new-runs")
    try:
        with made.open("wb") as file:
            file.write(MAGIC)
            file.write(np.array([len(one) for one in arrays], np.int64).tobytes())
            for one in arrays:
                file.write(np.ascontiguousarray(one).tobytes())
                file.write(bytes(-one.nbytes % 8))
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)


def _games(told: Mapping[str, Column]) -> dict[str, Column]:
    slot = np.asarray(told["slot"])
    first = _begins(slot[1:] != slot[:-1])
    of_rows: dict[str, Column] = {"slot": slot, "result": told["result"], "played": told["played"]}
    return {
        name: first if name == "first" else np.asarray(of_rows[name], kind)[first]
        for name, kind in _OF_GAMES.items()
    }


def _lines(told: Mapping[str, Column]) -> dict[str, Column]:
    """Return what there is to tell of lines: a row begins one that does not go on where the one before it
    stops."""
    slot, ply, turn = (np.asarray(told[name], np.int32) for name in ("slot", "ply", "turn"))
    fork = np.asarray(told["fork"], np.bool_)
    goes_on = (
        (slot[1:] == slot[:-1])
        & (ply[1:] == ply[:-1] + 1)
        & (fork[1:] == fork[:-1])
        & (turn[1:] != turn[:-1])
    )
    first = _begins(~goes_on)
    game = np.cumsum(np.append(True, slot[1:] != slot[:-1])) - 1
    of_rows: dict[str, Column] = {"ply": ply, "game": game, "fork": fork, "turn": turn}
    return {
        name: first if name == "first" else of_rows[name][first].astype(kind)
        for name, kind in _OF_LINES.items()
    }


def _runs(values: NDArray[np.int8]) -> tuple[Column, Column]:
    first = _begins(values[1:] != values[:-1])
    return np.append(first, np.int32(len(values))), values[first]


def _begins(changed: NDArray[np.bool_]) -> Rows:
    """Return the numbers of rows that differ from the row before, and of the first one."""
    return np.append(0, np.flatnonzero(changed) + 1).astype(np.int32)


def _arrays(raw: NDArray[np.uint8]) -> list[NDArray[Any]]:
    kinds = _layout()
    place = len(MAGIC) + 8 * len(kinds)
    counts = raw[len(MAGIC) : place].view(np.int64).tolist()
    found = []
    for kind, count in zip(kinds, counts, strict=True):
        size = count * np.dtype(kind).itemsize
        found.append(raw[place : place + size].view(kind))
        place += size + -size % 8
    if place != len(raw):
        raise ValueError("a file of runs is cut")
    return found


def _layout() -> list[type[np.generic]]:
    """Return the types of the arrays, in their order."""
    columns = [np.int32, np.int8] * len(CONTENTS)
    return [*_OF_GAMES.values(), *_OF_LINES.values(), np.uint16, np.int8, *columns]
