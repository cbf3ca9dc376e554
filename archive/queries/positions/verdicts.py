"""Verdicts of engines on positions, in the spaces that a request may read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from archive.derive.chances import PONANZA
from archive.derive.verdicts import Line
from archive.models import Engine
from archive.queries.sql import rows_by_ids
from kifu_core.games import GAMES

if TYPE_CHECKING:
    from archive.models import Game
    from archive.queries.scope import Scope
    from kifu_core.jkf import Record

PLIES: Final = 1_000
"""Positions of a game whose verdicts are read."""


class EngineInfo(NamedTuple):
    """An engine by its id; `source` is one of `Engine.Source`."""

    pk: int
    source: str
    name: str
    version: str
    network: str
    options: Mapping[str, Any]
    scale: float | None = None
    """The fitted scale of its winning chances, with the log loss, and how much it was fitted to."""
    log_loss: float | None = None
    fitted_positions: int = 0
    fitted_games: int = 0

    @property
    def winning_scale(self) -> float:
        """Return the scale of its winning chances: the usual one before one is fitted."""
        return self.scale or PONANZA

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.name, self.version)))

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> EngineInfo:
        """Return an engine by a row of the driver with the columns of these fields."""
        engine = cls(*row)
        return engine._replace(options=_from_json(engine.options))


def _from_json(value: Any) -> Any:
    """Return a value of a JSON column, which drivers return as text."""
    return orjson.loads(value) if isinstance(value, str) else value


_ENGINE: Final = ", ".join(f"e.{'id' if name == 'pk' else name}" for name in EngineInfo._fields)
_VERDICTS: Final = f"""
    SELECT v.key, v.nodes, v.depth, v.history, v.game, v.made, v.moves, {_ENGINE}
    FROM {{keys}} JOIN archive_verdict v ON v.key = k.key JOIN archive_engine e ON e.id = v.engine_id
"""


class StoredVerdict(NamedTuple):
    """A verdict: the lines, the best first; nodes and depth are 0 if unknown. `game` is the id of the game
    whose comments hold it, 0 for an analysis."""

    engine: EngineInfo
    lines: tuple[Line, ...]
    nodes: int
    depth: int
    history: bool
    game: int
    made: datetime

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """Return a tuple by which better verdicts of one engine compare as larger."""
        return self.nodes, self.depth, len(self.lines), -self.game


def verdicts_at(scope: Scope, kind: str, positions: Sequence[Any]) -> list[list[StoredVerdict]]:
    """Return the verdicts on each position in the spaces of a scope, the best of an engine first.

    One statement. Raises KifuError for a position that no code can hold.
    """
    keys = [_keys(scope, kind, position) for position in positions]
    by_key = _by_key({key for its_keys in keys for key in its_keys})
    return [
        sorted(
            (one for key in its_keys for one in by_key.get(key, ())),
            key=lambda one: (SOURCES[one.engine.source], one.engine.pk, *(-part for part in one.rank)),
        )
        for its_keys in keys
    ]


SOURCES: Final[dict[str, int]] = {Engine.Source.ENGINE: 0, Engine.Source.NETWORK: 1, Engine.Source.RECORD: 2}
"""Analyses by engines come first, then those by networks, then comments."""


def _keys(scope: Scope, kind: str, position: Any) -> list[int]:
    keys_of = GAMES[kind].codec.same_class_keys
    return [keys_of(position, "exact", kind, space)[0] for space in scope.spaces]


def _by_key(keys: Iterable[int]) -> dict[int, list[StoredVerdict]]:
    engines: dict[int, EngineInfo] = {}
    by_key: dict[int, list[StoredVerdict]] = {}
    for key, nodes, depth, history, game, made, moves, pk, *columns in rows_by_ids(_VERDICTS, sorted(keys)):
        if pk not in engines:
            engines[pk] = EngineInfo.from_row((pk, *columns))
        lines = tuple(map(Line.from_json, _from_json(moves)))
        one = StoredVerdict(engines[pk], lines, nodes, depth, bool(history), game, made)
        by_key.setdefault(key, []).append(one)
    return by_key


def verdicts_of_game(scope: Scope, game: Game, record: Record) -> list[list[StoredVerdict]]:
    """Return the verdicts on each position of a game's main line, from ply 0 to at most `PLIES`."""
    line = GAMES[game.kind].replay.main_line(record)
    positions = [position.copy() for _ply, position, _move, _entry in islice(line, PLIES + 1)]
    return verdicts_at(scope, game.kind, positions)
