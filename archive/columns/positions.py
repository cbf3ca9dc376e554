"""From records to columns: the positions of games, gathered row by row and turned into columns at the end.

What stands in a position is kept as a byte a column, and a move changes a few of them, so a position costs a
copy of 123 bytes. numpy cuts the columns out of them.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from archive.columns.schema import CONTENTS, COUNTS, HANDS, OF_GAME, SQUARES
from kifu_core.jkf import Record
from kifu_core.lines import NO_MOVE
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
_HAND_AT: Final = {key: len(SQUARES) + n for n, key in enumerate(HANDS)}
_COUNT_AT: Final = {key: len(SQUARES) + len(HANDS) + n for n, key in enumerate(COUNTS)}


class OfGame(NamedTuple):
    """What the rows of a game tell of it; `UNKNOWN` for what is not known."""

    slot: int
    result: int = UNKNOWN
    played: int = UNKNOWN
    black_rating: int = UNKNOWN
    white_rating: int = UNKNOWN


class _Line(NamedTuple):
    """A line that is still to be gone through: its entries, where it begins, what stands there."""

    entries: list[Any]
    position: Position
    contents: bytearray
    ply: int
    parent: int
    fork: bool


class Positions:
    """The positions of games, in the order in which these are added."""

    def __init__(self) -> None:
        self.games: list[OfGame] = []
        self.sizes = array("i")
        self.contents = bytearray()
        self.nodes = array("h")
        self.lasts = array("h")
        self.plies = array("h")
        self.forks = array("b")
        self.turns = array("b")
        self.moves = array("i")

    def __len__(self) -> int:
        return len(self.plies)

    def add(self, game: OfGame, record: Record) -> None:
        """Add the positions of a game, each followed by all that come after it: first its own line to the
        end, then the forks, those that leave latest first. Linear in them."""
        first = len(self)
        parents = array("i")
        begin = start(record)
        lines = [_Line(record["moves"][1:], begin, _contents(begin), 0, -1, False)]
        while lines and len(parents) < MOST_NODES:
            self._walk(lines.pop(), parents, lines)
        lasts = array("h", range(len(parents)))
        for number in range(len(parents) - 1, 0, -1):
            parent = parents[number]
            lasts[parent] = max(lasts[parent], lasts[number])
        self.lasts += lasts
        self.nodes += array("h", range(len(parents)))
        self.games.append(game)
        self.sizes.append(len(self) - first)

    def _walk(self, line: _Line, parents: array[int], lines: list[_Line]) -> None:
        entries, position, contents, ply, parent, fork = line
        begun = not fork
        if begun:
            parent = self._put(position, contents, ply, parent, fork, parents)
        for entry in entries:
            for other in entry.get("forks", ()):
                lines.append(_Line(other, position.copy(), contents[:], ply, parent, True))
            if "move" not in entry:
                continue
            move = packed_move(entry["move"])
            if not can_play(position, move) or len(parents) == MOST_NODES:
                break
            if begun:
                self.moves[-1] = move
            begun = True
            _play(position, contents, move)
            ply += 1
            parent = self._put(position, contents, ply, parent, fork, parents)

    def _put(
        self, position: Position, contents: bytearray, ply: int, parent: int, fork: bool, parents: array[int]
    ) -> int:
        self.contents += contents
        self.plies.append(ply)
        self.forks.append(fork)
        self.turns.append(position.turn)
        self.moves.append(NO_MOVE)
        parents.append(parent)
        return len(parents) - 1

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the columns by name, in the order of `schema.TYPES`."""
        import numpy as np

        sizes = np.frombuffer(self.sizes, np.int32)
        games = np.array(self.games, np.int32).reshape(-1, len(OF_GAME) + 1)
        found: dict[str, NDArray[np.generic]] = {
            "slot": np.repeat(games[:, 0], sizes),
            "node": np.frombuffer(self.nodes, np.int16),
            "last": np.frombuffer(self.lasts, np.int16),
            "ply": np.frombuffer(self.plies, np.int16),
            "fork": np.frombuffer(self.forks, np.bool_),
            "turn": np.frombuffer(self.turns, np.int8),
            "move": np.frombuffer(self.moves, np.int32),
        }
        found |= {name: np.repeat(games[:, n], sizes) for n, name in enumerate(OF_GAME, 1)}
        contents = np.frombuffer(self.contents, np.int8).reshape(-1, len(CONTENTS))
        return found | {name: np.ascontiguousarray(contents[:, n]) for n, name in enumerate(CONTENTS)}


def _contents(position: Position) -> bytearray:
    contents = bytearray(piece & _BYTE for piece in position.board)
    contents += bytes(position.hands[color][kind] for color, kind in HANDS)
    return contents + bytes(position.board.count(-kind if color else kind) for color, kind in COUNTS)


def _play(position: Position, contents: bytearray, move: int) -> None:
    """Play a move in a position and in what is written of it."""
    color, origin, to = position.turn, move >> 8, move >> 1 & 127
    moved = position.board[origin] if origin < len(SQUARES) else 0
    taken = position.do_move(move)
    piece = position.board[to]
    contents[to] = piece & _BYTE
    if moved:
        contents[origin] = 0
    else:
        contents[_HAND_AT[color, abs(piece)]] -= 1
    if moved != piece:
        contents[_COUNT_AT[color, abs(piece)]] += 1
        if moved:
            contents[_COUNT_AT[color, abs(moved)]] -= 1
    if taken:
        contents[_COUNT_AT[1 - color, abs(taken)]] -= 1
        if kind := IN_HAND[taken]:
            contents[_HAND_AT[color, kind]] += 1
