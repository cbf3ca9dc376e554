"""What an archive needs to know of a kind of game; one table entry per kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kifu_core import formats, replay
from kifu_core.jkf import Record
from kifu_core.keys import canonical, shogi64
from kifu_core.position import Position
from kifu_core.record import ParseResult


@dataclass(frozen=True, slots=True)
class GameKind:
    """The functions of one kind of game.

    `load` and `dump` convert files and records, `visits` lists the positions of a record, `decode` and
    `encode` convert codes, `key` and `same_class_keys` give the index keys of a code.
    """

    name: str
    load: Callable[[bytes | str, str | None], ParseResult]
    dump: Callable[..., str]
    visits: Callable[[Record], list[replay.Visit]]
    decode: Callable[[str], Position]
    encode: Callable[[Position], str]
    canonical: Callable[[Position], canonical.Canonical]
    key: Callable[..., int]
    same_class_keys: Callable[..., tuple[int, ...]]


SHOGI: Final = GameKind(
    name="shogi",
    load=formats.load,
    dump=formats.dump,
    visits=replay.visits,
    decode=shogi64.decode,
    encode=shogi64.encode,
    canonical=canonical.canonical,
    key=canonical.key,
    same_class_keys=canonical.same_class_keys,
)

GAMES: Final[dict[str, GameKind]] = {SHOGI.name: SHOGI}
"""Every kind of game by the name it has in codes, columns and addresses."""
