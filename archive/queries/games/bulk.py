"""Read games in bulk: a complete list with its records, by id, in bounded memory.

A list is read page by page, each with statements of its own. So no cursor stays open while the client is
slow, and games deleted meanwhile are left out of later pages. A reader that starts after an id yields every
game of the list once; games added meanwhile come last.
"""

from collections.abc import Collection as Container
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.db.models import OuterRef, Prefetch, Subquery
from django.db.models.functions import Length

from archive.models import Collection, Entry, Game, GameRecord, Upload
from archive.queries.collections import CollectedPlace, count_of, number_of, places_of
from archive.queries.games.analyses import add_evaluations
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import MAX_PAGE
from archive.queries.games.listing import GameRow, games_after
from archive.queries.games.taken_down import is_hidden
from archive.queries.scope import Scope
from archive.queries.search.errors import QueryError

GROUP_BYTES: Final = 1024 * 1024
"""Packed records in memory at a time; a larger one is read alone."""

GROUP_GAMES: Final = 100

_EDITIONS: Final = Entry.objects.filter(game=OuterRef("pk"), hidden=False, upload__space=OuterRef("space"))
_PROGRAM: Final = Subquery(
    _EDITIONS.exclude(upload__state=Upload.State.DELETING).order_by("pk").values("program")[:1]
)
"""The program that wrote a game's first edition."""


class GameWithRecord(NamedTuple):
    """A game of the list, the same game with its record, and the software that wrote its first edition, an
    empty text if unknown."""

    row: GameRow
    game: Game
    program: str
    number: str = ""
    """In the order of a collection, with zeros before it, so that numbers are sorted as texts; empty in the
    order of ids."""
    places: Sequence[CollectedPlace] = ()
    """The places of the game in a collection, in its order."""


@dataclass(slots=True)
class BulkReader:
    """Reads the games of a list after an id, up to a maximum number.

    With a `collection`, by which the list is filtered, it reads them in its order; games that are moved there
    meanwhile may then be missing or come twice.

    After many games without a match it yields None, so that the caller can do something else meanwhile.
    """

    scope: Scope
    filters: GameFilters
    after: int
    """The id after which to begin. While reading, it is the last id so far."""
    most: int
    """The maximum number of games."""
    collection: Collection | None = None
    evaluations: bool = False
    """Whether records have the evaluations of engines' analyses as comments."""
    games: int = 0
    """The number of games yielded so far."""
    complete: bool = False
    """Whether the list has no more games."""
    error: QueryError | None = None
    """The error of a query that took too long."""
    _before: int = 0
    """The number of games before the first one in a collection."""
    _digits: int = 0
    _position: int = 0
    """The position of the last game in a collection."""
    _first: tuple[list[GameRow], int | None] | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Read the first page. Raises the errors of `find_games`, and InvalidCursorError if a collection does
        not have the game after which to begin."""
        if self.collection is not None:
            self._digits = len(str(count_of(self.scope, self.collection.pk)))
            if self.after:
                self._before, self._position = number_of(self.scope, self.collection.pk, self.after)
        self._first = self._read(min(MAX_PAGE, self.most))

    def rows(self) -> Iterator[GameRow | None]:
        """Yield the games without their records."""
        for page in self._pages():
            deleted = being_deleted([row.id for row in page])
            for row in page:
                if row.id not in deleted:
                    yield self._count(row)
            yield None

    def with_records(self) -> Iterator[GameWithRecord | None]:
        """Yield the games with their records."""
        for page in self._pages():
            for group in _groups(page):
                games = self._load([row.id for row in group])
                places = places_of(self.scope, self.collection, games) if self.collection else {}
                for row in group:
                    if (game := games.pop(row.id, None)) is not None:
                        self._count(row)
                        if self.evaluations:
                            add_evaluations(game)
                        yield GameWithRecord(
                            row, game, game.program or "", self._number(), places.get(row.id, ())
                        )
            yield None

    def _number(self) -> str:
        return f"{self._before + self.games:0{self._digits}}" if self.collection else ""

    def _count(self, row: GameRow) -> GameRow:
        self.after = row.id
        self.games += 1
        return row

    def _pages(self) -> Iterator[list[GameRow]]:
        """Yield the pages of the list. A page is not filled up if some of its games were deleted."""
        remaining, page = self.most, self._first
        self._first = None
        while page is not None:
            rows, following = page
            remaining -= len(rows)
            yield rows
            if self.collection is None:
                self.after = following or (rows[-1].id if rows else self.after)
            self._position = following or self._position
            self.complete = following is None
            page = self._next(min(MAX_PAGE, remaining)) if remaining and not self.complete else None

    def _next(self, most: int) -> tuple[list[GameRow], int | None] | None:
        try:
            return self._read(most)
        except QueryError as error:
            self.error = error
            return None

    def _read(self, most: int) -> tuple[list[GameRow], int | None]:
        if self.collection is None:
            return games_after(self.scope, self.filters, self.after, most)
        return games_after(self.scope, self.filters, self._position, most, "position")

    def _load(self, pks: Sequence[int]) -> dict[int, Any]:
        readable = Game.objects.filter(pk__in=pks, space__in=self.scope.spaces)
        records = Prefetch("stored", GameRecord.objects.defer("parsed_facts", "keys"))
        with_records = readable.annotate(program=_PROGRAM).prefetch_related(records)
        games: dict[int, Any] = {game.pk: game for game in with_records if hasattr(game, "stored")}
        for pk in being_deleted(pks):
            games.pop(pk, None)
        return games


def read_in_bulk(
    scope: Scope, filters: GameFilters, after: int, most: int, collection: Collection | None = None
) -> BulkReader:
    """Return a reader that has read its first page. Raises the errors of `BulkReader.begin`."""
    reader = BulkReader(scope, filters, after, most, collection)
    reader.begin()
    return reader


def _groups(rows: Sequence[GameRow]) -> Iterator[list[GameRow]]:
    """Yield parts of a page whose records fit into memory at a time."""
    sizes = dict(
        GameRecord.objects.filter(pk__in=[row.id for row in rows]).values_list("pk", Length("record"))
    )
    group: list[GameRow] = []
    bytes_held = 0
    for row in rows:
        size = sizes.get(row.id, 0)
        if group and (bytes_held + size > GROUP_BYTES or len(group) == GROUP_GAMES):
            yield group
            group, bytes_held = [], 0
        group.append(row)
        bytes_held += size
    if group:
        yield group


def being_deleted(pks: Container[int]) -> set[int]:
    """Return the games whose uploads are all being deleted: nobody can read them any more."""
    entries = Entry.objects.filter(game__in=pks, upload__state=Upload.State.DELETING)
    return {
        pk for pk in entries.values_list("game", flat=True).distinct() if pk is not None and is_hidden(pk)
    }
