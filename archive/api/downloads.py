"""Records as files to take away: which formats there are and what a browser is told of them."""

from __future__ import annotations

from typing import Any, Final

from archive.models import Game
from kifu_core.errors import Issue
from kifu_core.games import GAMES
from kifu_core.jkf import SPECIALS
from kifu_core.record import Ending
from kifu_core.shogi.formats import encode_text

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
    "qf": _UTF_8,
    "alg": _UTF_8,
    "json": "application/json",
}
"""Content type by extension. By their author's rule `.kif` and `.ki2` are Shift_JIS, with a `u` UTF-8."""


class UnencodableError(ValueError):
    """The record has characters that the format's encoding has not; `issues` name them."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        super().__init__("the record has characters that this format's encoding has not")
        self.issues = issues


def extensions(kind: str) -> list[str]:
    """Those of the files that games of a kind are written as."""
    return [extension for extension in DOWNLOADS if extension in GAMES[kind].formats.names]


def write(game: Game, extension: str, ply: int | None = None) -> bytes:
    """The game as a file with that extension (one of its kind's).

    `ply` chooses the position of the formats that hold one; None is the last, or the whole game where a
    format can hold that. Raises KifuError for games that a format cannot hold, UnencodableError where the
    format is Shift_JIS and the record has characters that it has not: a `?` in their place would be a loss
    that nobody sees.
    """
    kind, options = GAMES[game.kind], dict[str, Any]()
    if extension in kind.formats.with_ply:
        options["ply"] = ply
    if extension in kind.formats.with_ending and game.special:
        options["ending"] = _ending(game)
    data, issues = encode_text(kind.formats.dump(game.jkf, extension, **options), extension)
    if issues:
        raise UnencodableError(issues)
    return data


def _ending(game: Game) -> Ending:
    """The ending as the game's row keeps it: who has won may stand nowhere else."""
    winner = game.result if game.result in (Game.Result.BLACK, Game.Result.WHITE) else None
    special = game.special if game.special in SPECIALS else None
    return Ending(game.special, special, game.plies, winner, game.result == Game.Result.DRAW)
