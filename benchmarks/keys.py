"""Time per position of codes, classes, keys and legal moves, beside what they cannot be faster than.

    python -m benchmarks.keys [--games N] [--perft] [--json]

All figures are of one run: times mean nothing by themselves on a shared machine, so compare ratios. The
limit of a key is a bare BLAKE2b of its code; the peer of the encoder is the plain way to write the same bits,
a code per square joined, without the checks for Mixed mode. Games are random and legal, always the same.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterable
from hashlib import blake2b

from kifu_core.keys import shogi64
from kifu_core.keys.canonical import canonical, canonical_of, key
from kifu_core.keys.shogi64 import COUNT_CODES, NORMAL_CELLS, PAWN_CODES
from kifu_core.pieces import HAND_KINDS
from kifu_core.position import Position
from kifu_core.rules import legal_moves

Game = list[int]
PLIES = 120
ROUNDS = 5


def random_game(seed: int) -> Game:
    """A game of up to `PLIES` random legal moves."""
    dice, position, game = random.Random(seed), Position.initial(), Game()
    while len(game) < PLIES and (found := legal_moves(position)):
        game.append(dice.choice(found))
        position.do_move(game[-1])
    return game


def positions_of(games: Iterable[Game]) -> list[Position]:
    """A copy of every position that a move leads to."""
    found = []
    for game in games:
        position = Position.initial()
        for move in game:
            position.do_move(move)
            found.append(position.copy())
    return found


def plain_join(position: Position) -> str:
    """The peer: the code in Normal mode, which these games never leave, square by square."""
    board = position.board
    bits = ["0" if position.turn else "1", "0", f"{board.index(8) + 1:07b}", f"{board.index(-8) + 1:07b}"]
    for pawn in (1, -1):
        for column in range(9):
            file = board[column::9]
            rank = file.index(pawn) + 1 if pawn in file else 0
            bits.append(PAWN_CODES[10 - rank if rank and pawn < 0 else rank])
    bits += [NORMAL_CELLS[piece] for piece in board if piece not in (1, -1, 8, -8)]
    bits += [COUNT_CODES[kind][hand[kind]] for hand in position.hands for kind in HAND_KINDS]
    return shogi64.characters("".join(bits))


def replay(games: Iterable[Game], each: Callable[[shogi64.Encoder], object] | None) -> None:
    """Play games through, with an encoder that follows and is asked after every move."""
    for game in games:
        position = Position.initial()
        if each is None:
            for move in game:
                position.do_move(move)
            continue
        encoder = shogi64.Encoder(position)
        for move in game:
            encoder.follow(move, position.do_move(move))
            each(encoder)


def class_key(encoder: shogi64.Encoder) -> int:
    """The whole way from a followed position to its key."""
    found = canonical_of(encoder)
    return key(found.code, found.orientation)


def count_lines(position: Position, depth: int) -> int:
    """How many sequences of legal moves there are."""
    found = legal_moves(position)
    if depth == 1:
        return len(found)
    total = 0
    for move in found:
        captured = position.do_move(move)
        total += count_lines(position, depth - 1)
        position.undo_move(move, captured)
    return total


def best_of(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The shortest of some runs, in seconds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def measure(games: list[Game]) -> dict[str, float]:
    """Microseconds per position of everything, in the order of the table."""
    positions = positions_of(games)
    codes = [shogi64.encode(position) for position in positions]
    assert codes == [plain_join(position) for position in positions]
    texts = [code.encode() for code in codes]
    shogi64.forget()
    works: dict[str, Callable[[], object]] = {
        "replay to key, first time": lambda: replay(games, class_key),
        "BLAKE2b of a code (limit)": lambda: [blake2b(text, digest_size=8).digest() for text in texts],
        "plain join per square (peer)": lambda: [plain_join(position) for position in positions],
        "do_move": lambda: replay(games, None),
        "encode": lambda: [shogi64.encode(position) for position in positions],
        "canonical": lambda: [canonical(position) for position in positions],
        "replay to code": lambda: replay(games, shogi64.Encoder.code),
        "replay to class": lambda: replay(games, canonical_of),
        "replay to key": lambda: replay(games, class_key),
        "decode": lambda: [shogi64.decode(code) for code in codes],
        "legal_moves": lambda: [legal_moves(position) for position in positions],
    }
    return {
        name: best_of(work, 1 if name.endswith("first time") else ROUNDS) * 1e6 / len(positions)
        for name, work in works.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--perft", action="store_true", help="also count the 719,731 lines of four moves")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure([random_game(seed) for seed in range(options.games)])
    if options.json:
        print(json.dumps({name: round(figure, 3) for name, figure in figures.items()}))
    else:
        print_table(figures)
    if options.perft:
        began = time.perf_counter()
        lines = count_lines(Position.initial(), 4)
        print(f"{lines:,} lines of four moves in {time.perf_counter() - began:.2f} s")


def print_table(figures: dict[str, float]) -> None:
    """A line per figure with its ratio to the limit and to the peer."""
    limit, peer = figures["BLAKE2b of a code (limit)"], figures["plain join per square (peer)"]
    print(f"{'per position':30} {'us':>7} {'x limit':>8} {'x peer':>7}")
    for name, figure in figures.items():
        print(f"{name:30} {figure:7.2f} {figure / limit:8.1f} {figure / peer:7.2f}")


if __name__ == "__main__":
    main()
