"""Games of random legal moves, with forks, for round trips."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kifu_core.jkf import MoveEntry, Record
from kifu_core.shogi.formats.usi import packed_step
from kifu_core.shogi.handicaps import HANDICAPS
from kifu_core.shogi.move_resolution import EndingStep
from kifu_core.shogi.move_times import complete_times
from kifu_core.shogi.normalize import replay_line
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.rules import legal_moves
from kifu_core.shogi.start import initial_of

STARTS = [Position.from_sfen(handicap.sfen) for handicap in HANDICAPS] + [
    Position.from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p"),
    Position.from_sfen("7nl/5kG2/6ppp/9/9/9/9/9/4K4 w 2r2b3G4s3n3l15p"),
]
SPECIALS = [None, "TORYO", "CHUDAN", "SENNICHITE", "TIME_UP", "ILLEGAL_MOVE", "JISHOGI", "KACHI"]


def random_record(seed: int, plies: int = 40, forks: int = 3) -> Record:
    """A normalized record without times, the same for the same seed."""
    random = Random(seed)
    position = STARTS[seed % len(STARTS)].copy()
    line = _line(random, position, plies, forks, 0)
    played = replay_line(line, position)
    assert not played.findings
    complete_times(played.entries, position.turn)
    first: MoveEntry = {}
    return {"header": {}, "initial": initial_of(position), "moves": [first, *played.entries]}


def random_positions(random: Random, count: int) -> Iterator[Position]:
    """Yield positions of random games, from openings to bare kings; each is a new object."""
    position = STARTS[0].copy()
    for _ in range(count):
        for _ in range(random.randrange(1, 12)):
            moves = legal_moves(position)
            if not moves:
                position = random.choice(STARTS).copy()
                continue
            captures = [move for move in moves if position.board[move >> 1 & 127]]
            position.do_move(random.choice(captures or moves))
        yield position.copy()


def _line(random: Random, start: Position, plies: int, forks: int, level: int) -> RawLine:
    """A random line with forks at random plies, each with one move less to play and fewer forks."""
    line, position = RawLine(restore_same=True, level=level), start.copy()
    for index in range(plies):
        moves = legal_moves(position)
        if not moves:
            break
        # An alternative to a variation's first move is its sibling, not its own variation.
        if forks and len(moves) > 1 and (index or not level) and random.random() < forks / plies:
            line.forks[index] = [
                _line(random, position, random.randint(1, 8), forks - 1, level + 1)
                for _ in range(random.randint(1, 2))
            ]
        move = random.choice(moves)
        line.steps.append(packed_step(move))
        position.do_move(move)
    if special := random.choice(SPECIALS):
        line.steps.append(EndingStep(special, special))
    line.times = [None] * len(line.steps)
    return line
