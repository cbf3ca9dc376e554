"""Store what was read of uploads: entries and their games, batch by batch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from archive.derive.game import ReadyEntry, ReadyGame, storable
from archive.models import Entry
from archive.store import changes, dedupe, leases, matching, rereading
from archive.store.changes import Change, Identity, identity
from archive.store.leases import CLAIM_SECONDS, RenumberedError


class ClaimLostError(Exception):
    """Another worker has these uploads by now: what this one was about to write is not written."""

    def __init__(self, uploads: Collection[int]) -> None:
        super().__init__(*uploads)
        self.uploads = uploads


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """Some entries of an upload, in order; `ended`: there are no more of them."""

    upload_id: int
    entries: Sequence[ReadyEntry]
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a batch came to, in entries."""

    stored: int = 0
    duplicate: int = 0
    failed: int = 0


def ingest(
    upload_id: int,
    token: str,
    entries: Sequence[ReadyEntry],
    expected: int | None = None,
    seconds: float = CLAIM_SECONDS,
) -> Ingested:
    """Store a batch of entries of one upload, as `ingest_together` does.

    `expected` is the number of its entries, as far as it is known; None: those up to the last of these.
    """
    known = max(entry.seq for entry in entries) + 1 if expected is None else expected
    return _ingest([ReadBatch(upload_id, entries)], token, {upload_id: known}, seconds)


def ingest_together(batches: Sequence[ReadBatch], token: str) -> Ingested:
    """Store entries of one upload or several, and their games, in one transaction; claims last longer by it.

    Entries that are there already (by `seq`) are left as they are. A game already known gets what this
    edition has more. An upload whose entries have ended is done, unless it is being read again: then it is
    still to be finished. Raises ClaimLostError and RenumberedError, after which nothing at all is stored, and
    IndexDamagedError.
    """
    expected = {batch.upload_id: batch.entries[-1].seq + 1 for batch in batches if batch.entries}
    return _ingest(batches, token, expected, CLAIM_SECONDS)


def _ingest(
    batches: Sequence[ReadBatch], token: str, expected: Mapping[int, int], seconds: float
) -> Ingested:
    editions = _editions(entry for batch in batches for entry in batch.entries)

    def work(change: Change) -> Ingested:
        there = _there(batches, token)
        _check_numbers(batches, there)
        new = [(batch, there[batch.upload_id].new(batch.entries)) for batch in batches]
        wanted = {identity(entry.game) for _, entries in new for entry in entries if entry.game}
        games = _store_games(change, {known: editions[known] for known in wanted})
        change.write_rows()
        made = _entry_rows(change, [(there[batch.upload_id], entries) for batch, entries in new], games)
        Entry.objects.bulk_create(made)
        for batch in batches:
            made += _read_again(change, there[batch.upload_id], batch.entries)
        change.write_counters()
        _prolong(batches, token, expected, seconds)
        return Ingested(
            *(sum(row.state == state for row in made) for state in ("stored", "duplicate", "failed"))
        )

    return changes.run(editions.values(), work)


@dataclass(frozen=True, slots=True)
class _Row:
    """An entry that is stored; `place` is its path and its index in the file."""

    seq: int
    pk: int
    reading: int
    place: tuple[str, int]


def _place(entry: ReadyEntry) -> tuple[str, int]:
    return storable(entry.path), entry.index


@dataclass(frozen=True, slots=True)
class _There:
    """What is stored of an upload: its reading, how many entries were expected, and the rows of these entries
    by the `seq` that they have now."""

    upload_id: int
    reading: int
    expected: int | None
    rows: Mapping[int, _Row]

    def new(self, entries: Sequence[ReadyEntry]) -> list[ReadyEntry]:
        """Those of the entries that have no row."""
        return [entry for entry in entries if entry.seq not in self.rows]

    def old(self, entries: Sequence[ReadyEntry]) -> list[ReadyEntry]:
        """Those that were read before this reading."""
        there = self.rows
        return [entry for entry in entries if entry.seq in there and there[entry.seq].reading < self.reading]

    def fits(self, batch: ReadBatch) -> bool:
        """Whether what is stored are the same entries, and none of this reading behind the last of all."""
        for entry in batch.entries:
            row = self.rows.get(entry.seq)
            if row and row.place != _place(entry):
                return False
        if not batch.ended or self.expected is None:
            return True
        count = batch.entries[-1].seq + 1 if batch.entries else self.expected
        behind = Entry.objects.filter(upload_id=self.upload_id, seq__gte=count, reading=self.reading)
        return not behind.exists()


def _there(batches: Sequence[ReadBatch], token: str) -> dict[int, _There]:
    """What there is of these uploads. Raises ClaimLostError for those that are not ours any more."""
    ids = [batch.upload_id for batch in batches]
    columns = leases.claimed(ids, token).values_list("pk", "reading", "expected")
    found = {pk: (reading, expected) for pk, reading, expected in columns}
    if lost := set(ids) - found.keys():
        raise ClaimLostError(sorted(lost))
    there = {}
    for batch in batches:
        reading, expected = found[batch.upload_id]
        # Before its first batch an upload has no entries to look for.
        rows = _rows_there(batch, reading) if expected is not None else {}
        there[batch.upload_id] = _There(batch.upload_id, reading, expected, rows)
    return there


def _rows_there(batch: ReadBatch, reading: int) -> dict[int, _Row]:
    stored = Entry.objects.filter(upload_id=batch.upload_id)
    numbered = stored.filter(seq__in=[entry.seq for entry in batch.entries])
    rows = {row.seq: row for row in _rows(numbered)}
    if reading:
        rows |= _rows_moved(stored, [entry for entry in batch.entries if entry.seq not in rows])
    return rows


def _rows(entries: QuerySet[Entry]) -> Iterator[_Row]:
    for seq, pk, reading, path, index in entries.values_list("seq", "pk", "reading", "path", "index"):
        yield _Row(seq, pk, reading, (path, index))


def _rows_moved(stored: QuerySet[Entry], entries: Sequence[ReadyEntry]) -> dict[int, _Row]:
    """By `seq` the rows of these entries among those that were moved, each the first at its place."""
    paths, indexes = {storable(entry.path) for entry in entries}, {entry.index for entry in entries}
    wanted = stored.filter(seq__gte=leases.MOVED, path__in=paths, index__in=indexes)
    moved: dict[tuple[str, int], list[_Row]] = {}
    for row in _rows(wanted.order_by("-seq")):
        moved.setdefault(row.place, []).append(row)
    return {entry.seq: rows.pop() for entry in entries if (rows := moved.get(_place(entry)))}


def _check_numbers(batches: Sequence[ReadBatch], there: Mapping[int, _There]) -> None:
    """Raises RenumberedError for uploads whose entries are not those that were found before."""
    if other := [batch.upload_id for batch in batches if not there[batch.upload_id].fits(batch)]:
        raise RenumberedError(other)


def _read_again(change: Change, there: _There, entries: Sequence[ReadyEntry]) -> list[Entry]:
    """Bring the rows of an earlier reading up to this one; the rows."""
    old = there.old(entries)
    if not old:
        return []
    matching.lock([entry.game for entry in old if entry.game], change.names.players)
    ids = {seq: row.pk for seq, row in there.rows.items()}
    rows = rereading.update(change, old, ids, there.reading)
    change.write_rows()
    return rows


def _editions(entries: Iterable[ReadyEntry]) -> dict[Identity, ReadyGame]:
    """The games of a batch, each the union of its editions."""
    games: dict[Identity, list[ReadyGame]] = {}
    for entry in entries:
        if entry.game:
            games.setdefault(identity(entry.game), []).append(entry.game)
    return {known: dedupe.one_edition(found) for known, found in games.items()}


@dataclass(frozen=True, slots=True)
class _Stored:
    """Where the games of a batch are: their ids as they were found, and those that the batch brought."""

    ids: dict[Identity, int]
    new: set[int]


def _store_games(change: Change, games: Mapping[Identity, ReadyGame]) -> _Stored:
    """Insert the games that are unknown, add to those that are known.

    What nothing stored or coming along could be one with goes in together, the rest one by one. A game that
    another writer inserts between looking and inserting is known on the second look.
    """
    matching.lock(games.values(), change.names.players)
    known = changes.known_games(games)
    unknown = [game for found, game in games.items() if found not in known]
    alone = matching.alone(unknown, change.names.players)
    ids = changes.insert_games(change, alone) if alone else {}
    new = set(ids.values())
    late = [identity(game) for game in alone if identity(game) not in ids]
    known |= changes.known_games(late) if late else {}
    for found, game in sorted(known.items(), key=lambda item: item[1].pk):
        ids[found] = dedupe.add_edition(change, game, games[found])
    for found, ready in games.items():
        if found not in ids:
            ids[found], inserted = dedupe.place(change, ready)
            new |= {ids[found]} if inserted else set()
    return _Stored(ids, new)


def _entry_rows(
    change: Change, uploads: Iterable[tuple[_There, Sequence[ReadyEntry]]], stored: _Stored
) -> list[Entry]:
    brought: set[int] = set()
    rows = []
    for there, entries in uploads:
        for entry in sorted(entries, key=lambda entry: entry.seq):
            row = Entry(
                upload_id=there.upload_id, seq=entry.seq, state=Entry.State.FAILED, reading=there.reading
            )
            dedupe.describe(row, entry)
            if entry.game:
                game = change.home(stored.ids[identity(entry.game)])
                first = game in stored.new and game not in brought
                brought.add(game)
                row.state = Entry.State.STORED if first else Entry.State.DUPLICATE
                row.game_id = game
                row.record = dedupe.own_record(entry.game.record, change.records[game])
                row.beside = dict(entry.game.beside)
            rows.append(row)
    return rows


def _prolong(batches: Sequence[ReadBatch], token: str, expected: Mapping[int, int], seconds: float) -> None:
    """Progress was made: claims last longer or are done with, and the tries before do not count any more.

    Raises ClaimLostError.
    """
    until = timezone.now() + timedelta(seconds=seconds)
    ended = {batch.upload_id for batch in batches if batch.ended}
    alike: dict[int | None, set[int]] = {}
    for batch in batches:
        alike.setdefault(expected.get(batch.upload_id), set()).add(batch.upload_id)
    changed = 0
    for count, ids in alike.items():
        values: dict[str, Any] = {"tries": 1} if count is None else {"tries": 1, "expected": count}
        done = leases.claimed(ids & ended, token).filter(reading=0)
        closed = done.update(**values, **leases.ended()) if ids & ended else 0
        if closed < len(ids):
            changed += leases.claimed(ids, token).update(claimed_until=until, **values)
        changed += closed
    if changed < len(batches):
        ids = {batch.upload_id for batch in batches}
        left = leases.unfinished().exclude(claimed_by=token).filter(pk__in=ids)
        raise ClaimLostError(sorted(left.values_list("pk", flat=True)))
