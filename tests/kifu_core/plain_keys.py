"""Codes, classes and keys derived slowly, straight from docs/position-keys.md, to check the library against.

Nothing here uses the library's encoder. `python -m tests.kifu_core.plain_keys` prints the rows of
tests/data/stable_keys.csv; that file was written once and changes only with the key version.
"""

from __future__ import annotations

import csv
import hashlib
import random
import sys
from collections.abc import Iterator

from kifu_core.shogi.handicaps import HANDICAPS
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
PAWNS = {
    7: "0",
    6: "10",
    0: "110",
    5: "1110",
    4: "11110",
    8: "111110",
    3: "1111110",
    9: "11111110",
    2: "1" * 8,
}
# value: (Normal, Mixed)
PREFIXES = {
    1: ("", "10"),
    2: ("100", "1100"),
    3: ("1100", "11100"),
    4: ("1101", "11110"),
    5: ("101", "1101"),
    6: ("11110", "111110"),
    7: ("1110", "111011"),
    8: ("", "111010"),
    9: ("1111110", "11111110"),
    10: ("111111111", "1111111111"),
    11: ("11111110", "111111110"),
    12: ("111111110", "1111111110"),
    13: ("1111100", "11111100"),
    14: ("1111101", "11111101"),
}


def count_code(kind: int, count: int) -> str:
    if kind == 1:
        return "00" if count == 0 else "01" if count == 1 else "1" * (count - 1) + "0" * (count < 18)
    return "1" * count + "0" * (count < (2 if kind in (6, 7) else 4))


def pawn_rank(board: list[int], column: int, pawn: int) -> int | None:
    """The rank of the only pawn as its side counts, 0 for none, None for an irregular file."""
    ranks = [rank + 1 for rank in range(9) if board[rank * 9 + column] == pawn]
    if pawn < 0:
        ranks = [10 - rank for rank in ranks]
    return None if len(ranks) > 1 or ranks == [1] else sum(ranks)


def plain_bits(position: Position) -> str:
    board = position.board
    ranks = [pawn_rank(board, column, pawn) for pawn in (1, -1) for column in range(9)]
    mixed = None in ranks or board.count(8) > 1 or board.count(-8) > 1
    bits = "01"[position.turn == 0] + "01"[mixed]
    if not mixed:
        for king in (8, -8):
            bits += format(board.index(king) + 1 if king in board else 0, "07b")
        bits += "".join(PAWNS[rank] for rank in ranks if rank is not None)
    for piece in board:
        if mixed or abs(piece) not in (1, 8):
            bits += PREFIXES[abs(piece)][mixed] + "01"[piece > 0] if piece else "0"
    return bits + "".join(count_code(kind, hand[kind]) for hand in position.hands for kind in range(1, 8))


def plain_encode(position: Position) -> str:
    bits = plain_bits(position)
    bits += "0" * (-len(bits) % 6)
    return "".join(ALPHABET[int(bits[place : place + 6], 2)] for place in range(0, len(bits), 6))


class Unreadable(Exception):
    """A code that means no position, however lenient one is."""


class Bits:
    """Bits of a code; running out of them, or a character outside the alphabet, is unreadable."""

    def __init__(self, code: str) -> None:
        if not code or set(code) - set(ALPHABET):
            raise Unreadable
        self.left = "".join(format(ALPHABET.index(character), "06b") for character in code)

    def take(self, width: int) -> str:
        if len(self.left) < width:
            raise Unreadable
        taken, self.left = self.left[:width], self.left[width:]
        return taken

    def one_of(self, codes: dict[str, int]) -> int:
        taken = self.take(1)
        while taken not in codes:
            taken += self.take(1)
        return codes[taken]


def plain_decode(code: str) -> Position:
    """The position of a code, whatever follows its bits and whatever its mode; raises Unreadable."""
    bits = Bits(code)
    turn, mixed = int(bits.take(1) == "0"), int(bits.take(1))
    board: list[int | None] = [None] * 81
    if not mixed:
        for king in (8, -8):
            coordinate = int(bits.take(7), 2)
            if coordinate:
                put(board, coordinate - 1, king)
        pawns = {code: rank for rank, code in PAWNS.items()}
        for pawn in (1, -1):
            for column in range(9):
                rank = bits.one_of(pawns)
                if rank:
                    put(board, ((10 - rank if pawn < 0 else rank) - 1) * 9 + column, pawn)
    cells = {PREFIXES[kind][mixed] + "01"[sign > 0]: kind * sign for kind in PREFIXES for sign in (1, -1)}
    cells = {code: piece for code, piece in cells.items() if len(code) > 1} | {"0": 0}
    filled = [bits.one_of(cells) if piece is None else piece for piece in board]
    hands = []
    for _ in range(2):
        hand = [0] * 8
        for kind in range(1, 8):
            limit = 18 if kind == 1 else 2 if kind in (6, 7) else 4
            hand[kind] = bits.one_of({count_code(kind, count): count for count in range(limit + 1)})
        hands.append(hand)
    return Position(filled, hands, turn)


def put(board: list[int | None], square: int, piece: int) -> None:
    if square > 80 or board[square] is not None:
        raise Unreadable
    board[square] = piece


def members(position: Position) -> list[Position]:
    """The class of a position, by orientation."""
    mirrored = position.mirrored()
    return [position, mirrored, position.turned(), mirrored.turned()]


def plain_canonical(position: Position) -> tuple[str, int]:
    """Canonical code and orientation."""
    codes = [(plain_encode(member), way) for way, member in enumerate(members(position)) if member.turn == 0]
    return min(codes)


def plain_key(code: str, orientation: int, kind: str = "shogi", space: int = 0) -> int:
    text = "\0".join([kind, str(space), "1", code])
    digest = hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()
    number = int(digest, 16) // 4 * 4 + orientation
    return number - 2**64 if number >= 2**63 else number


def random_positions(seed: int) -> Iterator[Position]:
    """Some positions of a random game."""
    dice, position = random.Random(seed), Position.initial()
    for ply in range(150):
        moves = legal_moves(position)
        if not moves:
            return
        position.do_move(dice.choice(moves))
        if ply < 6 or ply % 13 == seed % 13:
            yield position.copy()


def scattered(seed: int) -> Position:
    """Pieces thrown on a board."""
    dice = random.Random(seed)
    board = [dice.choice([0] * 20 + list(range(-14, 15))) for _ in range(81)]
    limits = [0, 18, 4, 4, 4, 4, 2, 2]
    hands = [[dice.randint(0, limit) * dice.randint(0, 1) for limit in limits] for _ in range(2)]
    return Position(board, hands, dice.randint(0, 1))


def folded(position: Position) -> Position:
    """The position with its left half on both sides: it equals its mirror image."""
    board = [position.board[square // 9 * 9 + min(square % 9, 8 - square % 9)] for square in range(81)]
    return Position(board, position.hands, position.turn)


def samples() -> Iterator[Position]:
    """The positions that the golden file pins."""
    for handicap in HANDICAPS:
        start = Position.from_sfen(handicap.sfen)
        yield from members(start)
    for text in ("9/9/9/9/9/9/9/9/9 b -", "k8/9/9/9/9/9/9/9/8K w -", "P8/9/9/9/9/9/9/9/9 b -"):
        yield from members(Position.from_sfen(text))
    for text in ("4k4/4G4/4P4/9/9/9/9/9/9 b G2r2b2g4s4n4l17p", "4k4/9/9/9/9/9/9/9/4K4 b 18P"):
        yield from members(Position.from_sfen(text))
    for seed in range(16):
        yield from random_positions(seed)
    for seed in range(40):
        yield scattered(seed)
    for seed in range(20):
        yield folded(scattered(seed))


def main() -> None:
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["sfen", "code", "canonical", "orientation", "key"])
    seen = set()
    for position in samples():
        code, orientation = plain_canonical(position)
        row = (position.sfen(None), plain_encode(position), code, orientation, plain_key(code, orientation))
        if row not in seen:
            seen.add(row)
            rows.writerow(row)


if __name__ == "__main__":
    main()
