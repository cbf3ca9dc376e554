"""A question about a position: its keys in the index, and how rows look on the asker's board.

A position can be asked for as it is (`exact`), or with its left-right mirror image (`mirror`), with the
colours exchanged (`color`), or with all of these (`any`). Each orientation has a key of its own, so an answer
costs its own rows. Answers over several orientations are sums, and a game that reaches several of them counts
in each. Moves and results are given as the asker sees the board.
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
"""The one row that each game has under a key, of the rows of its main line or of all its lines."""


class Asked(NamedTuple):
    """A position as the asker has it, and the keys under which it is looked for.

    `keys` are those of every version of the index that is in use, the keys of each space one after the other
    (`in_spaces`); `key & 3` is the orientation of each.
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

    def of_each_space(self) -> list["Asked"]:
        """Return the same question about each of the spaces alone."""
        return [self._replace(in_spaces=(keys,)) for keys in self.in_spaces]

    def without(self, keys: Collection[int]) -> "Asked":
        """Return the same question without some of its keys."""
        return self._replace(
            in_spaces=tuple(tuple(key for key in some if key not in keys) for some in self.in_spaces)
        )

    def move(self, stored: int) -> int:
        """Return a stored move as it is on the asker's board. On a board that is its own mirror image, return
        the smaller of the two mirrored moves."""
        move = self.game.codec.orient(stored, self.orientation)
        return min(move, self.game.codec.orient(move, 1)) if self.folds and move != NO_MOVE else move

    def turned(self, key: int) -> bool:
        """Tell whether rows of this key have the asker's colours exchanged."""
        return bool((key ^ self.orientation) & COLOR_BIT)

    def seen(self, result: int, key: int) -> int:
        """Turn a row's result into that on the asker's board, or the other way round."""
        return result ^ 1 if self.turned(key) and result in (BLACK_WINS, WHITE_WINS) else result


def ask(scope: Scope, kind: str, code: str, match: Match = "exact", lines: Lines = "main") -> Asked:
    """Return the question about a code. Raises DecodeError for a code that is not strictly valid, ValueError
    for a kind, match or lines that there is not."""
    check(kind, match, lines)
    game = GAMES[kind]
    position = game.codec.decode(code)
    found = game.codec.canonical(position)
    keys = tuple(position_keys(Scope((space,)), [position], match, kind)[0] for space in scope.spaces)
    folds = found.symmetric and match in ("mirror", "any")
    return Asked(game, position, found.orientation, keys, folds, lines)


def check(kind: str, match: str, lines: str) -> None:
    """Raise ValueError for a kind, match or lines that there is not."""
    if kind not in KINDS:
        raise ValueError(f"no such game: {kind!r}")
    if match not in MATCHES:
        raise ValueError(f"match is one of {', '.join(MATCHES)}, not {match!r}")
    if lines not in ROWS:
        raise ValueError(f"lines is main or all, not {lines!r}")


def position_keys(scope: Scope, positions: Iterable[Any], match: Match, kind: str) -> list[tuple[int, ...]]:
    """Return for each position the keys that match it, in every version of the index that is in use."""
    asked, keys_of = versions.asked(), GAMES[kind].codec.same_class_keys
    return [
        tuple(
            key
            for version in asked
            for space in scope.spaces
            for key in keys_of(position, match, kind, space, version)
        )
        for position in positions
    ]
