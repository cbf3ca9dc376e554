"""qf_code: a position ("state"), a list of moves ("record"), or both, as a short text in base64.

The format is that of the board viewer and the free board of the Quoridor fansite (2014). Their decoders read
missing bits as zeros and show a wrong board; this decoder refuses every incomplete code with an error, and
reports oddities as issues. `docs/quoridor.md` describes bits, errors and findings.
"""

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kifu_core.errors import DecodeError, IllegalMoveError, Issue, KifuError
from kifu_core.quoridor.board import PAWN, STARTS, VERTICAL, WALL, WALLS_EACH, name
from kifu_core.quoridor.position import WALL_BITS, QuoridorPosition, places
from kifu_core.quoridor.rules import fault, has_paths, wall_fits
from kifu_core.quoridor.width import narrow

LONGEST: Final = 712
"""No code is longer: 20 walls in the state and 1,023 moves of pawns."""
MOST_PLIES: Final = 1023
LAST_TURN: Final = 1023

DIRECTIONS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Steps as (x, y) by their number: up, then clockwise; the same for both colours."""
_NUMBER: Final = {step: number for number, step in enumerate(DIRECTIONS)}

_BLANK: Final = re.compile(r"[ \t-\r]+")
_STRANGE: Final = re.compile(r"[^A-Za-z0-9+/]")

TOLERATED: Final = frozenset({"no-path", "after-win"})
"""Faults that are only issues: the free board does not know these rules."""


@dataclass(frozen=True, slots=True)
class QfState:
    """A position with the last wall and the turn number of a code. Callers must not change the position.

    `last_wall` is the place of the wall that the side not to move placed last, None if it moved its pawn.
    """

    position: QuoridorPosition
    last_wall: int | None = None
    turn_number: int = 1


@dataclass(frozen=True, slots=True)
class QfCode:
    """The content of a code. Without a `state` the moves begin at the start of the game; `moves` are as in
    `board`, None if the code has no record. `issues` are the findings of the decoding."""

    state: QfState | None
    moves: tuple[int, ...] | None
    issues: tuple[Issue, ...] = ()

    def start(self) -> QfState:
        """Return the state at which the moves begin."""
        return self.state or QfState(QuoridorPosition.initial())


class _CodeBits:
    """The bits of a code, read from the front."""

    def __init__(self, code: str) -> None:
        self.length = 6 * len(code)
        data = a2b_base64(code + "A" * (-len(code) % 4))
        self.digits = f"{int.from_bytes(data):0{8 * len(data)}b}"[: self.length]
        self.place = 0

    def number(self, width: int, field: str, ply: int | None = None) -> int:
        begin = self.place
        self.place = end = begin + width
        if end > self.length:
            raise DecodeError("truncated", ply=ply, params={"field": field})
        return int(self.digits[begin:end], 2)

    def at_character(self) -> int:
        """Return the number, from 1, of the character with the last bit read, at most the last one."""
        return min(max(self.place - 1, 0), self.length - 1) // 6 + 1

    def finish(self) -> None:
        """Raise DecodeError unless the rest is padding with zeros."""
        rest = self.digits[self.place :]
        self.place += 6
        if len(rest) >= 6:
            raise DecodeError("trailing-chars", params={"count": len(rest) // 6})
        if "1" in rest:
            raise DecodeError("nonzero-padding")


def clean(text: str) -> str:
    """Return a pasted code in half-width characters, without its white space and without `=` at its end."""
    return narrow(_BLANK.sub("", text)).rstrip("=＝")


def drop_strange(text: str) -> tuple[str, int]:
    """Return a text without characters outside the alphabet, and their number.

    White space and `=` at the end are dropped too, but not counted.
    """
    pasted = clean(text)
    code, dropped = _STRANGE.subn("", pasted)
    return code, dropped


ERRORS: Final = (
    "empty", "too-long", "bad-char", "no-content", "truncated", "pawn-range", "pawn-overlap", "wall-count",
    "wall-conflict", "last-move-wall", "off-board", "illegal-move", "trailing-chars", "nonzero-padding",
)  # fmt: skip
"""Codes of the errors of `decode`, in the order of the checks."""


def decode(text: str, *, pasted: bool = True) -> QfCode:
    """Return the content of a code. `pasted` text may have white space, and `=` at its end.

    Raises DecodeError with the `column` of the fault in the text, from 1, and in a record with its `ply`,
    from 1. In the order of the checks: `empty`, `too-long` (both without a column), `bad-char`, `no-content`,
    `truncated`, `pawn-range`, `pawn-overlap`, `wall-count`, `wall-conflict`, `last-move-wall`, `off-board`,
    `illegal-move`, `trailing-chars`, `nonzero-padding`. Issues are `start-snapshot`, `parity`, `unsorted`,
    `no-path` and `after-win`.
    """
    code = clean(text) if pasted else text
    if not code:
        raise DecodeError("empty")
    if len(code) > LONGEST:
        raise DecodeError("too-long", params={"length": len(code)})
    if strange := _STRANGE.search(code):
        at = (narrow(text) if pasted else text).index(strange[0])
        raise DecodeError("bad-char", column=at + 1, params={"char": text[at]})
    bits = _CodeBits(code)
    try:
        return _read(bits)
    except DecodeError as error:
        error.column = _column(text, bits.at_character())
        raise


def _column(text: str, number: int) -> int:
    """Return the column, from 1, of a code's character in a text with white space."""
    columns = [column for column, character in enumerate(text, start=1) if not _BLANK.match(character)]
    return columns[number - 1]


def _read(bits: _CodeBits) -> QfCode:
    has_state, has_record = bits.number(1, "flags"), bits.number(1, "flags")
    if not has_state and not has_record:
        raise DecodeError("no-content")
    issues: list[Issue] = []
    state = _read_state(bits, issues) if has_state else None
    start = state.position.copy() if state else QuoridorPosition.initial()
    moves = _read_record(bits, start, issues) if has_record else None
    bits.finish()
    code = QfCode(state, moves)
    if is_start_snapshot(code):
        issues = [issue for issue in issues if issue.code != "parity"]
        issues.insert(0, Issue("start-snapshot"))
    return QfCode(state, moves, tuple(issues))


LISTS: Final = (("white_h", 0, 0), ("white_v", 0, VERTICAL), ("black_h", 1, 0), ("black_v", 1, VERTICAL))
"""The lists of walls in the order of the code: name, owner, orientation."""


def _read_state(bits: _CodeBits, issues: list[Issue]) -> QfState:
    pawns = [bits.number(7, "white"), bits.number(7, "black")]
    check_pawns(pawns)
    lists = {field: [bits.number(6, field) for _ in range(bits.number(4, field))] for field, _, _ in LISTS}
    for color in (0, 1):
        count = sum(len(lists[field]) for field, owner, _ in LISTS if owner == color)
        if count > WALLS_EACH:
            raise DecodeError("wall-count", params={"count": count})
    position = QuoridorPosition(pawns, [0, 0], [0, 0], 0)
    for field, owner, lying in LISTS:
        for place in lists[field]:
            add_wall(position, owner, WALL + lying + place)
    by, is_wall = bits.number(1, "last_move"), bits.number(1, "last_move")
    last_wall = bits.number(6, "last_move") if is_wall else None
    if last_wall is not None:
        check_last_wall(position, by, last_wall)
    position.turn = by ^ 1
    turn_number = bits.number(10, "turn_number")
    if any(places_of_list != sorted(places_of_list) for places_of_list in lists.values()):
        issues.append(Issue("unsorted"))
    if turn_number % 2 == position.turn:
        issues.append(Issue("parity", params={"number": turn_number}))
    if not has_paths(position):
        issues.append(Issue("no-path", ply=0))
    return QfState(position, last_wall, turn_number)


def check_pawns(pawns: Sequence[int]) -> None:
    """Raise DecodeError for pawns beyond the board (`pawn-range`) or on one square (`pawn-overlap`)."""
    for square in pawns:
        if not 0 <= square <= 80:
            raise DecodeError("pawn-range", params={"square": square})
    if pawns[0] == pawns[1]:
        raise DecodeError("pawn-overlap")


def add_wall(position: QuoridorPosition, owner: int, wall: int) -> None:
    """Put a wall on the board; raises DecodeError `wall-conflict` if it does not fit."""
    if not wall_fits(position, wall):
        raise DecodeError("wall-conflict", params={"move": name(wall)})
    position.side(wall)[owner] |= WALL_BITS[wall & 63]


def check_last_wall(position: QuoridorPosition, owner: int, place: int) -> None:
    """Raise DecodeError `last-move-wall` unless this colour has a wall there."""
    if not (position.horizontal[owner] | position.vertical[owner]) & WALL_BITS[place]:
        raise DecodeError("last-move-wall", params={"place": name(WALL + place)[:2]})


def _read_record(bits: _CodeBits, position: QuoridorPosition, issues: list[Issue]) -> tuple[int, ...]:
    """Read the moves of a record; they are played on `position`."""
    moves: list[int] = []
    noted = {issue.code for issue in issues}
    for ply in range(1, bits.number(10, "plies") + 1):
        if bits.number(1, "move", ply):
            move = WALL + bits.number(7, "move", ply)
        else:
            move = landing(position, bits.number(3, "move", ply), ply)
        broken = fault(position, move)
        if broken is not None and broken not in TOLERATED:
            raise DecodeError(broken, ply=ply, params={"move": name(move)})
        if broken is not None and broken not in noted:
            noted.add(broken)
            issues.append(Issue(broken, ply=ply))
        position.do_move(move)
        moves.append(move)
    return tuple(moves)


def landing(position: QuoridorPosition, number: int, ply: int | None = None) -> int:
    """Return the pawn move of a direction: a step, or the jump that shares its number.

    Raises DecodeError `pawn-overlap` for a diagonal onto the other pawn, and `off-board`. Walls are not
    checked.
    """
    right, up = DIRECTIONS[number]
    square, other = position.pawns[position.turn], position.pawns[position.turn ^ 1]
    x, y = square % 9 + right, square // 9 + up
    if 0 <= x <= 8 and 9 * y + x == other:
        if number % 2:
            raise DecodeError("pawn-overlap", ply=ply)
        x, y = x + right, y + up
    if not (0 <= x <= 8 and 0 <= y <= 8):
        raise DecodeError("off-board", ply=ply)
    return PAWN + 9 * y + x


_SIXES: Final = tuple(f"{place:06b}" for place in range(64))


def characters(digits: str) -> str:
    """Return bits, padded with zeros on the right, as characters of six bits each."""
    length = len(digits)
    data = (int(digits, 2) << -length % 8).to_bytes((length + 7) // 8)
    return b2a_base64(data, newline=False)[: (length + 5) // 6].decode("ascii")


def state_digits(
    pawns: Sequence[int], lists: Iterable[Sequence[int]], turn: int, last_wall: int | None, turn_number: int
) -> str:
    """Return the bits of a state; nothing is checked.

    `lists` are the wall places of White's horizontal and vertical, Black's horizontal and vertical walls.
    """
    parts = [f"{pawns[0]:07b}{pawns[1]:07b}"]
    for walls in lists:
        parts.append(_COUNTS[len(walls)])
        parts += [_SIXES[place] for place in walls]
    parts.append("10"[turn])
    parts.append("0" if last_wall is None else "1" + _SIXES[last_wall])
    parts.append(f"{turn_number:010b}")
    return "".join(parts)


_COUNTS: Final = tuple(f"{count:04b}" for count in range(16))


def encode(code: QfCode) -> str:
    """Return the code as text, its wall lists ascending; decoding it gives the same state and moves.

    Raises KifuError for content without a code: the codes of `decode`, `turn-range` for a turn number beyond
    1,023, `too-many-plies`.
    """
    if code.state is None and code.moves is None:
        raise KifuError("no-content")
    digits = ["01"[code.state is not None], "01"[code.moves is not None]]
    if code.state is not None:
        digits.append(_state_of(code.state))
    if code.moves is not None:
        digits.append(_record_of(code.start().position.copy(), code.moves))
    return characters("".join(digits))


def _state_of(state: QfState) -> str:
    position = state.position
    check_state(state)
    lists = [places(walls[color]) for color in (0, 1) for walls in (position.horizontal, position.vertical)]
    return state_digits(position.pawns, lists, position.turn, state.last_wall, state.turn_number)


def check_state(state: QfState) -> None:
    """Raise KifuError for a state that has no code."""
    position = state.position
    check_pawns(position.pawns)
    board = QuoridorPosition(position.pawns, [0, 0], [0, 0], position.turn)
    for color in (0, 1):
        walls = position.walls(color)
        if len(walls) > WALLS_EACH:
            raise DecodeError("wall-count", params={"count": len(walls)})
        for wall in walls:
            add_wall(board, color, wall)
    if state.last_wall is not None:
        check_last_wall(position, position.turn ^ 1, state.last_wall)
    if not 0 <= state.turn_number <= LAST_TURN:
        raise KifuError("turn-range", params={"number": state.turn_number})


def _record_of(position: QuoridorPosition, moves: Sequence[int]) -> str:
    """Return the bits of a record; its moves are played on `position`."""
    if len(moves) > MOST_PLIES:
        raise KifuError("too-many-plies", params={"count": len(moves), "limit": MOST_PLIES})
    parts = [f"{len(moves):010b}"]
    for ply, move in enumerate(moves, start=1):
        broken = fault(position, move)
        if broken is not None and broken not in TOLERATED:
            raise IllegalMoveError(broken, ply=ply, params={"move": name(move)})
        parts.append(f"0{direction(position, move):03b}" if move & PAWN else f"1{move - WALL:07b}")
        position.do_move(move)
    return "".join(parts)


def direction(position: QuoridorPosition, move: int) -> int:
    """Return the number of the direction in which the pawn to move goes with a legal move."""
    square, to = position.pawns[position.turn], move - PAWN
    right, up = to % 9 - square % 9, to // 9 - square // 9
    return _NUMBER[(right > 0) - (right < 0), (up > 0) - (up < 0)]


def is_start_snapshot(code: QfCode) -> bool:
    """Return whether a code is the free board's snapshot of the start.

    That board writes "no last move" as a move of White's pawn, and reads it back with Black to move. With a
    record, the literal reading is the right one.
    """
    state = code.state
    if state is None or code.moves is not None or state.last_wall is not None or state.turn_number != 1:
        return False
    return state.position == QuoridorPosition(list(STARTS), [0, 0], [0, 0], 1)


def normalized(code: QfCode) -> QfCode:
    """Return the same content in its normal form.

    A snapshot of the start has White to move, and a record that begins at the start has no state. Wall lists
    are ascending in every code that is written.
    """
    if is_start_snapshot(code):
        return QfCode(QfState(QuoridorPosition.initial()), None, code.issues)
    state = code.state
    if state is not None and code.moves is not None and state == QfState(QuoridorPosition.initial()):
        return QfCode(None, code.moves, code.issues)
    return code
