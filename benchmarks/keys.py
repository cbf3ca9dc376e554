"""Time per position of codes, classes, keys and legal moves, compared with limits and a peer.

    python -m benchmarks.keys [--games N] [--perft] [--json]

All figures are of one run, in processor time, the shortest of rounds that take turns. Compare ratios: times
on a shared machine mean little. The limit of a key is a bare BLAKE2b of its code, or the 64-bit Zobrist
number of an engine, which is unique only among few positions; the peer of the encoder is the simple way to
write the same bits, by joining a code for each square, without the checks for Mixed mode. Games are random
and legal, always the same.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import NamedTuple, TypeVar

from benchmarks.support import Round, Target, announce, as_json, options_of, own, shortest, verdict
from kifu_core.classes import key
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.keys.canonical import canonical, canonical_of
from kifu_core.shogi.keys.shogi64 import COUNT_CODES, NORMAL_CELLS, PAWN_CODES
from kifu_core.shogi.moves import DROP
from kifu_core.shogi.pieces import HAND_KINDS, IN_HAND
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves

Part = TypeVar("Part")
PLIES = 120
ROUNDS = 10
TARGETS = {"replay to code": 2.5, "replay to key": 6.0}
"""Microseconds per position that we want to stay below, moves included."""


class GameMoves(NamedTuple):
    """The start of a game, and its packed moves."""

    start: Position
    moves: list[int]


def random_game(seed: int) -> GameMoves:
    """Return a game of up to `PLIES` random legal moves."""
    dice, position, moves = random.Random(seed), Position.initial(), list[int]()
    while len(moves) < PLIES and (choices := legal_moves(position)):
        moves.append(dice.choice(choices))
        position.do_move(moves[-1])
    return GameMoves(Position.initial(), moves)


def positions_of(game: GameMoves) -> list[Position]:
    """Return a copy of the position after each move."""
    positions, position = [], game.start.copy()
    for move in game.moves:
        position.do_move(move)
        positions.append(position.copy())
    return positions


def plain_join(position: Position) -> str:
    """Return the code in Normal mode, which is enough for these games, square by square: the peer."""
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


def replay(game: GameMoves, read: Callable[[shogi64.Encoder], object] | None) -> None:
    """Play a game through, with an encoder that is read after every move."""
    position = game.start.copy()
    if read is None:
        for move in game.moves:
            position.do_move(move)
        return
    encoder = shogi64.Encoder(position)
    for move in game.moves:
        encoder.follow(move, position.do_move(move))
        read(encoder)


def class_key(encoder: shogi64.Encoder) -> int:
    """Return the key of a followed position."""
    canon = canonical_of(encoder)
    return key(canon.code, canon.orientation, "shogi")


def count_lines(position: Position, depth: int) -> int:
    """Return the number of sequences of legal moves."""
    choices = legal_moves(position)
    if depth == 1:
        return len(choices)
    total = 0
    for move in choices:
        captured = position.do_move(move)
        total += count_lines(position, depth - 1)
        position.undo_move(move, captured)
    return total


_DICE = random.Random(0)
_BOARD_NUMBERS = [[_DICE.getrandbits(64) for _ in range(81)] for _ in range(29)]
_HAND_NUMBERS = [[[_DICE.getrandbits(64) for _ in range(19)] for _ in range(8)] for _ in range(2)]


def zobrist(game: GameMoves) -> None:
    """Play a game through with the hash of engines, which is no code of the position: the limit."""
    position, number = game.start.copy(), 0
    board, hands = position.board, position.hands
    for move in game.moves:
        turn, origin, to = position.turn, move >> 8, move >> 1 & 127
        if origin > DROP:
            number ^= _HAND_NUMBERS[turn][origin - DROP][hands[turn][origin - DROP]]
        else:
            number ^= _BOARD_NUMBERS[board[origin]][origin]
        if captured := position.do_move(move):
            kind = IN_HAND[captured]
            number ^= _BOARD_NUMBERS[captured][to] ^ _HAND_NUMBERS[turn][kind][hands[turn][kind]]
        number ^= _BOARD_NUMBERS[board[to]][to]


FOLLOWING: dict[str, Callable[[GameMoves], object]] = {
    "do_move": lambda game: replay(game, None),
    "64-bit Zobrist (limit)": zobrist,
    "replay to code": lambda game: replay(game, shogi64.Encoder.code),
    "replay to class": lambda game: replay(game, canonical_of),
    "replay to key": lambda game: replay(game, class_key),
}
"""Work along a game, from the moves alone to the keys."""


def measure(games: list[GameMoves], rounds: int = ROUNDS) -> dict[str, float]:
    """Return microseconds per position, in the order of the table."""
    by_game = [positions_of(game) for game in games]
    codes = [[shogi64.encode(position) for position in positions] for positions in by_game]
    assert codes == [[plain_join(position) for position in positions] for positions in by_game]
    texts = [[code.encode() for code in several] for several in codes]
    shogi64.forget()
    first = sum(own(FOLLOWING["replay to key"], games)())
    works: dict[str, Round] = {
        "BLAKE2b of a code (limit)": own(each(lambda text: blake2b(text, digest_size=8).digest()), texts),
        "plain join per square (peer)": own(each(plain_join), by_game),
        "encode": own(each(shogi64.encode), by_game),
        "canonical": own(each(canonical), by_game),
        **{name: own(work, games) for name, work in FOLLOWING.items()},
        "decode": own(each(shogi64.decode), codes),
        "legal_moves": own(each(legal_moves), by_game),
    }
    seconds = {"replay to key, first time": first, **shortest(works, rounds)}
    count = sum(map(len, codes))
    return {name: time * 1e6 / count for name, time in seconds.items()}


def each(work: Callable[[Part], object]) -> Callable[[list[Part]], object]:
    """Return the work for all parts of a list."""
    return lambda parts: [work(part) for part in parts]


def main() -> None:
    """Measure and print; exit with 1 if a target is missed."""
    parser = options_of(__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--perft", action="store_true", help="also count the 719,731 lines of four moves")
    options = parser.parse_args()
    announce(only_json=options.json)
    figures = measure([random_game(seed) for seed in range(options.games)])
    if options.json:
        print(as_json({name: round(figure, 3) for name, figure in figures.items()}))
    else:
        print_table(figures)
    if options.perft:
        began = time.process_time()
        lines = count_lines(Position.initial(), 4)
        print(f"{lines:,} lines of four moves in {time.process_time() - began:.2f} s")
    sys.exit(verdict(targets_of(figures)))


def targets_of(figures: Mapping[str, float]) -> list[Target]:
    """Return the targets of the work along a game."""
    return [Target(name, figures[name], bound, " us") for name, bound in TARGETS.items()]


def print_table(figures: dict[str, float]) -> None:
    """Print a line for each figure with its ratios to the limit and to the peer, and its target."""
    limit, peer = figures["BLAKE2b of a code (limit)"], figures["plain join per square (peer)"]
    print(f"{'per position':30} {'us':>7} {'x limit':>8} {'x peer':>7} {'target':>7}")
    for name, figure in figures.items():
        target = f"{TARGETS[name]:7.1f}" if name in TARGETS else ""
        print(f"{name:30} {figure:7.2f} {figure / limit:8.1f} {figure / peer:7.2f} {target}".rstrip())


if __name__ == "__main__":
    main()
