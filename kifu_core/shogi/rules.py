"""The rules: attacks, legal moves, faults of moves, and the words that tell pieces apart.

Positions need not come from a game: without kings there is no check; of several kings none may be left in
check. Repetition and entering kings concern games, not positions.
"""

from functools import lru_cache
from typing import Final

from kifu_core.shogi.attacks import (
    BETWEEN,
    KING_LINES,
    RAY_MOVES,
    RAYS,
    SLIDERS,
    STEP_MOVES,
    STEPS,
    TOUCHERS,
    Ray,
    in_zone,
    is_dead,
)
from kifu_core.shogi.moves import DROP, pack, source, target
from kifu_core.shogi.pieces import CAN_PROMOTE, FU, HAND_KINDS, KE, OU, UM
from kifu_core.shogi.position import Position

# --- attacks ---------------------------------------------------------------------------------------------


def is_attacked(board: list[int], square: int, color: int) -> bool:
    """Return whether a piece of `color` could move to the square, occupied or not."""
    sign = -1 if color else 1
    knight = KE * sign
    for origin in STEPS[-knight][square]:
        if board[origin] == knight:
            return True
    for direction, line in enumerate(KING_LINES[square]):
        comers = TOUCHERS[direction]
        for origin in line:
            piece = board[origin]
            if piece:
                if piece * sign > 0 and piece in comers:
                    return True
                break
            comers = SLIDERS[direction]
    return False


def in_check(position: Position, color: int) -> bool:
    """Return whether a king of `color` is attacked; False if there is none.

    >>> in_check(Position.from_sfen("4k4/9/4L4/9/9/9/9/9/9 w -"), 1)
    True
    """
    board = position.board
    king = -OU if color else OU
    square = -1
    for _ in range(board.count(king)):  # two C calls: asked of every move, a loop over 81 squares would show
        square = board.index(king, square + 1)
        if is_attacked(board, square, color ^ 1):
            return True
    return False


def sources(position: Position, color: int, piece: int, to: int) -> list[int]:
    """Return the squares of `color`'s pieces of exactly this kind (1..14) that could go to a square.

    The way of moving and pieces in between count, but not pins, nor the piece on `to`.
    """
    return _coming(position.board, -piece if color else piece, to)


def _coming(board: list[int], mover: int, to: int) -> list[int]:
    origins = [origin for origin in STEPS[-mover][to] if board[origin] == mover]
    for line in RAYS[-mover][to]:
        for origin in line:
            if board[origin]:
                if board[origin] == mover:
                    origins.append(origin)
                break
    return origins


# --- legal moves -----------------------------------------------------------------------------------------


def legal_moves(position: Position) -> list[int]:
    """Return all legal moves of the side to move, packed; promotion and its refusal are two moves.

    Board moves come first, by source square, then drops by kind and square.

    >>> len(legal_moves(Position.initial()))
    30
    """
    board, color = position.board, position.turn
    king = -OU if color else OU
    count = board.count(king)
    if count == 1:
        moves = _moves_guarding(position, board.index(king))
    else:
        moves = board_moves(board, color, 0) + _drops(position, _empty_squares(board))
        if count:
            moves = [move for move in moves if not exposes(position, move)]
    return _without_pawn_mates(position, moves)


def board_moves(board: list[int], color: int, spared: int) -> list[int]:
    """Return all moves on the board, legal or not, except those of the piece `spared`."""
    sign = -1 if color else 1
    moves: list[int] = []
    for square, piece in enumerate(board):
        if piece * sign > 0 and piece != spared:
            _add_moves(board, square, sign, moves)
    return moves


def _add_moves(board: list[int], square: int, sign: int, moves: list[int]) -> None:
    piece = board[square]
    for to, choices in STEP_MOVES[piece][square]:
        if board[to] * sign <= 0:
            moves += choices
    for line in RAY_MOVES[piece][square]:
        for to, choices in line:
            there = board[to] * sign
            if there > 0:
                break
            moves += choices
            if there:
                break


def _moves_guarding(position: Position, square: int) -> list[int]:
    """Return the legal moves of a side with one king, with mates by a pawn drop among them."""
    board, color = position.board, position.turn
    king = board[square]
    checks, pins = _checks_and_pins(board, square, color)
    moves = _king_moves(board, square, color)
    if len(checks) > 1:
        return moves
    others = board_moves(board, color, king)
    if checks:
        others = [move for move in others if move >> 1 & 127 in checks[0]]
    if pins:
        others = [move for move in others if move >> 8 not in pins or move >> 1 & 127 in pins[move >> 8]]
    squares = [to for to in checks[0] if not board[to]] if checks else _empty_squares(board)
    return moves + others + _drops(position, sorted(squares))


def _king_moves(board: list[int], square: int, color: int) -> list[int]:
    king = board[square]
    moves: list[int] = []
    _add_moves(board, square, -1 if color else 1, moves)
    board[square] = 0  # the king does not shelter the squares behind it
    safe = [move for move in moves if not is_attacked(board, target(move), color ^ 1)]
    board[square] = king
    return safe


def _checks_and_pins(board: list[int], square: int, color: int) -> tuple[list[Ray], dict[int, Ray]]:
    """Return the checks and pins of the king on a square.

    A check is given by the squares that answer it: the attacker's and those between. A pin maps the square of
    the pinned piece to the squares on which the piece still shields the king.
    """
    sign = -1 if color else 1
    knight = -KE * sign
    checks: list[Ray] = [(origin,) for origin in STEPS[-knight][square] if board[origin] == knight]
    pins: dict[int, Ray] = {}
    for direction, line in enumerate(KING_LINES[square]):
        shield = -1
        for distance, origin in enumerate(line):
            piece = board[origin]
            if not piece:
                continue
            if piece * sign > 0:
                if shield >= 0:
                    break
                shield = origin
                continue
            if shield >= 0:
                if piece in SLIDERS[direction]:
                    pins[shield] = line[: distance + 1]
            elif piece in (SLIDERS if distance else TOUCHERS)[direction]:
                checks.append(line[: distance + 1])
            break
    return checks, pins


def _empty_squares(board: list[int]) -> list[int]:
    return [square for square, piece in enumerate(board) if not piece]


def _drops(position: Position, squares: list[int]) -> list[int]:
    """Return the drops on the given empty squares, which are sorted; mates by a pawn are among them."""
    color = position.turn
    hand = position.hands[color]
    moves: list[int] = []
    for kind in HAND_KINDS:
        if not hand[kind]:
            continue
        piece = -kind if color else kind
        base = DROP + kind << 8
        allowed = _pawn_squares(position.board, piece, squares) if kind == FU else squares
        if kind <= KE:
            allowed = [to for to in allowed if not is_dead(piece, to)]
        moves += [base | to << 1 for to in allowed]
    return moves


def _pawn_squares(board: list[int], pawn: int, squares: list[int]) -> list[int]:
    """Return the squares on files without an unpromoted pawn of the same colour."""
    taken = [pawn in board[column::9] for column in range(9)]
    return [square for square in squares if not taken[square % 9]]


def _without_pawn_mates(position: Position, moves: list[int]) -> list[int]:
    """Remove the pawn drops that mate from `moves`, and return it."""
    color = position.turn
    if not position.hands[color][FU]:
        return moves
    king = OU if color else -OU
    for square, piece in enumerate(position.board):
        if piece == king:
            for to in STEPS[-FU if color == 0 else FU][square]:
                drop = pack(DROP + FU, to)
                if drop in moves and mates(position, drop):
                    moves.remove(drop)
    return moves


def mates(position: Position, move: int) -> bool:
    """Return whether a move that gives check is mate."""
    captured = position.do_move(move)
    mate = not legal_moves(position)
    position.undo_move(move, captured)
    return mate


def exposes(position: Position, move: int) -> bool:
    """Return whether a move leaves its own side in check."""
    color = position.turn
    captured = position.do_move(move)
    exposed = in_check(position, color)
    position.undo_move(move, captured)
    return exposed


# --- one move --------------------------------------------------------------------------------------------


def is_legal(position: Position, move: int) -> bool:
    """Return whether the side to move may play a packed move."""
    return violation(position, move) is None


UNPLAYABLE: Final = frozenset(["bad-move", "no-piece", "wrong-side", "occupied", "not-in-hand"])
"""The faults of moves that no board allows; those with the other faults can be played."""


def violation(position: Position, move: int) -> str | None:
    """Return the code of a packed move's fault, or None if it is legal.

    It is the first of these that applies: `bad-move` (no packed move at all), on the board `no-piece`,
    `wrong-side`, `occupied` (by an own piece), `unreachable`, `bad-promote`, `must-promote`; for drops
    `not-in-hand`, `occupied`, `bad-promote`, `dead-drop`, `nifu`; for both `self-check`, `uchifuzume`.
    """
    if code := fault(position, move):
        return code
    if exposes(position, move):
        return "self-check"
    if source(move) == DROP + FU and _checks_by_pawn(position, target(move)) and mates(position, move):
        return "uchifuzume"
    return None


def fault(position: Position, move: int) -> str | None:
    """Return the code of a packed move's fault, checks and mates aside; see `violation`."""
    origin = move >> 8
    if move <= 0 or origin > DROP + HAND_KINDS[-1] or target(move) > 80:
        return "bad-move"
    return _drop_fault(position, move) if origin > DROP else _board_fault(position, move)


def _board_fault(position: Position, move: int) -> str | None:
    """Return the fault of a move on the board, check aside."""
    board, sign = position.board, -1 if position.turn else 1
    origin, to = source(move), target(move)
    piece = board[origin]
    if not piece:
        return "no-piece"
    if piece * sign < 0:
        return "wrong-side"
    if board[to] * sign > 0:
        return "occupied"
    if not reaches(board, origin, to):
        return "unreachable"
    if move & 1:
        zone = CAN_PROMOTE[piece] and (in_zone(piece, origin) or in_zone(piece, to))
        return None if zone else "bad-promote"
    return "must-promote" if is_dead(piece, to) else None


def reaches(board: list[int], origin: int, to: int) -> bool:
    """Return whether the piece on `origin` reaches `to`, occupied or not, with nothing in between."""
    between = BETWEEN[board[origin]][origin * 81 + to]
    return between is not None and not any(board[square] for square in between)


def _drop_fault(position: Position, move: int) -> str | None:
    """Return the fault of a drop, check aside."""
    board, color = position.board, position.turn
    kind, to = source(move) - DROP, target(move)
    piece = -kind if color else kind
    if not position.hands[color][kind]:
        return "not-in-hand"
    if board[to]:
        return "occupied"
    if move & 1:
        return "bad-promote"
    if is_dead(piece, to):
        return "dead-drop"
    return "nifu" if kind == FU and piece in board[to % 9 :: 9] else None


def _checks_by_pawn(position: Position, to: int) -> bool:
    pawn, king = (-FU, OU) if position.turn else (FU, -OU)
    return any(position.board[square] == king for square in STEPS[pawn][to])


# --- words that tell pieces apart ------------------------------------------------------------------------


def relative(position: Position, move: int) -> str:
    """Return JKF's relative words of a move about to be played: the fewest that name the piece.

    L left, C straight, R right, U up (forward), M sideways, D down, combined as in `LU`; H a drop if a piece
    on the board could have come; empty if no word is needed. The rule is the federation's: first up, sideways
    or down; then 直 for the piece right behind, never for horses and dragons; then left or right; then both.
    """
    origin, to = move >> 8, move >> 1 & 127
    color = position.turn
    if origin > DROP:
        return relative_words(position.board, -1, to, DROP - origin if color else origin - DROP)
    piece = position.board[origin]
    position.board[origin] = 0
    words = relative_words(position.board, origin, to, piece)
    position.board[origin] = piece
    return words


def relative_words(board: list[int], origin: int, to: int, piece: int) -> str:
    """Return JKF's relative words of a signed piece that goes to a square, as `relative` does.

    `origin`, which the piece has left, is -1 for a drop.
    """
    if origin < 0:
        return "H" if _coming(board, piece, to) else ""
    board[origin] = piece
    comers = _coming(board, piece, to)
    board[origin] = 0
    return _words_among(tuple(comers), origin, to, piece) if len(comers) > 1 else ""


@lru_cache(maxsize=1 << 14)
def _words_among(comers: tuple[int, ...], origin: int, to: int, piece: int) -> str:
    """Return the words for one of several pieces; the same few squares make up most records."""
    color = int(piece < 0)
    ways = [_way(comer, to, color) for comer in comers]
    return _fewest_words(_way(origin, to, color), ways, straight=abs(piece) < UM)


Way = tuple[int, int]


def _way(origin: int, to: int, color: int) -> Way:
    """Return the direction from which a piece comes, seen by its owner.

    Both numbers go from -1 to 1: the first from left to right, the second from ahead to behind.
    """
    across = (origin % 9 > to % 9) - (origin % 9 < to % 9)
    along = (origin // 9 > to // 9) - (origin // 9 < to // 9)
    return (-across, -along) if color else (across, along)


def _fewest_words(way: Way, ways: list[Way], *, straight: bool) -> str:
    across, along = way
    if sum(other[1] == along for other in ways) == 1:
        return "DMU"[along + 1]
    if across == 0 and along == 1 and straight:
        return "C"
    if sum(other[0] == across for other in ways) > 1:
        return "LCR"[across + 1] + "DMU"[along + 1]
    if across == 0 and not straight:
        return "R" if any(other[0] < 0 for other in ways) else "L"
    return "LCR"[across + 1]


def resolve(position: Position, piece: int, to: int, words: str) -> list[int]:
    """Return the sources (squares, or `DROP` + kind) of a move text without a source.

    `piece` is the kind 1..14 before the move, `words` JKF's relative letters. One source is the answer; none
    means an illegal text, several an ambiguous one. Without H a drop is meant only if no such piece on the
    board can come. Of several sources, those that leave the own king in check are excluded, unless that
    excludes all: writers who know the rules do not mention them.
    """
    color = position.turn
    drop = [DROP + piece] if piece <= HAND_KINDS[-1] and position.hands[color][piece] else []
    if "H" in words:
        return drop
    origins = sources(position, color, piece, to)
    if not origins:
        return [] if words else drop
    origins = matching(origins, to, color, words)
    if len(origins) < 2:
        return origins
    return [origin for origin in origins if not exposes(position, pack(origin, to))] or origins


def matching(origins: list[int], to: int, color: int, words: str) -> list[int]:
    """Return the source squares that relative words allow for a move of `color` to a square.

    L and R mean pieces that come from that side or, if none does, the outermost of those that the other words
    allow. So two dragons can be told apart even if one is right behind the other.
    """
    ways = [(origin, _way(origin, to, color)) for origin in origins]
    for word in words:
        if word in "UMD":
            ways = [item for item in ways if item[1][1] == "DMU".index(word) - 1]
        elif word == "C":
            ways = [item for item in ways if item[1] == (0, 1)]
    for word, side in (("L", -1), ("R", 1)):
        if word in words and ways:
            ways = _on_side(ways, side, color)
    return [origin for origin, _ in ways]


def _on_side(ways: list[tuple[int, Way]], side: int, color: int) -> list[tuple[int, Way]]:
    """Return the pieces that come from the left (-1) or right (1), else the outermost on that side."""
    coming = [item for item in ways if item[1][0] == side]
    if coming:
        return coming
    facing = -side if color else side
    furthest = max(item[0] % 9 * facing for item in ways)
    outermost = [item for item in ways if item[0] % 9 * facing == furthest]
    return outermost if len(outermost) < len(ways) else []
