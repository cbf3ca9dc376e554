"""Entries of training data, to read them."""

from __future__ import annotations

from kifu_core.shogi.packed import ENTRIES, Packing, encode, encoded_move
from kifu_core.shogi.position import Position


def entry(position: Position, packing: Packing, *, score: int, move: int, result: int, ply: int = 1) -> bytes:
    """A position with the other values of its entry."""
    packed, number = encode(position, packing), encoded_move(move, packing)
    if packing == "hcpe":
        return ENTRIES["hcpe"].pack(packed, score, number, result, 0)
    return ENTRIES["psv"].pack(packed, score, number, ply, result, 0)
