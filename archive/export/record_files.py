"""Records as files for download."""

from functools import cache
from typing import Any, Final

import orjson
from django.db.models import QuerySet

from archive.models import Entry, Game, Upload
from archive.queries.sql import PreparedQuery
from kifu_core.errors import Issue
from kifu_core.games import GAMES
from kifu_core.jkf import SPECIALS
from kifu_core.record import Ending

DOWNLOADS: Final = {
    name: writer.content_type for kind in GAMES.values() for name, writer in kind.formats.writers.items()
}
"""Content type by extension."""

_EDITIONS: Final = 20
"""Editions of a game whose remarks are read."""


class UnencodableError(ValueError):
    """The record has characters that the format's encoding lacks; `issues` name them."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        super().__init__("the record has characters that this format's encoding has not")
        self.issues = issues


def write(game: Game, extension: str, ply: int | None = None) -> bytes:
    """Return the game as a file with that extension (one of those of its kind).

    For formats that hold one position, `ply` chooses it; None is the last position, or the complete game if
    the format can hold that. Raises KifuError for games that a format cannot hold. Raises UnencodableError if
    the format is Shift_JIS and the record has characters that Shift_JIS lacks: a `?` in their place would be
    a loss that nobody notices.
    """
    writer, options = GAMES[game.kind].formats.writer(extension), dict[str, Any]()
    if "ply" in writer.options:
        options["ply"] = ply
    if "ending" in writer.options and game.special:
        options["ending"] = ending_of(game)
    if "remarks" in writer.options:
        options["remarks"] = _remarks(game, extension)
    data, issues = writer.encoded(writer.dump(game.jkf, **options))
    if issues:
        raise UnencodableError(issues)
    return data


def _remarks(game: Game, file_format: str) -> list[str]:
    facts = (orjson.loads(text) for (text,) in _parsed_facts(file_format).rows(game.pk))
    return list(dict.fromkeys(remark for fact in facts for remark in fact.get("remarks", ())))


@cache
def _parsed_facts(file_format: str) -> PreparedQuery:

    def rows(game: int) -> QuerySet[Entry, Any]:
        editions = Entry.objects.filter(game=game, format=file_format, hidden=False).order_by("pk")
        shown = editions.exclude(upload__state=Upload.State.DELETING)
        return shown.values_list("parsed_facts")[:_EDITIONS]

    return PreparedQuery(rows)


def ending_of(game: Game) -> Ending:
    """Return the ending as stored in the game's row, since the record may not say who won."""
    winner = game.result if game.result in (Game.Result.BLACK, Game.Result.WHITE) else None
    special = game.special if game.special in SPECIALS else None
    return Ending(game.special, special, game.plies, winner, game.result == Game.Result.DRAW)
