"""Texts of made-up games (`benchmarks.population`), as CSA.

    python -m benchmarks.generate [--games N] [--first N] > games.csa

It measures nothing itself. Making a game takes about as long as reading and indexing one.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.population import moves, record
from kifu_core import Position, dump, shogi64

SEPARATOR = "/\n"
"""Between two games of one CSA file."""


def csa(number: int) -> str:
    """Return a game as the text of a CSA file."""
    return dump(record(number), "csa")


def csa_file(numbers: range) -> str:
    """Return games as the text of one CSA file."""
    return SEPARATOR.join(map(csa, numbers))


def code(number: int, ply: int) -> str:
    """Return the code of a game's position at a ply, or at its end if that is earlier."""
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
