"""From records to columns: the positions of games, gathered row by row and turned into columns at the end.

What stands in a position is kept as a byte a column, and a move changes a few of them, so a position costs a
copy of 123 bytes. Lines tell the rest of their rows at once. numpy makes the columns of both.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from archive.columns.schema import CONTENTS, COUNTS, HANDS, OF_GAME
from kifu_core.jkf import Record
from kifu_core.lines import NO_MOVE, fork_path
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.pieces import IN_HAND
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import can_play, packed_move, start

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NODES: Final = 30_000
"""Positions of a game that have rows: its numbers have 15 bits."""

UNKNOWN: Final = -1
"""What stands for a number that a game does not have; no day and no rating is that."""

_BYTE: Final = 0xFF
_PLACES: Final = {name: place for place, name in enumerate(CONTENTS)}
_HAND_OF: Final = {-kind if color else kind: _PLACES[name] for (color, kind), name in HANDS.items()}
_COUNT_OF: Final = {-kind if color else kind: _PLACES[name] for (color, kind), name in COUNTS.items()}
"""By signed piece: the columns that count it in its owner's hand, and on the board."""

_NUMPY: Final = {"TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64"}
"""The types of the schema as numpy names them."""

_BLOCK: Final = 1024
"""Rows that are turned into columns at once."""

_TURNED_AT: Final = 64 * _BLOCK * len(CONTENTS)
"""Bytes of rows that are turned before more come: columns take as much again, if they are made at once."""


class OfGame(NamedTuple):
    """What the rows of a game tell of it; `UNKNOWN` for what is not known."""

    slot: int
    result: int = UNKNOWN
    played: int = UNKNOWN
    black_rating: int = UNKNOWN
    white_rating: int = UNKNOWN
    kind: int = 0
    game: int = UNKNOWN


class _Line(NamedTuple):
    """A line that is still to be gone through: its entries, where it begins, what stands there, the ply of
    its first row, and the number of the row that a fork leaves, -1 for the main line."""

    entries: list[Any]
    position: Position
    contents: bytearray
    ply: int
    parent: int


class _Rows(NamedTuple):
    """The rows of a line: how many, and of the first its number in the game, its ply and who moves there."""

    size: int
    node: int
    ply: int
    turn: int
    fork: bool


class Positions:
    """The positions of games, in the order in which these are added."""

    def __init__(self) -> None:
        self.games: list[OfGame] = []
        self.sizes = array("i")
        self.lines: list[_Rows] = []
        self.contents = bytearray()
        """Of the rows that are not turned into columns yet, row by row."""
        self.turned: dict[str, list[NDArray[np.int8]]] = {name: [] for name in CONTENTS}
        self.moves = array("i")
        self.lasts = array("h")

    def __len__(self) -> int:
        return len(self.moves)

    def add(self, game: OfGame, record: Record) -> None:
        """Add the positions of a game, each followed by all that come after it: first its own line to the
        end, then the forks, those that leave latest first. Linear in them."""
        begin, parents = start(record), array("i")
        lines = [_Line(record["moves"][1:], begin, _contents(begin), 0, -1)]
        while lines and len(parents) < MOST_NODES:
            self._walk(lines.pop(), parents, lines)
        rows = len(parents)
        self.games.append(game)
        self.sizes.append(rows)
        self.lasts += array("h", [rows - 1]) * rows if self.lines[-1].size == rows else _lasts(parents)
        if len(self.contents) >= _TURNED_AT:
            self._turn()

    def _walk(self, line: _Line, parents: array[int], lines: list[_Line]) -> None:
        """Add the rows of a line, to `parents` the number of the row before each, to `lines` the forks.

        A fork's first row is what stands after its first move.
        """
        entries, position, contents, ply, parent = line
        fork, node, turn, gathered = parent >= 0, len(parents), position.turn, self.contents
        led, room = list[int](), MOST_NODES - node
        if not fork:
            led.append(NO_MOVE)
            gathered += contents
        for entry in entries:
            if "forks" in entry:
                at = node + len(led) - 1 if led else parent
                for other in entry["forks"]:
                    lines.append(_Line(other, position.copy(), contents[:], ply + len(led), at))
            if "move" not in entry:
                continue
            move = packed_move(entry["move"])
            if not can_play(position, move) or len(led) == room:
                break
            _play(position, contents, move)
            gathered += contents
            led.append(move)
        if led:
            parents.extend((parent, *range(node, node + len(led) - 1)))
            self.moves.extend((*led[1:], NO_MOVE))
            self.lines.append(_Rows(len(led), node, ply, turn ^ fork, fork))

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the columns by name, in the order of `schema.TYPES`."""
        import numpy as np

        sizes = np.frombuffer(self.sizes, np.int32)
        games = np.array(self.games, np.int64).reshape(-1, len(OF_GAME) + 1)
        lines = np.array(self.lines, np.int32).reshape(-1, len(_Rows._fields))
        _, nodes, plies, turns, forks = np.repeat(lines, lines[:, 0], axis=0).T
        along = np.arange(len(self), dtype=np.int32) - np.repeat(
            np.cumsum(lines[:, 0]) - lines[:, 0], lines[:, 0]
        )
        found: dict[str, NDArray[np.generic]] = {
            "slot": np.repeat(games[:, 0].astype(np.int32), sizes),
            "node": (nodes + along).astype(np.int16),
            "last": np.frombuffer(self.lasts, np.int16),
            "ply": (plies + along).astype(np.int16),
            "fork": forks.astype(np.bool_),
            "turn": (turns ^ along & 1).astype(np.int8),
            "move": np.frombuffer(self.moves, np.int32),
        }
        for number, (name, kind) in enumerate(OF_GAME.items(), 1):
            found[name] = np.repeat(games[:, number].astype(_NUMPY[kind]), sizes)
        self._turn()
        for name, parts in self.turned.items():
            # The parts go one column after the other, so that not all of them are there twice.
            parts[:] = [np.concatenate(parts)]
            found[name] = parts[0]
        return found

    def _turn(self) -> None:
        """Turn the rows there are into columns, a block after the other: what a block takes and gives stays
        near the processor."""
        import numpy as np

        rows = np.frombuffer(self.contents, np.int8).reshape(-1, len(CONTENTS))
        found = np.empty((len(CONTENTS), len(rows)), np.int8)
        for first in range(0, len(rows), _BLOCK):
            found[:, first : first + _BLOCK] = rows[first : first + _BLOCK].T
        for parts, column in zip(self.turned.values(), found, strict=True):
            parts.append(column.copy())
        self.contents = bytearray()


def _lasts(parents: array[int]) -> array[int]:
    """Return for each position of a game the last that comes after it."""
    lasts = array("h", range(len(parents)))
    for number in range(len(parents) - 1, 0, -1):
        parent = parents[number]
        lasts[parent] = max(lasts[parent], lasts[number])
    return lasts


def line_of(record: Record, node: int) -> str:
    """Return the path of the line on which the position of a number stands, as `fork_path` makes them: empty
    for the main line, and for a number that the record does not have. Linear in the number."""
    number = 0
    lines = [("", record["moves"][1:], start(record), 0)]
    while lines and node:
        path, entries, position, ply = lines.pop()
        for entry in entries:
            for fork, other in enumerate(entry.get("forks", ())):
                lines.append((fork_path(path, ply + 1, fork), other, position.copy(), ply))
            if "move" not in entry:
                continue
            move = packed_move(entry["move"])
            if not can_play(position, move):
                break
            position.do_move(move)
            ply, number = ply + 1, number + 1
            if number == node:
                return path
    return ""


def _contents(position: Position) -> bytearray:
    contents = bytearray(array("b", position.board).tobytes())
    contents += bytes(position.hands[color][kind] for color, kind in HANDS)
    contents += bytes(len(COUNTS))
    for piece in filter(None, position.board):
        contents[_COUNT_OF[piece]] += 1
    return contents


def _play(position: Position, contents: bytearray, move: int) -> None:
    """Play a move in a position and in what is written of it."""
    origin, to = move >> 8, move >> 1 & 127
    moved = position.board[origin] if origin <= DROP else 0
    taken = position.do_move(move)
    piece = position.board[to]
    contents[to] = piece & _BYTE
    if moved:
        contents[origin] = 0
    else:
        contents[_HAND_OF[piece]] -= 1
    if moved != piece:
        contents[_COUNT_OF[piece]] += 1
        if moved:
            contents[_COUNT_OF[moved]] -= 1
    if taken:
        contents[_COUNT_OF[taken]] -= 1
        if kind := IN_HAND[taken]:
            contents[_HAND_OF[-kind if taken > 0 else kind]] += 1
