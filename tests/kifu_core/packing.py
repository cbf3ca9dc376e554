"""An encoder of packed positions of our own, to test the decoder with."""

from __future__ import annotations

import struct

from kifu_core.shogi.moves import DROP, promotes, source, target
from kifu_core.shogi.packed import SQUARES, Packing
from kifu_core.shogi.pieces import FU, GI, HAND_KINDS, HI, KA, KE, KI, KY, OU, UNPROMOTED
from kifu_core.shogi.position import Position

APERY = {FU: "10", KY: "1100", KE: "1110", GI: "1101", KI: "11110", KA: "111110", HI: "111111"}
APERY_HAND = {FU: "00", KY: "1000", KE: "1100", GI: "1010", KI: "1110", KA: "111110", HI: "111111"}
YANEURAOU = {FU: "10", KY: "1100", KE: "1101", GI: "1110", KI: "11110", KA: "111110", HI: "111111"}
KINDS = (0, FU, KY, KE, GI, KA, HI, KI)


def packed(position: Position, packing: Packing) -> bytes:
    """A position of all forty pieces in 32 bytes."""
    bits = str(position.turn)
    for king in (OU, -OU):
        bits += f"{SQUARES.index(position.board.index(king)):07b}"[::-1]
    for square in SQUARES:
        piece = position.board[square]
        if abs(piece) != OU:
            bits += _board(piece, packing) if piece else "0"
    for color in (0, 1):
        for kind in HAND_KINDS:
            bits += _hand(kind, color, packing) * position.hands[color][kind]
    assert len(bits) == 256
    return int(bits[::-1], 2).to_bytes(32, "little")


def _board(piece: int, packing: Packing) -> str:
    kind, color = UNPROMOTED[abs(piece)], str(int(piece < 0))
    if kind == KI:
        return APERY[kind] + color
    grown = str(int(abs(piece) != kind))
    return APERY[kind] + color + grown if packing == "hcpe" else YANEURAOU[kind] + grown + color


def _hand(kind: int, color: int, packing: Packing) -> str:
    if packing == "hcpe":
        return APERY_HAND[kind] + str(color)
    return YANEURAOU[kind][1:] + ("" if kind == KI else "0") + str(color)


def packed_move(move: int, packing: Packing) -> int:
    """A packed move of ours as the number of theirs."""
    origin, to = source(move), SQUARES.index(target(move))
    dropped = KINDS.index(origin - DROP) if origin > DROP else 0
    if packing == "hcpe":
        return (80 + dropped if dropped else SQUARES.index(origin)) << 7 | to | promotes(move) << 14
    place = dropped or SQUARES.index(origin)
    return place << 7 | to | bool(dropped) << 14 | promotes(move) << 15


def entry(position: Position, packing: Packing, *, score: int, move: int, result: int, ply: int = 1) -> bytes:
    """A position with the other values of its entry."""
    number = packed_move(move, packing)
    if packing == "hcpe":
        return struct.pack("<32shHbB", packed(position, packing), score, number, result, 0)
    return struct.pack("<32shHHbB", packed(position, packing), score, number, ply, result, 0)
