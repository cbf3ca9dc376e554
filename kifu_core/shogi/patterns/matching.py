"""Match patterns with positions and lines, for each side as own, and mirrored."""

from collections.abc import Sequence
from dataclasses import dataclass

from kifu_core.shogi.patterns.pattern import CONTENTS, Pattern, PatternStep, PieceCount, colors_exchanged
from kifu_core.shogi.pieces import BLACK, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import MIRRORED, TURNED


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """An occurrence of a pattern: the ply of each step, the own side, and whether it is the mirror image."""

    plies: tuple[int, ...]
    own: int
    mirrored: bool


@dataclass(frozen=True, slots=True)
class OrientedStep:
    """A step in the orientation of the board: squares with their allowed contents by colour.

    `sign` is 1 if own is Black, else -1.
    """

    squares: tuple[tuple[int, int], ...]
    step: PatternStep
    sign: int

    def matches(self, position: Position) -> bool:
        """Return whether a position matches, at any ply. Linear in the squares of the step."""
        board = position.board
        # No generator: this is called more often than anything else here.
        for square, allowed in self.squares:
            if not allowed >> board[square] % CONTENTS & 1:
                return False
        step = self.step
        if step.own_turn is not None and step.own_turn != (position.turn == self.own):
            return False
        return all(count.allows(self._in_hand(position, count)) for count in step.hands) and all(
            count.allows(board.count(self.sign * count.piece)) for count in step.board
        )

    @property
    def own(self) -> int:
        """Return the colour that is own."""
        return BLACK if self.sign > 0 else WHITE

    def _in_hand(self, position: Position, count: PieceCount) -> int:
        color = self.own if count.piece > 0 else 1 - self.own
        return position.hands[color][abs(count.piece)]


@dataclass(frozen=True, slots=True)
class OrientedPattern:
    """A pattern for one side as own, mirrored or not."""

    own: int
    mirrored: bool
    steps: tuple[OrientedStep, ...]


def orientations(pattern: Pattern) -> tuple[OrientedPattern, ...]:
    """Return the orientations of a pattern, at most four; equal ones occur once."""
    result: dict[tuple[object, ...], OrientedPattern] = {}
    for own in (BLACK, WHITE) if pattern.own is None else (pattern.own,):
        for mirrored in (False, True) if pattern.mirrored else (False,):
            steps = tuple(_oriented(step, own, mirrored) for step in pattern.steps)
            result.setdefault(
                (own, *(frozenset(one.squares) for one in steps)), OrientedPattern(own, mirrored, steps)
            )
    return tuple(result.values())


def _oriented(step: PatternStep, own: int, mirrored: bool) -> OrientedStep:
    def place(square: int) -> int:
        square = MIRRORED[square] if mirrored else square
        return TURNED[square] if own == WHITE else square

    def by_color(allowed: int) -> int:
        return colors_exchanged(allowed) if own == WHITE else allowed

    squares = tuple((place(square), by_color(allowed)) for square, allowed in step.squares.items())
    return OrientedStep(squares, step, -1 if own == WHITE else 1)


def find(pattern: Pattern, line: Sequence[Position], first_ply: int = 0) -> PatternMatch | None:
    """Return the first occurrence of a pattern in a line of positions, the first of which is at `first_ply`.

    The lowest ply comes first; at the same ply Black's side, then the upright image. Time: positions times
    steps times squares, for each orientation.
    """
    matches = [
        one for oriented in orientations(pattern) if (one := _find(pattern, oriented, line, first_ply))
    ]
    return min(matches, key=lambda one: (one.plies[0], one.own, one.mirrored), default=None)


def _find(
    pattern: Pattern, oriented: OrientedPattern, line: Sequence[Position], first_ply: int
) -> PatternMatch | None:
    """Match the steps from the last to the first, keeping the plies that the next step can follow."""
    following: list[list[int]] = []
    for step, gap in zip(reversed(oriented.steps), (None, *reversed(pattern.gaps)), strict=True):
        plies_of_step = _matching_plies(step, line, first_ply)
        if following:
            plies_of_step = [ply for ply in plies_of_step if _next(following[0], ply, gap) is not None]
        if not plies_of_step:
            return None
        following.insert(0, plies_of_step)
    plies = [following[0][0]]
    for places, gap in zip(following[1:], pattern.gaps, strict=True):
        ply = _next(places, plies[-1], gap)
        assert ply is not None
        plies.append(ply)
    return PatternMatch(tuple(plies), oriented.own, oriented.mirrored)


def _matching_plies(step: OrientedStep, line: Sequence[Position], first_ply: int) -> list[int]:
    """Return the plies from which a step matches for as long as it must."""
    pattern_step = step.step
    plies: list[int] = []
    since = 0
    for ply, position in enumerate(line, first_ply):
        since = since + 1 if step.matches(position) else 0
        first = ply - pattern_step.kept
        if (
            since > pattern_step.kept
            and (pattern_step.first or 0) <= first
            and (pattern_step.last is None or first <= pattern_step.last)
        ):
            plies.append(first)
    return plies


def _next(places: Sequence[int], ply: int, gap: int | None) -> int | None:
    """Return the first of ascending plies that is after a ply and within the gap, else None."""
    after = next((place for place in places if place > ply), None)
    return after if after is not None and (gap is None or after <= ply + gap) else None
