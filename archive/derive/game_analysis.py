"""An engine's analysis of a game: its evaluations by ply, and what each move cost. Pure functions."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from archive.derive.chances import Cost, JudgedPosition, chance, costs, mean_accuracy
from archive.derive.chart_line import ChartLine, chart_line
from archive.derive.series import evaluations_of, rows_of, table_of
from kifu_core.game import Evaluation
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.pieces import FU, KA, UNPROMOTED

if TYPE_CHECKING:
    from archive.derive.verdicts import Line
    from kifu_core.jkf import Record
    from kifu_core.shogi.position import Position

ANALYSIS: Final = "analysis"
"""The source and the role of its evaluations."""
COVERED: Final = 0.5
"""The share of a side's moves that must be judged for an accuracy by evaluations in comments."""
_ENDGAME: Final = 4
"""Pieces in hand other than pawns and bishops, and promoted pieces on the board, of an endgame."""
_LEVEL: Final = 3
_NOTED: Final = ("mark", "surprising", "hard")
"""Columns of costs with what a page notes beside a move."""


class EngineVerdict(NamedTuple):
    """The best verdict of an engine on a position, and the lines of the one with the most of them."""

    lines: tuple[Line, ...]
    nodes: int
    depth: int
    widest: tuple[Line, ...]


class LineMove(NamedTuple):
    """A move of the main line: the side and the phase."""

    color: int
    phase: int


class Analysis(NamedTuple):
    """Evaluations of a main line, with the engine's own move in `moves`, and the costs of its moves.

    `line` has all moves of the main line if most of them may have no evaluation, as in comments: a side then
    has no accuracy unless `COVERED` of its moves are judged.
    """

    evaluations: tuple[Evaluation, ...] = ()
    costs: tuple[Cost, ...] = ()
    line: tuple[LineMove, ...] = ()

    def accuracy(self, color: int, phase: int | None = None) -> float | None:
        """Return the accuracy of a side, in all or in one of `PHASES`; None without moves, or if too few of
        them are judged."""
        own = [one for one in self.costs if one.color == color and phase in (None, one.phase)]
        return mean_accuracy(own) if len(own) >= COVERED * self.played(color, phase) else None

    def played(self, color: int, phase: int | None = None) -> int:
        """Return the number of moves of a side, 0 unless `line` has them."""
        return sum(one.color == color and phase in (None, one.phase) for one in self.line)

    def moves(self, color: int, phase: int | None = None) -> int:
        """Return the number of judged moves of a side."""
        return sum(one.color == color and phase in (None, one.phase) for one in self.costs)

    def marked(self) -> list[Cost]:
        """Return the moves with marks."""
        return [one for one in self.costs if one.mark]


def analyse(record: Record, verdicts: Sequence[EngineVerdict | None], scale: float) -> Analysis:
    """Return the analysis of a record by an engine's verdicts on the positions of its main line, by ply.
    Linear in these."""
    judged, moves, evaluations, phase = list[JudgedPosition](), list[str](), list[Evaluation](), 0
    line = SHOGI.replay.main_line(record)
    for (ply, position, move, _entry), verdict in zip(line, verdicts, strict=False):
        phase = max(phase, phase_of(position))
        judged.append(_judged(position.turn, phase, verdict, scale))
        if move:
            moves.append(to_usi(move))
        if verdict:
            evaluations.append(_evaluation(ply, verdict))
    return Analysis(tuple(evaluations), tuple(costs(judged, moves)))


def phase_of(position: Position) -> int:
    """Return the phase of a position, a number in `PHASES`: the opening lasts until a piece other than a pawn
    or a bishop is captured or a piece is promoted.

    >>> phase_of(SHOGI.rules.initial())
    0
    """
    captured = sum(sum(hand) - hand[FU] - hand[KA] for hand in position.hands)
    promoted = sum(UNPROMOTED[piece] != piece for piece in position.board)
    return 0 if captured + promoted == 0 else 1 if captured + promoted < _ENDGAME else 2


def _judged(turn: int, phase: int, verdict: EngineVerdict | None, scale: float) -> JudgedPosition:
    if verdict is None:
        return JudgedPosition(turn, phase)
    first = verdict.lines[0]
    policy = ((line.moves[0], line.policy / 1000) for line in verdict.widest if line.policy and line.moves)
    return JudgedPosition(
        turn,
        phase,
        chance(first.score, first.winner, scale),
        mate=first.winner is not None,
        best=first.moves[0] if first.moves else "",
        spread=tuple(chance(line.score, line.winner, scale) for line in verdict.widest if line.is_scored),
        policy=tuple(policy),
    )


def _evaluation(ply: int, verdict: EngineVerdict) -> Evaluation:
    first = verdict.lines[0]
    return Evaluation(
        ply, ANALYSIS, ANALYSIS, first.score, first.winner, first.mate,
        depth=verdict.depth or None,
        nodes=verdict.nodes or None,
        moves=first.moves[:1],
    )  # fmt: skip


def pack(analysis: Analysis, scale: float) -> bytes:
    """Pack an analysis by a scale as zlib-compressed JSON of two tables and the line of a chart; fractions
    have five digits."""
    rounded = tuple(
        one._replace(
            loss=round(one.loss, 5),
            accuracy=round(one.accuracy, 2),
            weight=round(one.weight, 3),
            likelihood=one.likelihood and round(one.likelihood, 3),
        )
        for one in analysis.costs
    )
    line = chart_line(analysis.evaluations, scale)
    tables = [table_of(analysis.evaluations), table_of(rounded), list(line)]
    return zlib.compress(orjson.dumps(tables), _LEVEL)


class Score(NamedTuple):
    """The score of an evaluation, from the side of colour 0, or the colour that mates."""

    ply: int
    score: int | None = None
    winner: int | None = None


class StoredAnalysis:
    """An analysis that `pack` stored. A page that shows its scores makes no other rows of its tables."""

    def __init__(self, stored: bytes | memoryview) -> None:
        self._evaluations, self._costs, line = orjson.loads(zlib.decompress(stored))
        self.line = ChartLine(*line)

    @property
    def nodes(self) -> int:
        """The nodes of all searches."""
        return sum(filter(None, self._evaluations.get("nodes", ())))

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores of the evaluations."""
        return rows_of(Score, self._evaluations)

    @property
    def noted(self) -> tuple[Cost, ...]:
        """The costs of moves with a mark, or with an opinion of a network."""
        columns = [self._costs[name] for name in _NOTED if name in self._costs]
        rows = [row for row, values in enumerate(zip(*columns, strict=True)) if any(values)]
        return rows_of(Cost, {name: [column[row] for row in rows] for name, column in self._costs.items()})

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        return evaluations_of(self._evaluations)

    @cached_property
    def analysis(self) -> Analysis:
        return Analysis(self.evaluations, rows_of(Cost, self._costs))


def losses_of(stored: bytes | memoryview) -> tuple[list[int], list[float]]:
    """Return the numbers of the judged moves of a packed analysis, from 1, and their losses of winning
    chances, from 0 to 2."""
    judged = orjson.loads(zlib.decompress(stored))[1]
    return (judged["ply"], judged["loss"]) if judged else ([], [])


def best_verdict(rows: Iterable[tuple[Sequence[Any], int, int]]) -> EngineVerdict | None:
    """Return an engine's verdict by the lines, nodes and depths of all that are stored; None for none."""
    rows = [row for row in rows if row[0]]
    if not rows:
        return None
    lines, nodes, depth = max(rows, key=lambda row: (row[1], row[2], len(row[0])))
    widest = max(rows, key=lambda row: len(row[0]))[0]
    return EngineVerdict(tuple(lines), nodes, depth, tuple(widest))


def with_evaluations(record: Record, analysis: Analysis, engine: str) -> Record:
    """Return a record with the evaluations of an analysis as comments of its main line, in the form of
    ShogiHome (docs/formats/evaluations.md). Linear in the main line."""
    by_ply = {one.ply: one for one in analysis.evaluations}
    moves = [entry.copy() for entry in record["moves"]]
    last = None
    for ply, position, following, _entry in SHOGI.replay.main_line(record):
        if (one := by_ply.get(ply)) and ply < len(moves):
            lines = _comment(one, engine, _best_text(one, position, last))
            moves[ply]["comments"] = [*moves[ply].get("comments", ()), *lines]
        last = following
    return {**record, "moves": moves}


def _best_text(one: Evaluation, position: Position, last: int | None) -> str:
    if not one.moves:
        return ""
    move = from_usi(one.moves[0])
    text = SHOGI.text.move_text(position, move)
    return SHOGI.text.next_move_label(position, move, text, "ja", last)


def _comment(one: Evaluation, engine: str, best: str) -> list[str]:
    """Return the lines of an evaluation."""
    side = "先手" if one.winner == 0 else "後手"
    values = {
        "評価値": one.score if one.winner is None else None,
        "詰み": None if one.winner is None else f"{side}勝ち" + (f":{one.mate}手" if one.mate else ""),
        "読み筋": best,
        "深さ": one.depth,
        "ノード数": one.nodes,
        "エンジン": engine,
    }
    return [f"#{name}={value}" for name, value in values.items() if value not in (None, "")]
