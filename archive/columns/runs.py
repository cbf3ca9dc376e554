"""The runs of a file of positions: the same columns in the form for pattern searches.

Adjacent rows differ in about two squares, so a column is stored by the rows where it changes: a search reads
a few thousand numbers for a column of a hundred thousand rows. A file of runs is next to its Parquet file. It
is mapped into memory, and only the columns of a pattern are read.

It begins with `MAGIC` and the sizes of its arrays, eight bytes each; the arrays follow in native byte order,
in the order of `_TYPES`, aligned to eight bytes. It can be made from the Parquet file at any time, always
with the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from archive.columns.duck import memory_database, sql_literal
from archive.columns.folder import atomic_file, runs_of
from archive.columns.positions import UNKNOWN
from archive.columns.schema import CONTENTS, SQUARES
from archive.columns.spans import Rows, Spans
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.moves import DROP

MAGIC: Final = b"KIFURUNS"

_AT_ONCE: Final = 16
"""Columns of a Parquet file that are read at a time."""

_Kind = type[np.generic]
_OF_GAMES: Final[dict[str, _Kind]] = {
    "slot": np.int32,
    "first": np.int32,
    "result": np.int8,
    "played": np.int32,
}
_OF_LINES: Final[dict[str, _Kind]] = {
    "first": np.int32,
    "ply": np.int16,
    "game": np.int32,
    "fork": np.bool_,
    "turn": np.int8,
}
_NAMED: Final = ("slot", "node", "ply", "fork", "turn", "move", "result", "played")

_TYPES: Final[tuple[_Kind, ...]] = (
    *_OF_GAMES.values(),
    *_OF_LINES.values(),
    np.uint16,
    np.int8,
    *(np.int32, np.int8) * len(CONTENTS),
)
"""The types of the arrays of a file: of games, lines, moves, moved kinds, and the runs of columns."""

_LINES: Final = len(_OF_GAMES)
_MOVES: Final = _LINES + len(_OF_LINES)
_COLUMNS: Final = _MOVES + 2
"""The numbers of the first arrays of lines, of moves and of columns."""

_SIZES: Final = np.array([np.dtype(kind).itemsize for kind in _TYPES])
_NUMBERS: Final = {name: number for number, name in enumerate(CONTENTS)}
_ALIGNED: Final = 8

Column = NDArray[np.generic]


class Runs:
    """The runs of a file. `games` and `lines` are in the order of their rows. A game has its slot, its
    `first` row, its result and its day (`UNKNOWN` for none); a line its first row with ply and turn, the
    number of its game, and whether it is a fork. Two adjacent forks that are continuous in ply and turn may
    be one line. By row: the packed move, and the kind of the moved piece, 0 for none.

    The file stays mapped, and so on disk even after its deletion, as long as one of its arrays is used.
    """

    def __init__(self, path: Path) -> None:
        """Open the runs of a Parquet file. Raises FileNotFoundError."""
        path = runs_of(path)
        with path.open("rb") as file:
            self._raw = mmap(file.fileno(), 0, access=ACCESS_READ)
        if self._raw[: len(MAGIC)] != MAGIC:
            raise ValueError(f"{path} has no runs")
        self._counts = np.frombuffer(self._raw, np.int64, len(_TYPES), len(MAGIC))
        sizes = self._counts * _SIZES
        ends = np.cumsum(sizes + -sizes % _ALIGNED)
        self._places = len(MAGIC) + self._counts.nbytes + np.append(0, ends)
        if self._places[-1] != len(self._raw):
            raise ValueError(f"{path} is cut")
        self.games = {name: self._array(number) for number, name in enumerate(_OF_GAMES)}
        self.lines = {name: self._array(_LINES + number) for number, name in enumerate(_OF_LINES)}
        self.moves, self.moved = self._array(_MOVES), self._array(_MOVES + 1)

    def __len__(self) -> int:
        return len(self.moves)

    def _array(self, number: int) -> NDArray[Any]:
        place, count = int(self._places[number]), int(self._counts[number])
        return np.frombuffer(self._raw, _TYPES[number], count, place)

    def column(self, name: str) -> tuple[Rows, NDArray[np.int8]]:
        """Return the first rows of a column's runs, followed by the number of all rows; and the runs'
        values."""
        number = _COLUMNS + 2 * _NUMBERS[name]
        return self._array(number), self._array(number + 1)

    def line_spans(self, chosen: NDArray[np.bool_]) -> Spans:
        """Return the rows of some lines."""
        first = self.lines["first"]
        return Spans(first, np.append(first[1:], np.int32(len(self)))).among(chosen)

    def sizes_of(self, slots: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the numbers of rows of games of this file."""
        ends = np.append(self.games["first"], np.int32(len(self)))
        game = np.searchsorted(self.games["slot"], slots)
        sizes: NDArray[np.int32] = ends[game + 1] - ends[game]
        return sizes


def write_runs(columns: Mapping[str, Column], path: Path) -> None:
    """Write the runs of the columns of a Parquet file, as `Positions.columns` gives them, beside it."""
    row_columns = {name: columns[name] for name in _NAMED}
    _write(row_columns, lambda names: {name: columns[name] for name in names}, runs_of(path))


def are_runs_right(path: Path) -> bool:
    """Return whether the runs of a Parquet file are right, or missing."""
    try:
        stored = runs_of(path).read_bytes()
    except FileNotFoundError:
        return True
    with TemporaryDirectory(dir=settings.DATA_DIR / "tmp") as folder:
        expected = Path(folder) / "made"
        _make(path, expected)
        return expected.read_bytes() == stored


def make_runs(path: Path) -> None:
    """Write the runs of a Parquet file beside it."""
    _make(path, runs_of(path))


def _make(path: Path, runs: Path) -> None:
    with memory_database("512MB") as database:

        def read(columns: str) -> dict[str, Any]:
            return database.execute(f"SELECT {columns} FROM read_parquet({sql_literal(path)})").fetchnumpy()

        with_nulls = {name: f"coalesce({name}, {UNKNOWN}) AS {name}" for name in ("result", "played")}
        _write(
            read(", ".join(with_nulls.get(name, name) for name in _NAMED)),
            lambda names: read(", ".join(names)),
            runs,
        )


def join_runs(paths: Sequence[Path], path: Path) -> None:
    """Write the runs of a Parquet file that is the concatenation of others in order of slots: the same as
    `make_runs`, without reading rows. Raises FileNotFoundError if one of them has no runs."""
    parts = [Runs(one) for one in paths]
    games = [len(one.games["slot"]) for one in parts]
    rows, numbers = (list(accumulate(sizes, initial=0)) for sizes in ([*map(len, parts)], games))

    def joined(tables: Sequence[Mapping[str, NDArray[Any]]], name: str) -> NDArray[Any]:
        offsets = {"first": rows, "game": numbers}.get(name)
        columns = [table[name] for table in tables]
        if offsets is not None:
            columns = [column + np.int32(by) for column, by in zip(columns, offsets, strict=False)]
        return np.concatenate(columns)

    arrays = [joined([one.games for one in parts], name) for name in _OF_GAMES]
    arrays += [joined([one.lines for one in parts], name) for name in _OF_LINES]
    arrays += [np.concatenate([one.moves for one in parts]), np.concatenate([one.moved for one in parts])]
    for name in CONTENTS:
        arrays += _joined_runs([one.column(name) for one in parts], rows)
    _save(arrays, runs_of(path))


def _joined_runs(
    parts: Sequence[tuple[Rows, NDArray[np.int8]]], rows: Sequence[int]
) -> tuple[Column, Column]:
    """Return the runs of concatenated columns, each from one of `rows` on."""
    first = np.concatenate([starts[:-1] + np.int32(by) for (starts, _), by in zip(parts, rows, strict=False)])
    values = np.concatenate([held for _, held in parts])
    begins = np.append(True, values[1:] != values[:-1])
    return np.append(first[begins], np.int32(rows[-1])), values[begins]


Read = Callable[[tuple[str, ...]], Mapping[str, Column]]


def _write(row_columns: Mapping[str, Column], read: Read, path: Path) -> None:
    moves = np.asarray(row_columns["move"], np.uint16)
    games, lines = _games(row_columns), _lines(row_columns)
    # The rows by origin, so that no square has to be searched in all of them.
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
    _save(arrays, path)


def _save(arrays: Iterable[Column], path: Path) -> None:
    """Write arrays in the order of `_TYPES` as a file, which gets its name when it is complete."""
    arrays = [np.ascontiguousarray(one, kind) for one, kind in zip(arrays, _TYPES, strict=True)]
    with atomic_file(path) as made, made.open("wb") as file:
        file.write(MAGIC)
        file.write(np.array([len(one) for one in arrays], np.int64).tobytes())
        for one in arrays:
            file.write(one.tobytes())
            file.write(bytes(-one.nbytes % _ALIGNED))


def _games(row_columns: Mapping[str, Column]) -> dict[str, Column]:
    slot = np.asarray(row_columns["slot"])
    first = _begins(slot[1:] != slot[:-1])
    of_rows: dict[str, Column] = {
        "slot": slot,
        "result": row_columns["result"],
        "played": row_columns["played"],
    }
    return {
        name: first if name == "first" else np.asarray(of_rows[name], kind)[first]
        for name, kind in _OF_GAMES.items()
    }


def _lines(row_columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of lines: a row begins a line unless it continues the row before it."""
    slot, ply, turn = (np.asarray(row_columns[name], np.int32) for name in ("slot", "ply", "turn"))
    fork = np.asarray(row_columns["fork"], np.bool_)
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
