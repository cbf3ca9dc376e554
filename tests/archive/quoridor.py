"""Games of Quoridor for tests: the same one in several formats, and random ones for the store."""

from __future__ import annotations

from archive.ingest.ready import ReadyGame, ready_game
from kifu_core.quoridor.board import name
from kifu_core.quoridor.position import Position
from kifu_core.quoridor.qf_code import Code, State, encode
from kifu_core.quoridor.record import as_jkf
from kifu_core.record import ParsedGame
from tests.kifu_core.quoridor.games import random_game
from tests.kifu_core.quoridor.records import random_record

PLAYED = random_game(5, 24)
CODE = encode(Code(None, tuple(PLAYED)))
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


def state_code(position: Position) -> str:
    """The code of a snapshot."""
    return encode(Code(State(position), None))


def ready_record(seed: int, plies: int = 30) -> ReadyGame:
    """A random game with forks for the store."""
    return ready_game(ParsedGame(as_jkf(random_record(seed, plies)), "game", None))
