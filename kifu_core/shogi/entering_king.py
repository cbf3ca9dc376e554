"""The declaration of an entered king (入玉宣言法), by 24 and by 27 points.

24 points: JSA, provisional rules of professional games since 2013: 31 points win, 24 to 30 draw. 27 points:
JSA amateur rules and the CSA protocol: Black needs 28, White 27. By both, it is the declarer's turn, the king
stands in the promotion zone with at least ten other pieces of its side, and it is not in check. Rooks and
bishops count 5 and other pieces 1, those in hand and those in the zone.
"""

from typing import Final, Literal, NamedTuple

from kifu_core.shogi import rules
from kifu_core.shogi.attacks import in_zone
from kifu_core.shogi.handicaps import by_sfen
from kifu_core.shogi.pieces import HI, KA, OU, UNPROMOTED, WHITE, signed
from kifu_core.shogi.position import Position

Points = Literal[24, 27]

_LEAST_PIECES: Final = 10
_TOTAL: Final = 54
"""The points of a full set."""


class Claim(NamedTuple):
    """The facts about a side that a declaration depends on.

    `pieces` are those in the zone besides the king, `points` those of the zone and the hand.
    """

    color: int
    king_in_zone: bool
    in_check: bool
    pieces: int
    points: int

    def result(self, rule: Points = 27) -> Literal["win", "draw"] | None:
        """Return the outcome of a declaration; None if its conditions are not met, which loses the game."""
        if not self.king_in_zone or self.in_check or self.pieces < _LEAST_PIECES:
            return None
        if rule == 24:
            return "win" if self.points >= 31 else "draw" if self.points >= 24 else None
        return "win" if self.points >= 28 - self.color else None


def claim(position: Position, handicap_points: int = 0) -> Claim:
    """Return the facts for the side to move. `handicap_points` are added to White's: see
    `missing_points`."""
    color = position.turn
    king = signed(color, OU)
    zone = [
        piece for square, piece in enumerate(position.board) if piece * king > 0 and in_zone(king, square)
    ]
    pieces = [abs(UNPROMOTED[piece]) for piece in zone if piece != king]
    points = sum(map(_points, pieces)) + _hand_points(position.hands[color])
    if color == WHITE:
        points += handicap_points
    return Claim(color, king in zone, rules.in_check(position, color), len(pieces), points)


def missing_points(start: Position) -> int:
    """Return the points of the pieces that White gives, which count as White's; 0 for a start without a name.

    >>> missing_points(Position.initial())
    0
    """
    if by_sfen(start.sfen(None)) is None:
        return 0
    on_board = [abs(UNPROMOTED[piece]) for piece in start.board if piece and abs(piece) != OU]
    return _TOTAL - sum(map(_points, on_board)) - sum(map(_hand_points, start.hands))


def _points(kind: int) -> int:
    return 5 if kind in (HI, KA) else 1


def _hand_points(hand: list[int]) -> int:
    return sum(_points(kind) * count for kind, count in enumerate(hand))
