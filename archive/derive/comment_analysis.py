"""A report by the evaluations in a record's comments. Pure functions.

An evaluation of an analysis judges the position that it stands at: two of the same program on successive
positions say what the move between them cost. A player's own evaluation stands at the move that its program
chose, and holds before and after it. So the program's next one says what the other side's reply cost.
Evaluations of two programs are never compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.derive.chances import PONANZA, Cost, JudgedPosition, chance, costs
from archive.derive.chart_line import ChartLine, chart_line
from archive.derive.game_analysis import Analysis, LineMove, phase_of
from kifu_core.games import SHOGI
from kifu_core.shogi.evaluations import best
from kifu_core.shogi.moves import to_usi

if TYPE_CHECKING:
    from kifu_core.game import Evaluation
    from kifu_core.jkf import Record

_SOURCES: Final = 4
"""Sources of one record that are compared: more come of a record that names another program at each move."""
_PLIES: Final = 1_000


class _Source(NamedTuple):
    """The program that evaluates: of players' own evaluations each side has its own, by the parity of the
    plies; otherwise `parity` is None."""

    name: str
    engine: str
    parity: int | None


@dataclass(frozen=True)
class CommentAnalysis:
    """The evaluations in the comments of a record, with the costs of its moves."""

    record: Record
    in_comments: Sequence[Evaluation]

    nodes = 0

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations that a chart shows, one for each ply."""
        return tuple(best(self.in_comments))

    @cached_property
    def line(self) -> ChartLine:
        """The line of the evaluations in a chart."""
        return chart_line(self.evaluations, PONANZA)

    @property
    def scores(self) -> tuple[Evaluation, ...]:
        return self.evaluations

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        """The costs of moves, all in the first phase: the record is not replayed."""
        entries = (entry["move"] for entry in self.record["moves"][: _PLIES + 1] if "move" in entry)
        moves = [to_usi(SHOGI.replay.packed_move(one)) for one in entries]
        first = SHOGI.replay.first_turn(self.record)
        return tuple(one.cost for one in _judged(self.in_comments, moves, first))

    @property
    def noted(self) -> tuple[Cost, ...]:
        """The costs of moves with a mark."""
        return tuple(one for one in self.costs if one.mark)

    @cached_property
    def analysis(self) -> Analysis:
        """The analysis by phases, with the program's own moves before judged moves; linear in the record."""
        line, moves, phase = list[LineMove](), list[str](), 0
        for _ply, position, move, _entry in islice(SHOGI.replay.main_line(self.record), _PLIES):
            phase = max(phase, phase_of(position))
            if move:
                line.append(LineMove(position.turn, phase))
                moves.append(to_usi(move))
        judged = _judged(self.in_comments, moves, line[0].color if line else 0)
        of_phases = tuple(one.cost._replace(phase=line[one.cost.ply - 1].phase) for one in judged)
        own = tuple(one.before for one in judged)
        return Analysis(own, of_phases, tuple(line))


class _JudgedMove(NamedTuple):
    """The cost of a move, and the evaluation of the position before it with the program's own moves there."""

    cost: Cost
    before: Evaluation


def _judged(evaluations: Iterable[Evaluation], moves: Sequence[str], first_turn: int) -> list[_JudgedMove]:
    """Return what moves cost by the evaluations of one of the first `_SOURCES` sources each: analyses go
    first, then those with the most evaluations. Linear in the moves."""
    by_source = defaultdict[_Source, list["Evaluation"]](list)
    for one in evaluations:
        if one.role != "alternative" and one.ply <= len(moves):
            parity = one.ply % 2 if one.role == "player" else None
            by_source[_Source(one.source, one.engine, parity)].append(one)
    ordered = sorted(by_source, key=lambda one: (one.parity is not None, -len(by_source[one])))
    by_ply: dict[int, _JudgedMove] = {}
    for source in ordered[:_SOURCES]:
        for judged in _of_source(source, by_source[source], moves, first_turn):
            by_ply.setdefault(judged.cost.ply, judged)
    return [by_ply[ply] for ply in sorted(by_ply)]


def _of_source(
    source: _Source, evaluations: Sequence[Evaluation], moves: Sequence[str], first_turn: int
) -> Iterator[_JudgedMove]:
    at = {one.ply: one for one in best(evaluations)}
    if source.parity is not None:
        at |= _carried_back(at)
    spreads = _spreads(evaluations) if source.parity is None else {}
    positions = [
        _position(at.get(ply), (first_turn + ply) % 2, spreads.get(ply, ())) for ply in range(len(moves) + 1)
    ]
    for cost in costs(positions, moves):
        if source.parity is None or cost.ply % 2 != source.parity:
            yield _JudgedMove(cost, at[cost.ply - 1])


def _carried_back(at: Mapping[int, Evaluation]) -> dict[int, Evaluation]:
    """Return each evaluation for the position before the program's own move."""
    return {one.ply - 1: one._replace(ply=one.ply - 1, moves=()) for one in at.values() if one.ply}


def _spreads(evaluations: Iterable[Evaluation]) -> dict[int, tuple[float, ...]]:
    """Return the chances of the candidates by ply, where there are several."""
    by_ply = defaultdict[int, dict[int, float]](dict)
    for one in evaluations:
        if one.candidate and (one.score is not None or one.winner is not None):
            by_ply[one.ply][one.candidate] = chance(one.score, one.winner, PONANZA)
    return {ply: tuple(found.values()) for ply, found in by_ply.items() if len(found) > 1}


def _position(one: Evaluation | None, turn: int, spread: tuple[float, ...]) -> JudgedPosition:
    if one is None:
        return JudgedPosition(turn)
    return JudgedPosition(
        turn,
        chance=chance(one.score, one.winner, PONANZA),
        mate=one.winner is not None,
        best=one.moves[0] if one.moves else "",
        spread=spread,
    )
