"""The forms in which games are exported in bulk."""

from collections.abc import Iterator
from typing import Final

from archive.export.lists import in_pieces, ndjson, table
from archive.export.opening_books import MIN_GAMES, PLIES, book_of_games
from archive.export.zips import FILES, zipped
from archive.queries.games.bulk import BulkReader
from archive.queries.games.game_json import ToGameInfo

FORMS: Final = ("ndjson", "csv", *FILES, "db")
"""NDJSON, CSV, a ZIP of files of a format, an opening book."""


def stream(
    games: BulkReader, to_info: ToGameInfo, form: str, plies: int = PLIES, min_games: int = MIN_GAMES
) -> Iterator[bytes]:
    """Return the games in one of `FORMS`, in pieces, some of which are empty. `plies` and `min_games` are for
    opening books."""
    if form == "ndjson":
        return in_pieces(ndjson(games, to_info))
    if form == "csv":
        return table(games, to_info)
    return book_of_games(games, plies, min_games) if form == "db" else zipped(games, to_info, form)
