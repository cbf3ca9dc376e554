"""The writing transaction, and the changes to the index that it collects. Only `archive.store` uses it.

All transactions take locks in the same order, so that writers never deadlock: counters (shared), players,
events, existing games by id, games that are taken down and new games by digest, engines by digest,
occurrences, entries, counters by key, the upload.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseError

from archive.derive.game import DerivedGame, DerivedRow, row_result
from archive.index import counters, part_counters, schema, versions
from archive.index.availability import UndecidedError
from archive.index.engine import engine
from archive.index.schema import IndexRow
from archive.models import GameChange
from archive.store.names import Names, get_or_create_names

log = logging.getLogger(__name__)

T = TypeVar("T")

Indexed = tuple[Sequence[DerivedRow], Sequence[str]]
"""The rows of a game and their codes, as `index_rows` returns them."""

ATTEMPTS: Final = 5
"""Runs of a transaction that conflicts with others."""


@dataclass(slots=True)
class Change:
    """The changes of one transaction to the index, collected while games are written and applied once."""

    cursor: CursorWrapper
    names: Names
    pending: list[IndexRow] = field(default_factory=list)
    added: list[IndexRow] = field(default_factory=list)
    removed: list[IndexRow] = field(default_factory=list)
    ratings: dict[tuple[int, int], int] = field(default_factory=dict)
    codes: dict[int, str] = field(default_factory=dict)
    moved: dict[int, int] = field(default_factory=dict)
    """Games by their aliases that this transaction made."""
    games: set[tuple[int, int]] = field(default_factory=set)
    """The spaces and ids of games that came, changed or left."""

    def note(self, space: int, game: int) -> None:
        """Note that a game came into a space, changed there or left it."""
        self.games.add((space, game))

    def take_slots(self, count: int) -> list[int]:
        """Return slots that no game has, or had when the transaction began: `ratings` are by slot."""
        slots = engine().take_slots(self.cursor, count)
        too_low = max((row.slot for row in self.removed), default=0) + 1 - slots[0]
        return [slot + max(0, too_low) for slot in slots]

    def home(self, pk: int) -> int:
        """Return the id of the game that a game is now part of."""
        while pk in self.moved:
            pk = self.moved[pk]
        return pk

    def add(self, indexed: Indexed, slot: int, record_kind: str, played: int, result: int) -> None:
        """Index a game in a new slot."""
        rows, codes = indexed
        shown = row_result(record_kind, result)
        self.pending += [
            IndexRow(key, played, slot, ply, move, flags, shown) for key, ply, move, flags in rows
        ]
        if slot % _check_every() == 0:
            self.codes.update((row.key, code) for row, code in zip(rows, codes, strict=True))

    def write_rows(self) -> None:
        """Insert the pending rows in the order of the primary key."""
        if self.pending:
            engine().insert(self.cursor, sorted(self.pending))
        self.added += self.pending
        self.pending = []

    def write_counters(self) -> None:
        """Update the counters. Only the upload is written after them."""
        counters.update(self.cursor, self.added, self.removed, self.ratings)

    def promote(self) -> None:
        """Create counters, after the commit, for keys that have become hot."""
        with connection.cursor() as cursor:
            cold = self.codes.keys() - engine().hot_keys(cursor, self.codes) if self.codes else set()
            hot = engine().keys_with_rows(cursor, cold, schema.HOT_GAMES) if cold else set()
            busy = part_counters.keys_needing_parts(cursor, self.codes.keys() - cold, schema.PARTED_ROWS)
        for key in sorted(busy):
            counters.promote_parts(key)
        for key in sorted(hot):
            try:
                counters.promote(key, self.codes[key])
            except UndecidedError as error:
                # The rows are committed; the next game with this key checks it again.
                log.warning("key %d gets no counters yet: %s", key, error)
                return


def _check_every() -> int:
    """Return n: every nth game checks whether its keys have become hot."""
    return max(1, schema.HOT_GAMES // 20)


def run(
    games: Iterable[DerivedGame],
    work: Callable[[Change], T],
    *,
    decided: bool = False,
    alone: bool = False,
) -> T:
    """Run `work` in one transaction, after the names of `games` are stored; repeat it after a conflict with
    another transaction.

    `work` must write rows and counters through its `Change`. With `decided` all committed rows are visible,
    as needed for removing rows that may not exist. With `alone` no other transaction writes games meanwhile,
    so that none uses names that change. Raises RetiredVersionError and UndecidedError.
    """
    games = list(games)
    lock = engine().lock_exclusive if alone else engine().lock_decided if decided else engine().lock_shared
    for attempt in range(1, ATTEMPTS + 1):
        engine().make_room()
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                lock(cursor)
                versions.check_current()
                change = Change(cursor, get_or_create_names(games))
                result = work(change)
                GameChange.objects.bulk_create(
                    GameChange(space=space, game=game) for space, game in sorted(change.games)
                )
            break
        except DatabaseError as error:
            if attempt == ATTEMPTS or not engine().may_retry(error):
                raise
        except ObjectDoesNotExist:
            # Another transaction deleted a game or an entry between two reads.
            if attempt == ATTEMPTS:
                raise
    change.promote()
    return result
