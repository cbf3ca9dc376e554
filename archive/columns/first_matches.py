"""Where a pattern stands first in each game of a file, by its runs.

A look at the board asks some columns for some contents: what they have in common are spans of rows. These are
cut where lines begin, shortened to the rows from which a step stands long enough, and to those that the next
step can follow. What is left begins with the first place.

What stands for several plies, or follows, needs the rows of other lines where there are variations: games
that have some are left to `forked` then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from archive.columns.runs import Runs
from archive.columns.schema import COUNTS, HANDS, SQUARES
from archive.columns.spans import Rows, Spans, Wanted, before, meeting, narrowed, where
from kifu_core.shogi.patterns import OrientedPattern, Pattern, PieceCount, orientations
from kifu_core.shogi.patterns.matching import OrientedStep
from kifu_core.shogi.patterns.pattern import ANYTHING
from kifu_core.shogi.patterns.pattern import CONTENTS as PIECES

_BYTES: Final = 256
_FEW: Final = 16
"""Where one line of so many is asked, the others are not looked at."""

NO_PLACE: Final = np.iinfo(np.int64).max
"""More than the number of any place."""

_PLY, _OWN, _MIRRORED = 33, 32, 31
"""A place in its game as a number: the ply, whose side is own, whether mirrored, and the row."""


class FirstMatches(NamedTuple):
    """First places, an array of each, in order of slots for each file; `result` and `played` are as in
    `Runs`."""

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
        """Return some of them, chosen as numpy chooses elements."""
        return FirstMatches._make(column[chosen] for column in self)

    def having(self, slots: Collection[int]) -> FirstMatches:
        """Return those in some slots."""
        return self.among(np.isin(self.slot, np.fromiter(slots, np.int32, len(slots))))


_TYPES: Final = dict.fromkeys(FirstMatches._fields, np.int32) | {
    "ply": np.int16,
    **dict.fromkeys(("own", "turn", "kind", "result"), np.int8),
    **dict.fromkeys(("mirrored", "fork"), np.bool_),
}
NOWHERE: Final = FirstMatches(**{name: np.zeros(0, kind) for name, kind in _TYPES.items()})


def together(parts: Sequence[FirstMatches]) -> FirstMatches:
    """Return the places of several files, or of none, as those of one."""
    return FirstMatches(*map(np.concatenate, zip(NOWHERE, *parts, strict=True)))


class _Stand(NamedTuple):
    """Rows where a step stands, and the number of the line of each span. With a `turn` only the rows count in
    which that side is to move: every other one, the first and the last of each span among them."""

    spans: Spans
    line: NDArray[np.intp]
    turn: int | None = None


def needs_lines(pattern: Pattern) -> bool:
    """Tell whether a pattern asks for several positions of lines that may be variations."""
    several = len(pattern.steps) > 1 or any(step.kept for step in pattern.steps)
    return several and not pattern.main


def first_in(
    runs: Runs,
    pattern: Pattern,
    games: NDArray[np.bool_] | None = None,
    check: Callable[[], None] = lambda: None,
) -> FirstMatches:
    """Return the first place of a pattern in each game, or in each of some games of the file; in those
    without variations only, where it `needs_lines`. `check` is called before each step of each look, to raise
    where that takes too long. Time: linear in the runs of the columns that it names, for each look."""
    best = np.full(len(runs.games["slot"]), NO_PLACE)
    allowed = _lines_to_ask(runs, pattern)
    if games is not None:
        allowed &= games[runs.lines["game"]]
    for look in orientations(pattern):
        stand = _stand(runs, pattern, look, allowed, check)
        if len(stand.line):
            game = runs.lines["game"][stand.line]
            begins = np.flatnonzero(np.append(True, game[1:] != game[:-1]))
            least = np.minimum.reduceat(_numbers(runs, look, stand), begins)
            best[game[begins]] = np.minimum(best[game[begins]], least)
    return _told(runs, best)


def slots_with_variations(runs: Runs, pattern: Pattern) -> NDArray[np.int32]:
    """Return the slots of the games with variations in which each step of a pattern stands somewhere, however
    short: all that it can stand in."""
    forked = _is_forked(runs)
    allowed = forked[runs.lines["game"]]
    found = np.zeros(len(forked), np.bool_)
    for look in orientations(pattern):
        here = forked.copy()
        for step in look.steps:
            _, line = _holding(runs, step, allowed)
            stands = np.zeros(len(forked), np.bool_)
            stands[runs.lines["game"][line]] = True
            here &= stands
        found |= here
    return runs.games["slot"][found]


def _is_forked(runs: Runs) -> NDArray[np.bool_]:
    """Return for each game whether it has a variation."""
    found = np.zeros(len(runs.games["slot"]), np.bool_)
    found[runs.lines["game"][runs.lines["fork"]]] = True
    return found


def _lines_to_ask(runs: Runs, pattern: Pattern) -> NDArray[np.bool_]:
    """Return for each line whether it is asked."""
    if pattern.main:
        main: NDArray[np.bool_] = ~runs.lines["fork"]
        return main
    if needs_lines(pattern):
        unforked: NDArray[np.bool_] = ~_is_forked(runs)[runs.lines["game"]]
        return unforked
    return np.ones(len(runs.lines["first"]), np.bool_)


def _stand(
    runs: Runs, pattern: Pattern, look: OrientedPattern, allowed: NDArray[np.bool_], check: Callable[[], None]
) -> _Stand:
    """Return where the first step of a look stands so that the others follow it, from the last to the
    first."""
    after: _Stand | None = None
    for step, gap in zip(reversed(look.steps), (None, *reversed(pattern.gaps)), strict=True):
        check()
        stand = _standing(runs, step, allowed)
        if after is not None:
            stand = _met(runs, stand, _reaching(runs, after, gap))
        after = stand
        if not len(stand.line):
            break
    assert after is not None
    return after


def _reaching(runs: Runs, after: _Stand, gap: int | None) -> _Stand:
    """Return the rows from which rows of `after` can be reached."""
    begin = runs.lines["first"][after.line]
    if after.turn is not None and gap == 1:
        spans = Spans(np.maximum(begin, after.spans.first - 1), after.spans.end - 1)
        return _Stand(spans, after.line, 1 - after.turn)
    # From two rows on, what lies between those that count reaches the next one that does.
    spans = before(after.spans, begin, gap)
    return _Stand(spans, _line_of(runs, spans.first))


def _met(runs: Runs, stand: _Stand, other: _Stand) -> _Stand:
    """Return the rows that count in both."""
    spans, number = meeting(other.spans, stand.spans)
    turns = {stand.turn, other.turn} - {None}
    if len(turns) > 1:
        return _Stand(Spans(spans.first[:0], spans.end[:0]), number[:0])
    return _trimmed(runs, _Stand(spans, stand.line[number], next(iter(turns), None)))


def _standing(runs: Runs, step: OrientedStep, allowed: NDArray[np.bool_]) -> _Stand:
    """Return the rows from which on a step stands as long as it has to."""
    asked = step.step
    spans, line = _holding(runs, step, allowed)
    begin = runs.lines["first"][line] - runs.lines["ply"][line]
    first, end = spans.first, spans.end - asked.kept
    if asked.first is not None:
        first = np.maximum(first, begin + _short(asked.first))
    if asked.last is not None:
        end = np.minimum(end, begin + _short(asked.last) + 1)
    turn = None if asked.own_turn is None else step.own if asked.own_turn else 1 - step.own
    if turn is not None and asked.kept:
        # The side to move changes with each ply: nothing stands longer.
        end = first
    return _trimmed(runs, _Stand(Spans(first, end), line, turn))


def _trimmed(runs: Runs, stand: _Stand) -> _Stand:
    """Return spans that begin and end with rows that count, without those that have none."""
    spans, line, turn = stand
    if turn is not None:
        first = spans.first + _has_other_turn(runs, turn, spans.first, line)
        spans = Spans(first, spans.end - _has_other_turn(runs, turn, spans.end - 1, line))
    some = spans.first < spans.end
    return _Stand(spans.among(some), line[some], turn)


def _has_other_turn(runs: Runs, turn: int, row: Rows, line: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell for rows of lines whether another side than `turn` is to move."""
    along = row - runs.lines["first"][line]
    other: NDArray[np.bool_] = (runs.lines["turn"][line] ^ along & 1) != turn
    return other


def _line_of(runs: Runs, rows: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the numbers of the lines that rows are in."""
    return np.searchsorted(runs.lines["first"], rows, "right") - 1


def _holding(runs: Runs, step: OrientedStep, allowed: NDArray[np.bool_]) -> tuple[Spans, NDArray[np.intp]]:
    """Return the rows of lines that are allowed and hold what a step asks for, cut where lines begin, and the
    line of each span."""
    lines = runs.line_spans(allowed)
    # What lies in few lines is looked up there, and not in the whole file.
    few = len(lines.first) * _FEW < len(allowed)
    spans, number = meeting(_withcontents(runs, step, lines if few else None), lines)
    return spans, np.flatnonzero(allowed)[number]


def _withcontents(runs: Runs, step: OrientedStep, within: Spans | None) -> Spans:
    """Return the rows that hold what a step asks for, of some or of all: what stands in fewest runs is looked
    for first."""
    asked = []
    for name, allowed in contents(step):
        starts, values = runs.column(name)
        wanted = allowed[values.view(np.uint8)]
        asked.append((np.count_nonzero(wanted), starts, wanted))
    asked.sort(key=lambda one: one[0])
    for _, starts, wanted in asked:
        within = where(starts, wanted) if within is None else narrowed(within, starts, wanted)
    if within is None:
        return Spans(np.zeros(1, np.int32), np.array([len(runs)], np.int32))
    return within


def contents(step: OrientedStep) -> Iterator[tuple[str, Wanted]]:
    """Yield the columns that a step names, each with whether a content, as a byte, is allowed."""
    for square, allowed in step.squares:
        if allowed != ANYTHING:
            yield SQUARES[square], _pieces(allowed)
    for columns, counts in ((HANDS, step.step.hands), (COUNTS, step.step.board)):
        for count in counts:
            yield columns[_owner(step, count), abs(count.piece)], _numbers_of(count)


# Each look at each file asks for the same again.
@lru_cache(maxsize=1024)
def _pieces(allowed: int) -> Wanted:
    return np.array([bool(allowed >> _signed(byte) % PIECES & 1) for byte in range(_BYTES)])


@lru_cache(maxsize=1024)
def _numbers_of(count: PieceCount) -> Wanted:
    return np.array([count.allows(number) for number in range(_BYTES)])


def _signed(byte: int) -> int:
    return byte - _BYTES if byte >= _BYTES // 2 else byte


def _owner(step: OrientedStep, count: PieceCount) -> int:
    return step.own if count.piece > 0 else 1 - step.own


def _short(ply: int) -> int:
    """Return a ply as a number that rows can be added to; no game has so many."""
    return min(ply, 1 << 20)


def _numbers(runs: Runs, look: OrientedPattern, stand: _Stand) -> NDArray[np.int64]:
    """Return for each span the number of its first place."""
    first = stand.spans.first
    ply = first - runs.lines["first"][stand.line] + runs.lines["ply"][stand.line]
    return number_of(look, ply, first)


def number_of(look: OrientedPattern, ply: NDArray[Any], row: NDArray[Any]) -> NDArray[np.int64]:
    """Return the numbers of places as a look finds them: the least of a game is its first place."""
    found: NDArray[np.int64] = (
        ply.astype(np.int64) << _PLY | look.own << _OWN | look.mirrored << _MIRRORED | row
    )
    return found


def unpacked(number: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return for numbers of places whose side is own, whether mirrored, and the row."""
    return number >> _OWN & 1, number >> _MIRRORED & 1, number & (1 << _MIRRORED) - 1


def _told(runs: Runs, best: NDArray[np.int64]) -> FirstMatches:
    """Return what there is to tell of the places with these numbers, one of each game."""
    own, mirrored, row = unpacked(best[best != NO_PLACE])
    return told(runs, row.astype(np.int32), own, mirrored)


def told(runs: Runs, row: Rows, own: NDArray[np.integer], mirrored: NDArray[np.integer]) -> FirstMatches:
    """Return what there is to tell of the places in some rows, one of each game, in their order."""
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
