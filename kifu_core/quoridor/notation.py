"""Moves as people write them: `e2`, `e3h`, and older notations that still have to be read.

A square is a letter and a digit, and a wall has the name of the square of its block that is nearest to a1,
with `h` or `v`. Notations differ in the place of a1. Today's has it at White's left: White starts on e1, and
e3h lies above e3. The older one (Glendenning, 2005; Wikipedia until about 2012; OpenSpiel) has it at the far
left: White starts on e9, and e3h lies below e3 as White sees it. Some writers put the orientation first
(`he3`, `He3`) and P before the pawn's square (`Pe2`), some add the source (`e1-e2`) or the column that the
pawn jumps over (`c-d5`). Capitals mean the same.
"""

import re
from collections.abc import Iterable
from typing import Final, Literal

from kifu_core.deadline import watched
from kifu_core.errors import DecodeError
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import TOLERATED
from kifu_core.quoridor.record import QuoridorMove, packed_move
from kifu_core.quoridor.rules import fault

Origin = Literal["bottom-left", "top-left"]
"""The corner of a1 as White sees the board."""
ORIGINS: Final[tuple[Origin, Origin]] = ("bottom-left", "top-left")

FIRST_STEPS: Final = ("e2", "d1", "f1", "e8", "d9", "f9")
"""The targets of White's first pawn move, with a1 in either corner."""

_WALL: Final = "[a-h][1-8][hv]|[hv][a-h][1-8]"
_STEP: Final = "(?:[a-i][1-9]?-)?[a-i][1-9]|[a-i][1-9][a-i][1-9]"
MOVE: Final = f"(?a:{_WALL}|p?(?:{_STEP}))"
"""A move in any of these notations, for expressions that ignore case (but take no other letter for an `i`).
"""
SURE_MOVE: Final = f"(?a:{_WALL}|{_STEP}|p(?:{'|'.join(FIRST_STEPS)}))"
"""A move by which a list is recognised: `Pc4` may be one of shogi or chess."""

_PARTS: Final = re.compile(
    r"(?:(?P<square>[a-h][1-8])(?P<after>[hv])|(?P<before>[hv])(?P<block>[a-h][1-8])"
    r"|p?(?:(?:(?P<from>[a-i][1-9])|[a-i])-(?P<target>[a-i][1-9])|(?P<start>[a-i][1-9])(?P<end>[a-i][1-9])"
    r"|(?P<to>[a-i][1-9])))",
    re.IGNORECASE,
)


def read_move(text: str) -> QuoridorMove:
    """Return the move of a text, with lower-case names; raises DecodeError `bad-quoridor-move`.

    >>> read_move("He4"), read_move("e1-E2"), read_move("c-d5"), read_move("Pe2")
    ({'wall': 'e4h'}, {'to': 'e2', 'from': 'e1'}, {'to': 'd5'}, {'to': 'e2'})
    """
    match = _PARTS.fullmatch(text)
    if match is None:
        raise DecodeError("bad-quoridor-move", params={"text": text[:20]})
    part = {name: text_of_part.lower() for name, text_of_part in match.groupdict().items() if text_of_part}
    if "square" in part:
        return {"wall": part["square"] + part["after"]}
    if "block" in part:
        return {"wall": part["block"] + part["before"]}
    move: QuoridorMove = {"to": part.get("target") or part.get("end") or part["to"]}
    if origin := part.get("from") or part.get("start"):
        move["from"] = origin
    return move


def convert_origin(move: QuoridorMove, origin: Origin) -> QuoridorMove:
    """Return the move in today's notation; the given names have a1 at `origin`. An involution."""
    if origin == "bottom-left":
        return move
    if "wall" in move:
        wall = move["wall"]
        return {"wall": f"{wall[0]}{9 - int(wall[1])}{wall[2]}"}
    turned: QuoridorMove = {"to": _flip_row(move["to"])}
    if "from" in move:
        turned["from"] = _flip_row(move["from"])
    return turned


def _flip_row(text: str) -> str:
    return f"{text[0]}{10 - int(text[1])}"


def all_playable(moves: Iterable[QuoridorMove], origin: Origin, start: QuoridorPosition) -> bool:
    """Return whether all moves, read with a1 at `origin`, can be played one after the other."""
    position = start.copy()
    return all(_try_move(position, move, origin) for move in watched(moves))


def origin_of(moves: Iterable[QuoridorMove], start: QuoridorPosition) -> Origin | None:
    """Return the origin that lets a list be played further; None if both go as far.

    The first move of a pawn decides, as the pawns start on different rows. Doubts remain only for lists of
    walls alone, and for lists that cannot be played either way.
    """
    positions = [(origin, start.copy()) for origin in ORIGINS]
    for move in watched(moves):
        possible = [origin for origin, position in positions if _try_move(position, move, origin)]
        if len(possible) < len(ORIGINS):
            return possible[0] if possible else None
    return None


def _try_move(position: QuoridorPosition, move: QuoridorMove, origin: Origin) -> bool:
    """Play a move, read with a1 at `origin`; return False, and play nothing, if it is illegal."""
    packed = packed_move(convert_origin(move, origin))
    if fault(position, packed) not in (None, *TOLERATED):
        return False
    position.do_move(packed)
    return True
