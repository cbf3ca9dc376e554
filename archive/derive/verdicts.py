"""Verdicts of engines on positions: lines of play with scores, within limits and cut to legal moves.

Pure functions. Scores are in hundredths of a pawn from the side of colour 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi import rules
from kifu_core.shogi.moves import from_usi

if TYPE_CHECKING:
    from kifu_core.game import Evaluation
    from kifu_core.jkf import Record
    from kifu_core.shogi.position import Position

MOST_LINES: Final = 10
"""Lines of one verdict."""
LINE_MOVES: Final = 20
"""Moves of a stored line."""
MOST_NODES: Final = 10**15
MOST_DEPTH: Final = 1_000
MOST_MATE: Final = 2_000
LARGEST_SCORE: Final = 32_000
"""Scores beyond this have no meaning in any known engine; those of mates are smaller."""


class Line(NamedTuple):
    """A line of play. A mate has a `winner`, a colour, and `mate`, in how many plies, if that is known.

    `moves` are in USI. `policy` is the likelihood of the first move in thousandths, if a network states it;
    lines after the first may have nothing else.
    """

    score: int | None
    winner: int | None = None
    mate: int | None = None
    moves: tuple[str, ...] = ()
    policy: int | None = None

    @property
    def is_scored(self) -> bool:
        """Return whether it has a score or a mate."""
        return self.score is not None or self.winner is not None

    def as_json(self) -> list[Any]:
        values = [self.score, self.winner, self.mate, " ".join(self.moves)]
        return values if self.policy is None else [*values, self.policy]

    @classmethod
    def from_json(cls, stored: Sequence[Any]) -> Line:
        score, winner, mate, moves, *policy = stored
        return cls(score, winner, mate, tuple(moves.split()), *policy)


class NewVerdict(NamedTuple):
    """A verdict before it is stored: the lines, the best first, and how far the engine searched (0: not
    stated). `history` is whether the engine received the moves before the position."""

    lines: tuple[Line, ...]
    nodes: int = 0
    depth: int = 0
    history: bool = False


class RecordVerdict(NamedTuple):
    """A verdict in the comments of a record: the key of its position, and the name of its engine."""

    key: int
    engine: str
    verdict: NewVerdict


def legal_prefix(position: Position, moves: Iterable[str]) -> tuple[str, ...]:
    """Return the beginning of a line in USI that is legal in a position, at most `LINE_MOVES` moves.

    >>> legal_prefix(SHOGI.rules.initial(), ["7g7f", "3c3d", "1a9i", "2g2f"])
    ('7g7f', '3c3d')
    >>> legal_prefix(SHOGI.rules.initial(), ["7g7f", "resign"])
    ('7g7f',)
    """
    board, played = position.copy(), list[str]()
    for name in moves:
        try:
            move = from_usi(name)
        except KifuError:
            break
        if len(played) == LINE_MOVES or not rules.is_legal(board, move):
            break
        board.do_move(move)
        played.append(name)
    return tuple(played)


def keys_of_line(record: Record, space: int) -> list[int]:
    """Return the keys of the positions of a main line in a space, by ply, up to the first position that no
    code can hold. Linear in the line."""
    keys = list[int]()
    for _ply, position, _move, _entry in SHOGI.replay.main_line(record):
        try:
            keys += SHOGI.codec.same_class_keys(position, "exact", SHOGI.name, space)
        except KifuError:  # more pieces in hand than a set has
            break
    return keys


def is_valid(line: Line) -> bool:
    """Return whether a line has a score or a mate within the limits."""
    if line.winner is not None:
        return line.winner in (0, 1) and (line.mate is None or 0 <= line.mate <= MOST_MATE)
    return line.score is not None and abs(line.score) <= LARGEST_SCORE


def record_verdicts(
    record: Record, evaluations: Iterable[Evaluation], space: int
) -> tuple[RecordVerdict, ...]:
    """Return the verdicts in the comments of a record in a space; linear in its main line.

    Lines that were not played, and values beyond the limits, are left out: they stay in the comments.
    """
    by_ply: dict[int, dict[str, list[Evaluation]]] = {}
    for one in evaluations:
        if one.role != "alternative":
            by_ply.setdefault(one.ply, {}).setdefault(one.engine or one.source, []).append(one)
    return tuple(_record_verdicts(record, by_ply, space)) if by_ply else ()


def _record_verdicts(
    record: Record, by_ply: dict[int, dict[str, list[Evaluation]]], space: int
) -> Iterator[RecordVerdict]:
    last = max(by_ply)
    for ply, position, _move, _entry in SHOGI.replay.main_line(record):
        for engine, evaluations in by_ply.get(ply, {}).items():
            verdict = _verdict(position, evaluations)
            if verdict.lines:
                (key,) = SHOGI.codec.same_class_keys(position, "exact", SHOGI.name, space)
                yield RecordVerdict(key, engine, verdict)
        if ply == last:
            break


def _verdict(position: Position, evaluations: Sequence[Evaluation]) -> NewVerdict:
    """Return the verdict of one engine on one position: the first of its evaluations for each candidate."""
    first: dict[int, Evaluation] = {}
    for one in evaluations:
        first.setdefault(max(1, one.candidate), one)
    ordered = [first[number] for number in sorted(first)][:MOST_LINES]
    lines = (
        Line(None if one.winner is not None else one.score, one.winner, one.mate, one.moves)
        for one in ordered
    )
    checked = tuple(
        line._replace(moves=legal_prefix(position, line.moves)) for line in lines if is_valid(line)
    )
    nodes = max((one.nodes or 0 for one in ordered), default=0)
    depth = max((one.depth or 0 for one in ordered), default=0)
    return NewVerdict(
        checked, nodes if nodes <= MOST_NODES else 0, depth if depth <= MOST_DEPTH else 0, history=True
    )
