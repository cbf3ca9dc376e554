"""The forms in which games are exported in bulk."""

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext

from archive.export.contents import OPENS_AT
from archive.export.engine_files import BOOKS, TRAINING, book_file_of_games, training_data
from archive.export.lists import in_pieces, ndjson, table
from archive.export.opening_books import MIN_GAMES, PLIES, book_of_games
from archive.export.zips import FILES, zipped
from archive.queries.games.bulk import BulkReader
from archive.queries.games.game_json import ToGameInfo
from kifu_core.shogi.training import ALL, TrainingFilter

FORMS: Final = ("ndjson", "csv", *FILES, "db", *BOOKS, *TRAINING)
"""NDJSON, CSV, a ZIP of files of a format, an opening book, training data."""

BOOK_FORMS: Final = ("db", *BOOKS)


def stream(
    games: BulkReader,
    to_info: ToGameInfo,
    form: str,
    plies: int = PLIES,
    min_games: int = MIN_GAMES,
    chosen: TrainingFilter = ALL,
    *,
    scores: bool = False,
) -> Iterator[bytes]:
    """Return the games in one of `FORMS`, in pieces, some of which are empty. `plies`, `min_games` and
    `scores` are for opening books, `chosen` are the positions of training data."""
    if form == "ndjson":
        return in_pieces(ndjson(games, to_info))
    if form == "csv":
        return table(games, to_info)
    if form == "db":
        return book_of_games(games, plies, min_games, scores=scores)
    if form in BOOKS:
        return book_file_of_games(games, form, plies, min_games, scores=scores)
    training = next((one for one in TRAINING if one == form), None)
    if training is not None:
        return training_data(games, training, chosen)
    # The stream is read after the request, whose language is over then.
    return zipped(games, to_info, form, gettext(OPENS_AT))
