"""The register of games, and detection of the game of a text or a record."""

from typing import Any, Final, cast

from kifu_core.game import GameKind
from kifu_core.jkf import Record
from kifu_core.limits import UNLIMITED, Limits
from kifu_core.quoridor.formats.alg import begins_with_step
from kifu_core.quoridor.game import QUORIDOR
from kifu_core.reading import open_source
from kifu_core.record import ParseResult
from kifu_core.shogi.binary import is_packed
from kifu_core.shogi.game import SHOGI

__all__ = ("GAMES", "QUORIDOR", "SHOGI", "GameKind", "kind_of", "last_position", "load", "of_record")

GAMES: Final[dict[str, GameKind[Any]]] = {SHOGI.name: SHOGI, QUORIDOR.name: QUORIDOR}
"""Every kind of game by the name it has in codes, columns and addresses."""

_CERTAIN: Final = "rows"


def of_record(record: Record) -> GameKind[Any]:
    """Return the game of a complete record; records of Quoridor have a field for it."""
    return GAMES[cast(dict[str, Any], record).get("game", SHOGI.name)]


def kind_of(text: str, name: str = "") -> GameKind[Any]:
    """Return the game of a text: shogi if it has rows of shogi, or if nothing is recognised.

    JSON is Quoridor's only if it says so or lists its moves. `1. Pe2` looks like a move of chess players'
    shogi, but no pawn of shogi can begin so.
    """
    format_name, reason = SHOGI.formats.detect(text, name)
    if format_name is not None and reason == _CERTAIN and not begins_with_step(text):
        return SHOGI
    return QUORIDOR if QUORIDOR.formats.detect(text, name)[0] is not None else SHOGI


def last_position(record: Record) -> tuple[int, dict[str, str]]:
    """Return the plies of a record's main line, and the notations of its last position.

    A position without other notations has its `code`.
    """
    kind = of_record(record)
    *_, (plies, position, _, _) = kind.replay.main_line(record)
    return plies, kind.text.notations(position, plies) or {"code": kind.codec.encode(position)}


def load(
    data: bytes | str, name: str | None = None, *, strict: bool = False, limits: Limits = UNLIMITED
) -> tuple[GameKind[Any], ParseResult]:
    """Read all games of a file of any game, and return the kind of game and the result.

    The part of a game beyond the `limits` becomes unread text, with an issue. Raises the errors of
    `kifu_core.load`.
    """
    source, notes = open_source(data, name, limits, is_packed)
    kind = kind_of(source.text, source.name)
    return kind, kind.formats.load_source(source, notes, strict=strict)
