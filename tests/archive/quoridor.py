"""Games of Quoridor for tests: one in several formats, and random ones that meet each other often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from archive.derive.game import DerivedGame, derive_game
from kifu_core.quoridor.board import PAWN, name, orient, read_name
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfCode, QfState, encode
from kifu_core.quoridor.record import QuoridorEntry, as_jkf, move_object, new_record
from kifu_core.quoridor.rules import legal_moves
from kifu_core.record import Ending, ParsedGame, RecordKind
from tests.archive.builders import HEADERS, random_header
from tests.kifu_core.quoridor.games import random_game as random_moves

PLAYED = random_moves(5, 24)
CODE = encode(QfCode(None, tuple(PLAYED)))
"""A game as the free board writes it."""

LIST = " ".join(map(name, PLAYED))
NAMED = f"""[White "Ada"]
[Black "Bo"]
[Date "2024/05/01"]

{LIST} X
"""
"""The same game as a list of moves: who played, when, and that Bo won."""

START = "gkwAAIAA"
"""The code of the initial position."""

Forks = Mapping[int, list[list[str]]]
"""Index of a move (from 1) -> lines that play something else instead."""


# --- positions -------------------------------------------------------------------------------------------


def after(played: str) -> QuoridorPosition:
    """The position after moves from the start."""
    position = QuoridorPosition.initial()
    for text in played.split():
        position.do_move(read_name(text))
    return position


def turned(position: QuoridorPosition, orientation: int) -> QuoridorPosition:
    """The position mirrored (bit 0) and with the colours swapped (bit 1), move by move."""
    pawns = [orient(PAWN + square, orientation) - PAWN for square in position.pawns]
    walls = [[orient(wall, orientation) for wall in position.walls(color)] for color in (0, 1)]
    if orientation & 2:
        return QuoridorPosition.of(pawns[::-1], walls[::-1], position.turn ^ 1)
    return QuoridorPosition.of(pawns, walls, position.turn)


def same_board(position: QuoridorPosition) -> str:
    """What the rules know of a position: not who placed which wall."""
    walls = sorted(name(wall) for color in (0, 1) for wall in position.walls(color))
    left = [position.walls_left(color) for color in (0, 1)]
    return repr((position.pawns, walls, left, position.turn))


# --- games -----------------------------------------------------------------------------------------------


def line(position: QuoridorPosition, played: list[str], forks: Forks | None = None) -> list[QuoridorEntry]:
    """Entries of a line from a position, which is left as it was."""
    position, entries = position.copy(), list[QuoridorEntry]()
    for index, text in enumerate(played, start=1):
        entry: QuoridorEntry = {"move": move_object(position, read_name(text))}
        if forks and index in forks:
            entry["forks"] = [line(position, fork) for fork in forks[index]]
        entries.append(entry)
        position.do_move(read_name(text))
    return entries


def ready(
    played: str | list[str],
    forks: Forks | None = None,
    winner: int | None = 0,
    kind: RecordKind = "game",
    start: QuoridorPosition | None = None,
    **header: str,
) -> DerivedGame:
    """A game for the store; `black` and `white` are colours 0 and 1, as in `builders.ready`."""
    played = played.split() if isinstance(played, str) else played
    begin = start or QuoridorPosition.initial()
    entries: list[QuoridorEntry] = [{}, *line(begin, played, forks)]
    named = {HEADERS[key]: text for key, text in header.items()}
    made = new_record(named, QfState(begin.copy()), entries)
    return derive_game(ParsedGame(as_jkf(made), kind, Ending("X", "TORYO", len(played), winner)))


_WALLS = frozenset(map(read_name, ["d3h", "e3h", "d6h", "e6h", "d4v", "e4v", "d5v", "e5v"]))
"""Few places, and their images among them, so that games meet in every orientation."""


def random_line(position: QuoridorPosition, random: Random, plies: int) -> list[str]:
    """Legal moves of pawns, and walls at few places."""
    position, played = position.copy(), []
    for _ in range(plies):
        legal = [move for move in legal_moves(position) if move & PAWN or move in _WALLS]
        if not legal:
            break
        move = random.choice(legal)
        played.append(name(move))
        position.do_move(move)
    return played


def random_game(random: Random, plies: int = 8) -> DerivedGame:
    """A short game with repeats, forks and a start in one of several orientations."""
    start = turned(random.choice([QuoridorPosition.initial(), HALFWAY]), random.randrange(4))
    played = random_line(start, random, random.randrange(plies + 1))
    forks: dict[int, list[list[str]]] = {}
    for _ in range(random.randrange(4) if played else 0):
        at, position = random.randrange(len(played)), start.copy()
        for text in played[:at]:
            position.do_move(read_name(text))
        if fork := random_line(position, random, random.randrange(1, 4)):
            forks.setdefault(at + 1, []).append(fork)
    kind: RecordKind = random.choice(["game", "game", "game", "tree"])
    made = ready(played, forks, random.choice([0, 1, None]), kind, start, **random_header(random))
    return replace(made, ratings=tuple(random.choice([None, 1500, 2000]) for _ in range(2)))


HALFWAY = after("e2 e8 e3 e7 e4 e6 d3h e6h")
