"""Games for benchmarks: random, legal, always the same for a number, with openings that meet as real ones do.

    python -m benchmarks.generate [--games N] [--first N] > games.csa

It measures nothing itself. The first plies are drawn with falling weights from the moves of their position,
so that few openings are met often and many once; later moves are drawn evenly. Making a game takes about as
long as reading and indexing one.
"""

from __future__ import annotations

import argparse
import random
import sys
from datetime import date, timedelta
from functools import cache
from itertools import accumulate

from kifu_core import Position, dump, normalize, shogi64
from kifu_core.jkf import Record
from kifu_core.shogi.moves import dropped, promotes, source, target
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.rules import legal_moves
from kifu_core.shogi.squares import FILES, RANKS

OPENING_PLIES = 24
OPENING_CHOICES = 6
OPENING_WEIGHTS = [*accumulate(1 / rank**2 for rank in range(1, OPENING_CHOICES + 1))]
"""The favourite of a position is played in two of three games, the next in one of six."""

PLAYERS = 400
PLAYER_WEIGHTS = [*accumulate(1 / rank for rank in range(1, PLAYERS + 1))]
EVENTS = 40
FIRST_DAY = date(1990, 1, 1)
DAYS = 12_000
ENDINGS = ("TORYO",) * 17 + ("SENNICHITE", "JISHOGI", "CHUDAN")

SEPARATOR = "/\n"
"""Between two games of one CSA file."""


@cache
def _favourites(line: tuple[int, ...]) -> list[int]:
    """The moves played after these first moves, the most frequent first; the same for all games."""
    position = Position.initial()
    for move in line:
        position.do_move(move)
    choices = legal_moves(position)
    random.Random(repr(line)).shuffle(choices)
    return choices[:OPENING_CHOICES]


def _length(dice: random.Random) -> int:
    """Plies of a game: about 100, as in real ones."""
    return round(min(200, max(40, dice.gauss(100, 25))))


@cache
def moves(number: int) -> tuple[int, ...]:
    """The packed moves of a game; it ends early only if there is no legal move."""
    dice, position, line = random.Random(number), Position.initial(), list[int]()
    for ply in range(_length(dice)):
        opening = ply < OPENING_PLIES
        choices = _favourites(tuple(line)) if opening else legal_moves(position)
        if not choices:
            break
        weights = OPENING_WEIGHTS[: len(choices)] if opening else None
        line.append(dice.choices(choices, cum_weights=weights)[0])
        position.do_move(line[-1])
    return tuple(line)


def _place(square: int) -> dict[str, int]:
    return {"x": FILES[square], "y": RANKS[square]}


def _entry(move: int) -> dict[str, object]:
    """A move with the least that JKF needs of it."""
    to = _place(target(move))
    if kind := dropped(move):
        return {"move": {"to": to, "piece": CODES[kind]}}
    return {"move": {"from": _place(source(move)), "to": to, "promote": promotes(move)}}


def _player(dice: random.Random) -> str:
    return f"対局者{dice.choices(range(1, PLAYERS + 1), cum_weights=PLAYER_WEIGHTS)[0]}"


def header(dice: random.Random) -> dict[str, str]:
    """Players, event and day of a game; a few players play much, most little."""
    day = FIRST_DAY + timedelta(days=dice.randrange(DAYS))
    event = f"第{day.year - FIRST_DAY.year + 1}回試験戦{dice.randrange(EVENTS) + 1}組"
    return {"先手": _player(dice), "後手": _player(dice), "棋戦": event, "開始日時": f"{day:%Y/%m/%d}"}


def record(number: int) -> Record:
    """A game as a normalized record, with players, event, day and ending."""
    dice = random.Random(f"header {number}")
    headers, ending = header(dice), dice.choice(ENDINGS)
    entries = [{}, *map(_entry, moves(number)), {"special": ending}]
    return normalize({"header": headers, "initial": {"preset": "HIRATE"}, "moves": entries})


def csa(number: int) -> str:
    """A game as the text of a CSA file."""
    return dump(record(number), "csa")


def csa_file(numbers: range) -> str:
    """Games as the text of one CSA file."""
    return SEPARATOR.join(map(csa, numbers))


def code(number: int, ply: int) -> str:
    """The code of a game's position after so many plies, or at its end where that is earlier."""
    position = Position.initial()
    for move in moves(number)[:ply]:
        position.do_move(move)
    return shogi64.encode(position)


def main() -> None:
    """Write games to standard output."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    options = parser.parse_args()
    sys.stdout.write(csa_file(range(options.first, options.first + options.games)))


if __name__ == "__main__":
    main()
