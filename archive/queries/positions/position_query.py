"""The keys of a queried position in the index, and the conversion of their rows to the queried board.

A query matches the position alone (`exact`), or also its left-right mirror image (`mirror`), its
colour-swapped image (`color`), or both (`any`). Each orientation has its own key, so a query reads only rows
that match. Results over several orientations are sums: a game that reaches several of them counts in each.
Moves and results are those on the queried board.
"""

from collections.abc import Collection, Iterable
from typing import Any, Final, Literal, NamedTuple

from archive.index import versions
from archive.index.schema import BLACK_WINS, COLOR_BIT, FIRST, FORK, WHITE_WINS
from archive.queries.scope import Scope
from kifu_core.classes import Match
from kifu_core.games import GAMES, GameKind
from kifu_core.lines import NO_MOVE

Lines = Literal["main", "all"]

KINDS: Final = tuple(GAMES)
MATCHES: Final = ("exact", "mirror", "color", "any")

ROWS: Final[dict[str, str]] = {"main": f"(d.flags & {FORK}) = 0", "all": f"(d.flags & {FIRST}) <> 0"}
"""The condition on the one row of each game under a key, for its main line or for all lines."""


class PositionKeys(NamedTuple):
    """A position and the keys that match it.

    `in_spaces` has the keys of each space, in every version of the index in use; `keys` has all of them, in
    this order. `key & 3` is the orientation of a key.
    """

    game: GameKind[Any]
    position: Any
    orientation: int
    in_spaces: tuple[tuple[int, ...], ...]
    folds: bool
    lines: Lines

    @property
    def keys(self) -> tuple[int, ...]:
        return sum(self.in_spaces, ())

    def of_each_space(self) -> list["PositionKeys"]:
        """Return one query for each space."""
        return [self._replace(in_spaces=(keys,)) for keys in self.in_spaces]

    def without(self, keys: Collection[int]) -> "PositionKeys":
        """Return the query without some of its keys."""
        return self._replace(
            in_spaces=tuple(tuple(key for key in of_space if key not in keys) for of_space in self.in_spaces)
        )

    def move(self, stored: int) -> int:
        """Return a stored move on the queried board. On a symmetric board, return the smaller of the two
        mirrored moves."""
        move = self.game.codec.orient(stored, self.orientation)
        return min(move, self.game.codec.orient(move, 1)) if self.folds and move != NO_MOVE else move

    def turned(self, key: int) -> bool:
        """Return whether rows of this key have the colours of the queried board swapped."""
        return bool((key ^ self.orientation) & COLOR_BIT)

    def seen(self, result: int, key: int) -> int:
        """Convert a row's result to the queried board, or back."""
        return result ^ 1 if self.turned(key) and result in (BLACK_WINS, WHITE_WINS) else result


def position_query(
    scope: Scope, kind: str, code: str, match: Match = "exact", lines: Lines = "main"
) -> PositionKeys:
    """Return the query for a code. Raises DecodeError for a code that is not strictly valid, ValueError for
    an unknown kind, match or lines."""
    check_arguments(kind, match, lines)
    game = GAMES[kind]
    position = game.codec.decode(code)
    canonical = game.codec.canonical(position)
    keys = tuple(position_keys(Scope((space,)), [position], match, kind)[0] for space in scope.spaces)
    folds = canonical.symmetric and match in ("mirror", "any")
    return PositionKeys(game, position, canonical.orientation, keys, folds, lines)


def check_arguments(kind: str, match: str, lines: str) -> None:
    """Raise ValueError for an unknown kind, match or lines."""
    if kind not in KINDS:
        raise ValueError(f"no such game: {kind!r}")
    if match not in MATCHES:
        raise ValueError(f"match is one of {', '.join(MATCHES)}, not {match!r}")
    if lines not in ROWS:
        raise ValueError(f"lines is main or all, not {lines!r}")


def position_keys(scope: Scope, positions: Iterable[Any], match: Match, kind: str) -> list[tuple[int, ...]]:
    """Return for each position the keys that match it, in every version of the index that is in use."""
    versions_in_use, keys_of = versions.queried_versions(), GAMES[kind].codec.same_class_keys
    return [
        tuple(
            key
            for version in versions_in_use
            for space in scope.spaces
            for key in keys_of(position, match, kind, space, version)
        )
        for position in positions
    ]
