"""Lines `info` of USI engines."""

from __future__ import annotations

from typing import Final, NamedTuple

from archive.derive.verdicts import LARGEST_SCORE, MOST_DEPTH, MOST_MATE, Line

_NUMBERS: Final = ("depth", "nodes", "multipv")


class Info(NamedTuple):
    """A line of play that an engine reports. `line` is its score, from the side of colour 0; it is `exact`
    unless it is a bound. `number` counts candidates from 1."""

    number: int
    line: Line
    moves: tuple[str, ...]
    depth: int
    nodes: int
    exact: bool


def parse_info(text: str, turn: int) -> Info | None:
    """Return the line of play in a line `info`, if it has a score; `turn` is the side to move.

    >>> parse_info("info depth 9 nodes 20006 score cp -41 pv 3c3d 6g6f", 1).line.score
    41
    >>> parse_info("info depth 3 score mate -4 pv 5a4a", 0).line
    Line(score=None, winner=1, mate=4, moves=(), policy=None)
    """
    words = text.split()
    if words[:1] != ["info"] or "score" not in words or "string" in words[:2]:
        return None
    moves = tuple(words[words.index("pv") + 1 :]) if "pv" in words else ()
    head = words[: words.index("pv")] if "pv" in words else words
    score = head.index("score") + 1 if "score" in head else len(head)
    line = score_of(head[score : score + 2], turn)
    if line is None:
        return None
    numbers = {name: _number_after(head, name) for name in _NUMBERS}
    exact = "lowerbound" not in head and "upperbound" not in head
    depth = min(MOST_DEPTH, numbers["depth"])
    return Info(max(1, numbers["multipv"]), line, moves, depth, numbers["nodes"], exact)


def score_of(words: list[str], turn: int) -> Line | None:
    """Return `cp 35` or `mate -4` of the side to move as a line without moves; None if it is neither."""
    sign = -1 if turn else 1
    match words:
        case ["cp", number] if _is_whole(number):
            return Line(max(-LARGEST_SCORE, min(LARGEST_SCORE, sign * int(number))))
        case ["mate", "+" | "-" as side]:
            return Line(None, turn if side == "+" else 1 - turn)
        case ["mate", number] if _is_whole(number):
            plies = abs(int(number))
            winner = turn if int(number) > 0 else 1 - turn
            return Line(None, winner, plies if plies <= MOST_MATE else None)
    return None


def _number_after(words: list[str], name: str) -> int:
    index = words.index(name) + 1 if name in words else len(words)
    return int(words[index]) if index < len(words) and _is_whole(words[index]) else 0


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-").removeprefix("+")
    return digits.isascii() and digits.isdigit() and len(digits) <= 18
