"""The lines of texts and collections, for repertoires."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from archive.models import GameRecord, codec
from archive.queries.collections import games_of
from archive.queries.names.ids_of_names import ids_of_collection
from archive.training.errors import TrainingError
from archive.training.moves import moves_of
from kifu_core.games import SHOGI, load, of_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from archive.queries.scope import Scope
    from archive.training.moves import Played

MOST_GAMES: Final = 500
"""Games of a collection whose lines are added, the first in its order."""
_READ: Final = 50
"""Records that are in memory at a time."""


def moves_of_text(text: str | bytes, plies: int, name: str | None = None) -> Iterator[Played]:
    """Yield the moves of all games of a text in any format, with their variations. Raises KifuError for a
    text that cannot be read, TrainingError for one of another game."""
    kind, result = load(text, name)
    if kind is not SHOGI:
        raise TrainingError("nothing-to-add")
    for game in result.games:
        yield from moves_of(game.record, plies)


def moves_of_collection(scope: Scope, collection: int, plies: int) -> Iterator[Played]:
    """Yield the moves of the first `MOST_GAMES` games of shogi in a collection and its parts, with their
    variations."""
    games = islice(_games_of(scope, ids_of_collection(scope, collection) or ()), MOST_GAMES)
    while some := list(islice(games, _READ)):
        stored = GameRecord.objects.in_bulk(some)
        for pk in some:
            record = codec.unpack(stored[pk].record) if pk in stored else None
            if record is not None and of_record(record) is SHOGI:
                yield from moves_of(record, plies)


def _games_of(scope: Scope, collections: Iterable[int]) -> Iterator[int]:
    for collection in collections:
        position, more = 0, True
        while more:
            found, more = games_of(scope, collection, position, _READ)
            yield from (one.row.id for one in found)
            more = more and bool(found)
            position = found[-1].position if found else position
