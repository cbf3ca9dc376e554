"""Extend a pattern by the next move."""

from dataclasses import replace

from kifu_core.shogi import moves
from kifu_core.shogi.patterns.pattern import ANYTHING, EMPTY, Pattern, PatternStep, PieceCount, content
from kifu_core.shogi.pieces import PROMOTED


def followed_by(pattern: Pattern, move: int, kind: int, own: bool) -> Pattern | None:
    """Return the pattern of the positions of a pattern in which a move is played next.

    `move` is packed, on a board on which own is Black; `kind` is its piece, `own` whether the own side plays
    it. Returns None for a pattern that has to stay or has several steps, and for a move that the pattern
    excludes.
    """
    (step, *others) = pattern.steps
    if others or step.kept or step.own_turn not in (None, own):
        return None
    piece, dropped = kind if own else -kind, moves.dropped(move)
    origin, to = moves.source(move), moves.target(move)
    at, needed = (to, EMPTY) if dropped else (origin, 1 << content(piece))
    allowed = step.squares.get(at, ANYTHING) & needed
    hands = {count.piece: count for count in step.hands}
    if dropped:
        in_hand = hands.get(piece, PieceCount(piece))
        hands[piece] = replace(in_hand, least=max(1, in_hand.least))
    if not allowed or any(count.most is not None and count.most < count.least for count in hands.values()):
        return None
    squares = {**step.squares, at: allowed}
    first = replace(step, squares=squares, own_turn=own, hands=tuple(sorted(hands.values())))
    moved = (PROMOTED[kind] if moves.promotes(move) else kind) * (1 if own else -1)
    after = {to: 1 << content(moved)} | ({} if dropped else {origin: EMPTY})
    return replace(pattern, steps=(first, PatternStep(after)), gaps=(1,))
