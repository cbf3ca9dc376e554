"""The start of a record: JKF's `initial` to a position and back."""

from functools import cache
from typing import Final

from kifu_core.errors import ParseError
from kifu_core.jkf import Initial, InitialData, Square
from kifu_core.shogi.handicaps import by_preset, by_sfen
from kifu_core.shogi.pieces import BY_CODE, CODES, HAND_KINDS, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, RANKS, square


def start_position(initial: Initial | None) -> Position:
    """Return the position of an `initial` as a new object; None is the even game.

    Raises ParseError `no-board` for the preset OTHER without data. Pieces that no hand can hold are left out
    of the hands.
    """
    if initial is None:
        return preset_start("HIRATE")
    if initial["preset"] != "OTHER":
        return preset_start(initial["preset"])
    if (data := initial.get("data")) is None:
        raise ParseError("no-board", params={"name": "OTHER"})
    return _drawn(data)


def preset_start(preset: str) -> Position:
    """Return a new position for a preset."""
    return _starts(preset).copy()


@cache
def _starts(preset: str) -> Position:
    return Position.from_sfen(by_preset(preset).sfen)


def _drawn(data: InitialData) -> Position:
    board = [0] * 81
    for x, column in enumerate(data["board"], start=1):
        for y, cell in enumerate(column, start=1):
            if "kind" in cell:
                board[square(x, y)] = signed(cell.get("color", 0), BY_CODE[cell["kind"]])
    return Position(board, [_hand(hand) for hand in data["hands"]], data["color"])


def _hand(counts: dict[str, int]) -> list[int]:
    return [0, *(counts.get(CODES[kind], 0) for kind in HAND_KINDS)]


_CELLS: Final[tuple[Square, ...]] = (
    {},
    *(Square(color=0, kind=code) for code in CODES[1:]),
    *(Square(color=1, kind=code) for code in CODES[:0:-1]),
)
"""JKF's squares by their signed piece."""


def drawn_initial(position: Position) -> Initial:
    """Return any position as an `initial` with the preset OTHER and its data.

    Records share the objects of squares, which must not be changed: they make up a fifth of a board's memory.
    """
    board = [[_CELLS[0]] * 9 for _ in range(9)]
    for place, piece in enumerate(position.board):
        if piece:
            board[FILES[place] - 1][RANKS[place] - 1] = _CELLS[piece]
    hands = [{CODES[kind]: hand[kind] for kind in HAND_KINDS} for hand in position.hands]
    return {"preset": "OTHER", "data": {"color": position.turn, "board": board, "hands": hands}}


def initial_of(position: Position) -> Initial:
    """Return the position as an `initial`: by its preset if it has one, else drawn."""
    if position == _starts("HIRATE"):
        return {"preset": "HIRATE"}
    handicap = by_sfen(position.sfen(None))
    if handicap is not None and handicap.preset != "OTHER":
        return {"preset": handicap.preset}
    return drawn_initial(position)
