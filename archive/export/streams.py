"""All that games are sent as in bulk, each by its name."""

from collections.abc import Iterator
from typing import Final

from archive.export.lists import Told, in_pieces, ndjson, table
from archive.export.opening_books import MIN_GAMES, PLIES, book_of_games
from archive.export.zips import FILES, zipped
from archive.queries.games.bulk import BulkReader

FORMS: Final = ("ndjson", "csv", *FILES, "db")
"""Lines of JSON, a table, a ZIP of files of a format, an opening book."""


def stream(
    games: BulkReader, told: Told, form: str, plies: int = PLIES, min_games: int = MIN_GAMES
) -> Iterator[bytes]:
    """Return the games in one of `FORMS`, as a generator of pieces, some of which are empty. The last two are
    of a book."""
    if form == "ndjson":
        return in_pieces(ndjson(games, told))
    if form == "csv":
        return table(games, told)
    return book_of_games(games, plies, min_games) if form == "db" else zipped(games, told, form)
