"""The worst moves of a game by an engine, as problems: what would have been accepted instead."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from archive.derive.chances import ACCEPTED, Cost, chance
from archive.queries.positions.explorer import BATCH, explore_many
from archive.queries.positions.verdicts import verdicts_at
from archive.queries.scope import Scope
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import to_usi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from archive.derive.verdicts import Line
    from archive.queries.games.analyses import GameReport
    from archive.queries.positions.explorer import MoveStats
    from archive.queries.positions.verdicts import StoredVerdict
    from kifu_core.jkf import Record
    from kifu_core.shogi.position import Position

OFTEN: Final = 5
"""Games with a move, at least, that is accepted because it is played often."""
OFTEN_SHARE: Final = 0.1


class Mistake(NamedTuple):
    """A marked move, the position before it, the engine's best line there, and all moves that are accepted in
    its place, the engine's own first. `usual` are those of them that are played often."""

    cost: Cost
    position: Position
    code: str
    played: str
    best: Line
    accepted: tuple[str, ...]
    usual: tuple[str, ...]


class _Place(NamedTuple):
    """A marked move, the position before it and its code, and the legal moves with the positions after
    them."""

    cost: Cost
    position: Position
    played: str
    code: str
    moves: tuple[tuple[str, Position], ...]


def mistakes_of(
    scope: Scope, record: Record, report: GameReport, color: int | None = None, complete: int | None = None
) -> list[Mistake]:
    """Return the mistakes and blunders of a game of shogi, of one side or of both; at most
    `BATCH`. Moves that are played often are left out, as are positions in which nothing would be accepted.

    With `complete` only the mistake at that ply, by default the first one, has the moves that are accepted by
    verdicts on the positions after them: a fixed number of statements, and a key for each of these.
    """
    worst = [one for one in report.analysis.marked() if one.is_grave and color in (None, one.color)]
    if complete is not None and worst:
        complete = complete if any(one.ply == complete for one in worst) else worst[0].ply
    places = _places(record, worst[:BATCH], complete)
    explored = explore_many(scope, SHOGI.name, list(dict.fromkeys(one.code for one in places)))
    usual = {one.code: _usual(one.moves) for one in explored}
    before = _verdicts(scope, report, [one.position for one in places])
    after = iter(_verdicts(scope, report, [after for one in places for _name, after in one.moves]))
    mistakes = (
        _mistake(report, one, usual[one.code], verdicts, _named(one, after))
        for one, verdicts in zip(places, before, strict=True)
    )
    return [one for one in mistakes if one and one.accepted]


def _places(record: Record, worst: Sequence[Cost], complete: int | None) -> list[_Place]:
    costs = {one.ply - 1: one for one in worst}
    line = islice(SHOGI.replay.main_line(record), max(costs, default=-1) + 1)
    return [
        _place(costs[ply], position.copy(), to_usi(move), complete in (None, ply + 1))
        for ply, position, move, _entry in line
        if ply in costs
    ]


def _place(cost: Cost, position: Position, played: str, complete: bool) -> _Place:
    moves = _after_moves(position) if complete else ()
    return _Place(cost, position, played, SHOGI.codec.encode(position), moves)


def _after_moves(position: Position) -> tuple[tuple[str, Position], ...]:
    moves = []
    for move in SHOGI.rules.legal_moves(position):
        after = position.copy()
        after.do_move(move)
        moves.append((to_usi(move), after))
    return tuple(moves)


def _verdicts(scope: Scope, report: GameReport, positions: Sequence[Position]) -> list[list[StoredVerdict]]:
    """Return the verdicts of a report's engine from analyses, the best on each position first."""
    return [
        [one for one in at if one.engine.pk == report.engine.pk and not one.game]
        for at in verdicts_at(scope, SHOGI.name, positions)
    ]


def _named(place: _Place, verdicts: Iterator[list[StoredVerdict]]) -> dict[str, list[StoredVerdict]]:
    """Return the next verdicts by the moves of a place."""
    return {name: next(verdicts) for name, _position in place.moves}


def _usual(moves: Iterable[MoveStats]) -> tuple[str, ...]:
    return tuple(one.name for one in moves if one.total >= OFTEN and one.share >= OFTEN_SHARE)


def _mistake(
    report: GameReport,
    place: _Place,
    usual: tuple[str, ...],
    verdicts: Sequence[StoredVerdict],
    after: Mapping[str, Sequence[StoredVerdict]],
) -> Mistake | None:
    """Return a mistake; None if the move is played often, or the verdict is gone."""
    if place.played in usual or not verdicts:
        return None
    good = _good(report.engine.winning_scale, place.position.turn, verdicts, after)
    accepted = tuple(name for name in dict.fromkeys([*good, *usual]) if name != place.played)
    best = verdicts[0].lines[0]
    return Mistake(place.cost, place.position, place.code, place.played, best, accepted, usual)


def _good(
    scale: float, turn: int, verdicts: Sequence[StoredVerdict], after: Mapping[str, Sequence[StoredVerdict]]
) -> list[str]:
    """Return the moves that lose at most `ACCEPTED`, by the engine's candidates and by its verdicts on the
    positions after legal moves; its best move first."""
    sign = -1 if turn else 1

    def own_chance(line: Line) -> float:
        return sign * chance(line.score, line.winner, scale)

    least = own_chance(verdicts[0].lines[0]) - ACCEPTED
    lines = (line for one in verdicts for line in one.lines if line.moves and line.is_scored)
    candidates = [line.moves[0] for line in lines if own_chance(line) >= least]
    return candidates + [name for name, at in after.items() if at and own_chance(at[0].lines[0]) >= least]
