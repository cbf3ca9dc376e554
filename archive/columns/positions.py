"""From packed lines to columns: the positions of games, played many games at a time and kept by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from archive.columns.lines import PackedLines, read_lines
from archive.columns.schema import CONTENTS, OF_GAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NODES: Final = 30_000
"""Positions of a game that have rows: its numbers have 15 bits."""

UNKNOWN: Final = -1
"""What stands for a number that a game does not have; no day and no rating is that."""

_NUMPY: Final = {"TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64"}
"""The types of the schema as numpy names them."""

_PLAYED_AT: Final = 64 * 1024
"""Positions that are played at once: eight MB of them."""

_TOLD: Final = ("node", "last", "ply", "fork", "turn", "move")


class PositionGame(NamedTuple):
    """What the rows of a game tell of it; `UNKNOWN` for what is not known."""

    slot: int
    result: int = UNKNOWN
    played: int = UNKNOWN
    black_rating: int = UNKNOWN
    white_rating: int = UNKNOWN
    kind: int = 0
    game: int = UNKNOWN


class Positions:
    """The positions of games, in the order in which these are added."""

    def __init__(self) -> None:
        self.games: list[PositionGame] = []
        self._rows = 0
        self._waiting: list[PackedLines] = []
        self._most_waiting = 0
        self._sizes: list[NDArray[np.int64]] = []
        self._columns: dict[str, list[NDArray[Any]]] = {name: [] for name in (*_TOLD, *CONTENTS)}

    def __len__(self) -> int:
        self._play()
        return self._rows

    def add(self, game: PositionGame, lines: bytes) -> None:
        """Add the positions of a game of packed lines, each followed by all that come after it: first its own
        line to the end, then the forks, those that leave latest first. Linear in them."""
        read = read_lines(lines)
        self.games.append(game)
        self._waiting.append(read)
        self._most_waiting += len(read.moves) // 2 + len(read.told) // 3
        if self._most_waiting >= _PLAYED_AT:
            self._play()

    def _play(self) -> None:
        """Play the games that wait for it."""
        if not self._waiting:
            return
        from archive.columns.playing import rows_of

        found = rows_of(self._waiting, MOST_NODES)
        self._waiting, self._most_waiting = [], 0
        self._rows += int(found.sizes.sum())
        self._sizes.append(found.sizes)
        for name, column in (*found.told.items(), *zip(CONTENTS, found.contents, strict=True)):
            self._columns[name].append(column)

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the columns by name, in the order of `schema.TYPES`."""
        import numpy as np

        self._play()
        sizes = np.concatenate(self._sizes)
        games = np.array(self.games, np.int64)
        found: dict[str, NDArray[np.generic]] = {"slot": np.repeat(games[:, 0].astype(np.int32), sizes)}
        of_game = {
            name: np.repeat(games[:, number].astype(_NUMPY[kind]), sizes)
            for number, (name, kind) in enumerate(OF_GAME.items(), 1)
        }
        for name, parts in self._columns.items():
            if name == CONTENTS[0]:
                found |= of_game
            # The parts go one column after the other, so that not all of them are there twice.
            parts[:] = [np.concatenate(parts)]
            found[name] = parts[0]
        return found
