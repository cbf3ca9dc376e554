"""Classes of positions under mirror image and exchange of colours, and their 64-bit keys, in any game.

`docs/position-keys.md` defines them; a change of a key needs a new `KEY_VERSION` and a reindex.
"""

from hashlib import blake2b
from typing import Final, Literal, NamedTuple

KEY_VERSION: Final = 1

PUBLIC: Final = 0
"""The space of public games."""

Match = Literal["exact", "mirror", "color", "any"]

_TURNS: Final[dict[str, tuple[int, ...]]] = {
    "exact": (0,),
    "mirror": (0, 1),
    "color": (0, 2),
    "any": (0, 1, 2, 3),
}
"""The orientations that each kind of match allows."""


class Canonical(NamedTuple):
    """The class of a position and the position's orientation in it.

    `code` is the code of the representative. The position is the representative mirrored if bit 0 of
    `orientation` is set, and turned to the other colour if bit 1 is (in either order). A `symmetric` position
    equals its mirror image; its mirror bit is 0.
    """

    code: str
    orientation: int
    symmetric: bool


def key(code: str, orientation: int, kind: str, space: int = PUBLIC, version: int = KEY_VERSION) -> int:
    """Return the stable key of a class member: 64 bits, signed, whose last two are the orientation.

    The 62 bits above are those of an 8-byte BLAKE2b of kind, space, key version and canonical code, joined by
    NUL, which none of them contains. An index that is being rebuilt asks for the keys of two versions.

    >>> key("poUAACMaqtYhwHgAAAAPQdTnd3vMgAA", 0, "shogi") % 4
    0
    """
    text = f"{kind}\0{space}\0{version}\0{code}"
    digest = blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) & -4 | orientation


def class_keys(canonical: Canonical, match: Match, kind: str, space: int, version: int) -> tuple[int, ...]:
    """Return the keys of the positions in a class that match the given member."""
    code, orientation, symmetric = canonical
    turns = [turn for turn in _TURNS[match] if not (symmetric and turn & 1)]
    return tuple(key(code, orientation ^ turn, kind, space, version) for turn in turns)
