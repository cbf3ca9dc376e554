"""Read games in bulk: a whole list with its records, by id, in bounded memory.

A list is read a page at a time, each with statements of its own. So nothing is held open while the client is
slow, and games taken down meanwhile are left out of later pages. A reader that starts after an id gets every
game that was in the list before once, and games added later come last.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from django.db.models import Prefetch
from django.db.models.functions import Length

from archive.models import Entry, Game, GameRecord, Upload
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import MAX_PAGE
from archive.queries.games.listing import GameRow, games_after
from archive.queries.games.taken_down import is_hidden
from archive.queries.scope import Scope
from archive.queries.search.errors import QueryError

GROUP_BYTES: Final = 1024 * 1024
"""What the packed records that are held at a time take; one larger is held alone."""

GROUP_GAMES: Final = 100


class GameWithRecord(NamedTuple):
    """A game of the list, and the same with its record; `None` where only the list is read."""

    row: GameRow
    game: Game


@dataclass(slots=True)
class BulkReader:
    """A list of games that is being read: at most `most` of those after the id `after`.

    While it is read, `after` is the last id so far, and `games` how many were given out. In the end it is
    `complete`, or has reached `most`, or there was an `error`, because a query took too long. Reading yields
    None now and then when it has looked at many games and found none.
    """

    scope: Scope
    filters: GameFilters
    after: int
    most: int
    games: int = 0
    complete: bool = False
    error: QueryError | None = None
    _first: tuple[list[GameRow], int | None] | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Read the first page. Raises as `find_games`."""
        self._first = games_after(self.scope, self.filters, self.after, min(MAX_PAGE, self.most))

    def rows(self) -> Iterator[GameRow | None]:
        """Yield the games without their records."""
        for page in self._pages():
            gone = _gone([row.id for row in page])
            for row in page:
                if row.id not in gone:
                    yield self._given(row)
            yield None

    def found(self) -> Iterator[GameWithRecord | None]:
        """Yield the games with their records."""
        for page in self._pages():
            for group in _groups(page):
                games = self._with_records([row.id for row in group])
                for row in group:
                    if (game := games.pop(row.id, None)) is not None:
                        yield GameWithRecord(self._given(row), game)
            yield None

    def _given(self, row: GameRow) -> GameRow:
        self.after = row.id
        self.games += 1
        return row

    def _pages(self) -> Iterator[list[GameRow]]:
        """Yield the pages of the list. One that was deleted from meanwhile is not filled up."""
        left, page = self.most, self._first
        self._first = None
        while page is not None:
            rows, following = page
            left -= len(rows)
            yield rows
            self.after = following or (rows[-1].id if rows else self.after)
            self.complete = following is None
            page = self._next(min(MAX_PAGE, left)) if left and not self.complete else None

    def _next(self, most: int) -> tuple[list[GameRow], int | None] | None:
        try:
            return games_after(self.scope, self.filters, self.after, most)
        except QueryError as error:
            self.error = error
            return None

    def _with_records(self, pks: Sequence[int]) -> dict[int, Game]:
        """Return those of the games that are still there, with their records."""
        there = Game.objects.filter(pk__in=pks, space__in=self.scope.spaces)
        records = Prefetch("stored", GameRecord.objects.defer("parsed_facts", "keys"))
        lean = there.defer("header_data").prefetch_related(records)
        games = {game.pk: game for game in lean if hasattr(game, "stored")}
        for pk in _gone(pks):
            games.pop(pk, None)
        return games


def read_in_bulk(scope: Scope, filters: GameFilters, after: int, most: int) -> BulkReader:
    """Return a reading of a list whose first page has been read. Raises as `find_games`."""
    begun = BulkReader(scope, filters, after, most)
    begun.begin()
    return begun


def _groups(rows: Sequence[GameRow]) -> Iterator[list[GameRow]]:
    """Yield parts of a page whose records may be held at a time."""
    sizes = dict(
        GameRecord.objects.filter(pk__in=[row.id for row in rows]).values_list("pk", Length("record"))
    )
    group: list[GameRow] = []
    held = 0
    for row in rows:
        size = sizes.get(row.id, 0)
        if group and (held + size > GROUP_BYTES or len(group) == GROUP_GAMES):
            yield group
            group, held = [], 0
        group.append(row)
        held += size
    if group:
        yield group


def _gone(pks: Sequence[int]) -> set[int]:
    """Return those of the games of which all uploads are being deleted: they are gone for everybody."""
    doomed = Entry.objects.filter(game__in=pks, upload__state=Upload.State.DELETING)
    return {pk for pk in doomed.values_list("game", flat=True).distinct() if pk is not None and is_hidden(pk)}
