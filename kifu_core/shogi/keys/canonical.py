"""Position keys: the class of a position under mirror and colours, and its 64-bit key.

The members of a class are a position, its left-right mirror image, and both with the colours exchanged.
`docs/position-keys.md` defines the keys; a change of a key needs a new `KEY_VERSION` and a reindex.
"""

from functools import cache

from kifu_core.classes import KEY_VERSION, Canonical, Match, class_keys
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position


def canonical(position: Position) -> Canonical:
    """Return the class of a position; raises KifuError `unencodable` as `shogi64.encode` does.

    The representative is the member with Black to move; of two such, the one with the smaller code, compared
    as ASCII.

    >>> canonical(Position.from_sfen("9/9/9/9/9/9/9/9/K8 w - 1"))
    Canonical(code='gAHbbbbbbbbYAAAAAAAAAAAAAAAA', orientation=3, symmetric=False)
    """
    return canonical_of(shogi64.Encoder(position))


def canonical_of(encoder: shogi64.Encoder) -> Canonical:
    """Return the class of the position that an encoder follows."""
    turn = encoder.position.turn
    upright = turn << 1
    order = 0 if encoder.mixed else _compare_kings(encoder.black, encoder.white, turn)
    if order:
        orientation = upright if order < 0 else upright | 1
        return Canonical(encoder.code(orientation), orientation, False)
    straight, mirrored = encoder.code(upright), encoder.code(upright | 1)
    if straight <= mirrored:
        return Canonical(straight, upright, straight == mirrored)
    return Canonical(mirrored, upright | 1, False)


@cache
def _compare_kings(black: int, white: int, turn: int) -> int:
    """Return -1 or 1 if the kings decide between the upright and the mirrored Normal code, else 0.

    King squares count from 1, 0 is a missing king. Both coordinates are at the front of a code and fill its
    first two characters: most positions need one encoding, not two.
    """
    upright, mirrored = (_first_characters(black, white, turn << 1 | mirror) for mirror in (0, 1))
    return (upright > mirrored) - (upright < mirrored)


def _first_characters(black: int, white: int, orientation: int) -> str:
    if orientation & 2:
        black, white = white, black
    coordinates = shogi64.KINGS[orientation]
    return shogi64.characters(f"10{coordinates[black]}{coordinates[white]}"[:12])


def same_class_keys(
    position: Position | str,
    match: Match = "exact",
    kind: str = "shogi",
    space: int = 0,
    version: int = KEY_VERSION,
) -> tuple[int, ...]:
    """Return the keys of all positions that match a position or its code, the exact one first.

    `exact` is one key; `mirror` adds the mirror image, `color` the one with the colours exchanged, `any`
    both and their combination; a symmetric position is its own mirror image. Of each key, `key & 3` is
    the orientation. Raises DecodeError for a code that is not strictly valid.
    """
    if isinstance(position, str):
        position = shogi64.decode(position)
    return class_keys(canonical(position), match, kind, space, version)
