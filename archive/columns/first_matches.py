"""Find the first match of a pattern in each game of a file, by its runs.

A step requires contents of some columns, whose rows are the intersection of spans. These are cut at the
beginnings of lines, and shortened to the rows from which the step lasts long enough and from which the next
step follows. The first remaining row is the first match.

With variations, a step that lasts several plies and a sequence of steps may continue in other lines: games
with variations are then searched by `forked`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from archive.columns.runs import Runs
from archive.columns.schema import COUNTS, HANDS, SQUARES
from archive.columns.spans import Mask, Rows, Spans, intersection, reaching, restricted, spans_of_runs
from kifu_core.shogi.patterns import OrientedPattern, Pattern, PieceCount, orientations
from kifu_core.shogi.patterns.matching import OrientedStep
from kifu_core.shogi.patterns.pattern import ANYTHING
from kifu_core.shogi.patterns.pattern import CONTENTS as PIECES

_BYTES: Final = 256
_FEW: Final = 16
"""If at most one line of so many is searched, only the runs in these lines are read."""

NO_MATCH: Final = np.iinfo(np.int64).max
"""More than the rank of any match."""

_PLY, _OWN, _MIRRORED = 33, 32, 31
"""The bits of a match's rank: the ply, the own side, whether mirrored, and the row."""


class FirstMatches(NamedTuple):
    """First matches as columns, in order of slots for each file; `result` and `played` are as in `Runs`."""

    slot: NDArray[np.int32]
    node: NDArray[np.int32]
    ply: NDArray[np.int16]
    own: NDArray[np.int8]
    mirrored: NDArray[np.bool_]
    fork: NDArray[np.bool_]
    turn: NDArray[np.int8]
    move: NDArray[np.int32]
    kind: NDArray[np.int8]
    result: NDArray[np.int8]
    played: NDArray[np.int32]

    def among(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> FirstMatches:
        """Return the matches of a numpy mask or of indices."""
        return FirstMatches._make(column[chosen] for column in self)

    def having(self, slots: Collection[int]) -> FirstMatches:
        """Return the matches in some slots."""
        return self.among(np.isin(self.slot, np.fromiter(slots, np.int32, len(slots))))


_TYPES: Final = dict.fromkeys(FirstMatches._fields, np.int32) | {
    "ply": np.int16,
    **dict.fromkeys(("own", "turn", "kind", "result"), np.int8),
    **dict.fromkeys(("mirrored", "fork"), np.bool_),
}
NO_MATCHES: Final = FirstMatches(**{name: np.zeros(0, kind) for name, kind in _TYPES.items()})


def concatenated(parts: Sequence[FirstMatches]) -> FirstMatches:
    """Return the matches of several files, or of none, as one."""
    return FirstMatches(*map(np.concatenate, zip(NO_MATCHES, *parts, strict=True)))


class _StepRows(NamedTuple):
    """The rows that match a step, and the line of each span. With a `turn` only rows with that side to move
    count: every other row, including the first and the last of each span."""

    spans: Spans
    line: NDArray[np.intp]
    turn: int | None = None


def needs_lines(pattern: Pattern) -> bool:
    """Return whether a pattern is about several positions of a line, which may be a variation."""
    several = len(pattern.steps) > 1 or any(step.kept for step in pattern.steps)
    return several and not pattern.main


def find_in_lines(
    runs: Runs,
    pattern: Pattern,
    games: NDArray[np.bool_] | None = None,
    check: Callable[[], None] = lambda: None,
) -> FirstMatches:
    """Return the first match of a pattern in each game, or in each of some games of the file; if it
    `needs_lines`, only in games without variations. `check` is called before each step of each orientation
    and may raise an error. Time: linear in the runs of the pattern's columns, for each orientation."""
    best = np.full(len(runs.games["slot"]), NO_MATCH)
    allowed = _searched_lines(runs, pattern)
    if games is not None:
        allowed &= games[runs.lines["game"]]
    for oriented in orientations(pattern):
        rows = _rows_of_pattern(runs, pattern, oriented, allowed, check)
        if len(rows.line):
            game = runs.lines["game"][rows.line]
            begins = np.flatnonzero(np.append(True, game[1:] != game[:-1]))
            first = rows.spans.first
            ply = first - runs.lines["first"][rows.line] + runs.lines["ply"][rows.line]
            least = np.minimum.reduceat(ranks_of(oriented, ply, first), begins)
            best[game[begins]] = np.minimum(best[game[begins]], least)
    own, mirrored, row = unpack_ranks(best[best != NO_MATCH])
    return matches_at(runs, row.astype(np.int32), own, mirrored)


def forked_candidates(runs: Runs, pattern: Pattern) -> NDArray[np.int32]:
    """Return the slots of the games with variations that match each step of a pattern somewhere, for any
    time: a superset of the games with matches."""
    forked = _is_forked(runs)
    allowed = forked[runs.lines["game"]]
    candidates = np.zeros(len(forked), np.bool_)
    for oriented in orientations(pattern):
        in_all_steps = forked.copy()
        for step in oriented.steps:
            _, line = _rows_with_contents(runs, step, allowed)
            in_step = np.zeros(len(forked), np.bool_)
            in_step[runs.lines["game"][line]] = True
            in_all_steps &= in_step
        candidates |= in_all_steps
    return runs.games["slot"][candidates]


def _is_forked(runs: Runs) -> NDArray[np.bool_]:
    forked = np.zeros(len(runs.games["slot"]), np.bool_)
    forked[runs.lines["game"][runs.lines["fork"]]] = True
    return forked


def _searched_lines(runs: Runs, pattern: Pattern) -> NDArray[np.bool_]:
    if pattern.main:
        main: NDArray[np.bool_] = ~runs.lines["fork"]
        return main
    if needs_lines(pattern):
        unforked: NDArray[np.bool_] = ~_is_forked(runs)[runs.lines["game"]]
        return unforked
    return np.ones(len(runs.lines["first"]), np.bool_)


def _rows_of_pattern(
    runs: Runs,
    pattern: Pattern,
    oriented: OrientedPattern,
    allowed: NDArray[np.bool_],
    check: Callable[[], None],
) -> _StepRows:
    """Return the rows that match the first step and from which the others follow, computed from the last step
    to the first."""
    after: _StepRows | None = None
    for step, gap in zip(reversed(oriented.steps), (None, *reversed(pattern.gaps)), strict=True):
        check()
        rows = _rows_of_step(runs, step, allowed)
        if after is not None:
            rows = _rows_in_both(runs, rows, _rows_before(runs, after, gap))
        after = rows
        if not len(rows.line):
            break
    assert after is not None
    return after


def _rows_before(runs: Runs, after: _StepRows, gap: int | None) -> _StepRows:
    """Return the rows from which rows of `after` follow."""
    begin = runs.lines["first"][after.line]
    if after.turn is not None and gap == 1:
        spans = Spans(np.maximum(begin, after.spans.first - 1), after.spans.end - 1)
        return _StepRows(spans, after.line, 1 - after.turn)
    # With a gap of at least two rows, also rows in between have a counting row after them.
    spans = reaching(after.spans, begin, gap)
    return _StepRows(spans, _line_of(runs, spans.first))


def _rows_in_both(runs: Runs, rows: _StepRows, other: _StepRows) -> _StepRows:
    spans, number = intersection(other.spans, rows.spans)
    turns = {rows.turn, other.turn} - {None}
    if len(turns) > 1:
        return _StepRows(Spans(spans.first[:0], spans.end[:0]), number[:0])
    return _trimmed(runs, _StepRows(spans, rows.line[number], next(iter(turns), None)))


def _rows_of_step(runs: Runs, step: OrientedStep, allowed: NDArray[np.bool_]) -> _StepRows:
    """Return the rows from which a step lasts long enough."""
    condition = step.step
    spans, line = _rows_with_contents(runs, step, allowed)
    begin = runs.lines["first"][line] - runs.lines["ply"][line]
    first, end = spans.first, spans.end - condition.kept
    if condition.first is not None:
        first = np.maximum(first, begin + _clamped(condition.first))
    if condition.last is not None:
        end = np.minimum(end, begin + _clamped(condition.last) + 1)
    turn = None if condition.own_turn is None else step.own if condition.own_turn else 1 - step.own
    if turn is not None and condition.kept:
        # The side to move changes with each ply, so such a step never lasts.
        end = first
    return _trimmed(runs, _StepRows(Spans(first, end), line, turn))


def _trimmed(runs: Runs, rows: _StepRows) -> _StepRows:
    """Return spans that begin and end with counting rows, without empty ones."""
    spans, line, turn = rows
    if turn is not None:
        first = spans.first + _has_other_turn(runs, turn, spans.first, line)
        spans = Spans(first, spans.end - _has_other_turn(runs, turn, spans.end - 1, line))
    non_empty = spans.first < spans.end
    return _StepRows(spans.among(non_empty), line[non_empty], turn)


def _has_other_turn(runs: Runs, turn: int, row: Rows, line: NDArray[np.intp]) -> NDArray[np.bool_]:
    along = row - runs.lines["first"][line]
    other: NDArray[np.bool_] = (runs.lines["turn"][line] ^ along & 1) != turn
    return other


def _line_of(runs: Runs, rows: NDArray[np.int32]) -> NDArray[np.intp]:
    return np.searchsorted(runs.lines["first"], rows, "right") - 1


def _rows_with_contents(
    runs: Runs, step: OrientedStep, allowed: NDArray[np.bool_]
) -> tuple[Spans, NDArray[np.intp]]:
    """Return the rows of allowed lines that have the contents of a step, cut at the beginnings of lines, and
    the line of each span."""
    lines = runs.line_spans(allowed)
    # With few lines, only their rows are read.
    within = len(lines.first) * _FEW < len(allowed)
    spans, number = intersection(_spans_with_contents(runs, step, lines if within else None), lines)
    return spans, np.flatnonzero(allowed)[number]


def _spans_with_contents(runs: Runs, step: OrientedStep, within: Spans | None) -> Spans:
    """Return the rows that have the contents of a step, within some spans or all; the column with the fewest
    matching runs comes first."""
    runs_by_column = []
    for name, allowed in contents(step):
        starts, values = runs.column(name)
        mask = allowed[values.view(np.uint8)]
        runs_by_column.append((np.count_nonzero(mask), starts, mask))
    runs_by_column.sort(key=lambda entry: entry[0])
    for _, starts, mask in runs_by_column:
        within = spans_of_runs(starts, mask) if within is None else restricted(within, starts, mask)
    if within is None:
        return Spans(np.zeros(1, np.int32), np.array([len(runs)], np.int32))
    return within


def contents(step: OrientedStep) -> Iterator[tuple[str, Mask]]:
    """Yield the columns of a step, each with the mask of allowed bytes."""
    for square, allowed in step.squares:
        if allowed != ANYTHING:
            yield SQUARES[square], _piece_mask(allowed)
    for columns, counts in ((HANDS, step.step.hands), (COUNTS, step.step.board)):
        for count in counts:
            yield columns[_owner(step, count), abs(count.piece)], _count_mask(count)


# The masks are the same for all orientations and files.
@lru_cache(maxsize=1024)
def _piece_mask(allowed: int) -> Mask:
    return np.array([bool(allowed >> _signed(byte) % PIECES & 1) for byte in range(_BYTES)])


@lru_cache(maxsize=1024)
def _count_mask(count: PieceCount) -> Mask:
    return np.array([count.allows(number) for number in range(_BYTES)])


def _signed(byte: int) -> int:
    return byte - _BYTES if byte >= _BYTES // 2 else byte


def _owner(step: OrientedStep, count: PieceCount) -> int:
    return step.own if count.piece > 0 else 1 - step.own


def _clamped(ply: int) -> int:
    """Return a ply, limited so that adding it to rows cannot overflow."""
    return min(ply, 1 << 20)


def ranks_of(oriented: OrientedPattern, ply: NDArray[Any], row: NDArray[Any]) -> NDArray[np.int64]:
    """Return the ranks of matches in one orientation: the least rank of a game is its first match."""
    ranks: NDArray[np.int64] = (
        ply.astype(np.int64) << _PLY | oriented.own << _OWN | oriented.mirrored << _MIRRORED | row
    )
    return ranks


def unpack_ranks(ranks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the own sides, whether mirrored, and the rows of ranks."""
    return ranks >> _OWN & 1, ranks >> _MIRRORED & 1, ranks & (1 << _MIRRORED) - 1


def matches_at(
    runs: Runs, row: Rows, own: NDArray[np.integer], mirrored: NDArray[np.integer]
) -> FirstMatches:
    """Return the matches in some rows, one of each game, in their order."""
    line = _line_of(runs, row)
    along = row - runs.lines["first"][line]
    game = runs.lines["game"][line]
    games: Mapping[str, NDArray[Any]] = runs.games
    return FirstMatches(
        games["slot"][game],
        row - games["first"][game],
        (runs.lines["ply"][line] + along).astype(np.int16),
        own.astype(np.int8),
        mirrored.astype(np.bool_),
        runs.lines["fork"][line],
        runs.lines["turn"][line] ^ (along & 1).astype(np.int8),
        runs.moves[row].astype(np.int32),
        runs.moved[row],
        games["result"][game],
        games["played"][game],
    )
