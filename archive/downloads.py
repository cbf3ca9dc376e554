"""Records as files to take away: which formats there are and what a browser is told of them."""

from __future__ import annotations

from typing import Any, Final

from archive.models import Game
from kifu_core import formats
from kifu_core.errors import Issue
from kifu_core.jkf import SPECIALS
from kifu_core.record import Ending

_UTF_8: Final = "text/plain; charset=utf-8"
_SHIFT_JIS: Final = "text/plain; charset=shift_jis"

DOWNLOADS: Final = {
    "jkf": "application/json",
    "kif": _SHIFT_JIS,
    "kifu": _UTF_8,
    "ki2": _SHIFT_JIS,
    "ki2u": _UTF_8,
    "csa": _UTF_8,
    "usi": _UTF_8,
    "sfen": _UTF_8,
    "usen": _UTF_8,
    "bod": _UTF_8,
}
"""Content type by extension. By their author's rule `.kif` and `.ki2` are Shift_JIS, with a `u` UTF-8."""

_ONE_POSITION: Final = {"sfen", "bod"}
_WITH_ENDING: Final = {"kif", "kifu", "ki2", "ki2u", "csa"}


class UnencodableError(ValueError):
    """The record has characters that the format's encoding has not; `issues` name them."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        super().__init__("the record has characters that this format's encoding has not")
        self.issues = issues


def write(game: Game, extension: str, ply: int | None = None) -> bytes:
    """The game as a file with that extension (a key of `DOWNLOADS`).

    `ply` chooses the position of the formats that hold only one (sfen, bod); None is the last. Raises
    UnencodableError where the format is Shift_JIS and the record has characters that it has not: a `?` in
    their place would be a loss that nobody sees.
    """
    options: dict[str, Any] = {}
    if extension in _ONE_POSITION:
        options["ply"] = ply
    if extension in _WITH_ENDING and game.special and game.special not in SPECIALS:
        options["ending"] = _ending(game)
    data, issues = formats.encode_text(formats.dump(game.jkf, extension, **options), extension)
    if issues:
        raise UnencodableError(issues)
    return data


def _ending(game: Game) -> Ending:
    """An ending that JKF has no name for, as the game's row keeps it."""
    winner = game.result if game.result in (Game.Result.BLACK, Game.Result.WHITE) else None
    return Ending(game.special, None, game.plies, winner, game.result == Game.Result.DRAW)
