"""Turn packed lines into columns: the positions of games, of many games at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from archive.columns.lines import PackedLines, unpack_lines
from archive.columns.schema import CONTENTS, OF_GAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NODES: Final = 30_000
"""Positions of a game that have rows: its numbers have 15 bits."""

UNKNOWN: Final = -1
"""The value of an unknown number; no day and no rating has it."""

_NUMPY: Final = {"TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64"}
"""The numpy types of the types of the schema."""

_BATCH_POSITIONS: Final = 64 * 1024
"""Positions that are played at once: eight MB of them."""

_OF_LINES: Final = ("node", "last", "ply", "fork", "turn", "move")


class PositionGame(NamedTuple):
    """The columns of a game, which are the same in all its rows; `UNKNOWN` without a value."""

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
        self._columns: dict[str, list[NDArray[Any]]] = {name: [] for name in (*_OF_LINES, *CONTENTS)}

    def __len__(self) -> int:
        self._play()
        return self._rows

    def add(self, game: PositionGame, lines: bytes) -> None:
        """Add the positions of a game's packed lines, each followed by all positions after it: first the rest
        of its line, then the forks, in descending order of where they begin. Linear in the positions."""
        unpacked = unpack_lines(lines)
        self.games.append(game)
        self._waiting.append(unpacked)
        self._most_waiting += len(unpacked.moves) // 2 + len(unpacked.numbers) // 3
        if self._most_waiting >= _BATCH_POSITIONS:
            self._play()

    def _play(self) -> None:
        if not self._waiting:
            return
        from archive.columns.playing import rows_of

        played = rows_of(self._waiting, MOST_NODES)
        self._waiting, self._most_waiting = [], 0
        self._rows += int(played.sizes.sum())
        self._sizes.append(played.sizes)
        for name, column in (*played.of_lines.items(), *zip(CONTENTS, played.contents, strict=True)):
            self._columns[name].append(column)

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the columns by name, in the order of `schema.TYPES`."""
        import numpy as np

        self._play()
        sizes = np.concatenate(self._sizes)
        games = np.array(self.games, np.int64)
        columns: dict[str, NDArray[np.generic]] = {"slot": np.repeat(games[:, 0].astype(np.int32), sizes)}
        of_game = {
            name: np.repeat(games[:, number].astype(_NUMPY[kind]), sizes)
            for number, (name, kind) in enumerate(OF_GAME.items(), 1)
        }
        for name, parts in self._columns.items():
            if name == CONTENTS[0]:
                columns |= of_game
            # The parts of each column are replaced at once, so that not all are in memory twice.
            parts[:] = [np.concatenate(parts)]
            columns[name] = parts[0]
        return columns
