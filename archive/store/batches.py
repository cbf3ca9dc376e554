"""Store what was read of uploads: entries and their games, batch by batch."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Min, QuerySet
from django.utils import timezone

from archive.derive.editions import derive_edition, edition, union
from archive.derive.game import DerivedEntry, DerivedGame, Identity, storable
from archive.models import Entry
from archive.store import apply, history, leases, rereading, taken_down
from archive.store.apply import AppliedPlan
from archive.store.change import Change, run
from archive.store.entry_rows import describe, own_record
from archive.store.existing import lock
from archive.store.hidden_bytes import hide_by_game
from archive.store.leases import CLAIM_SECONDS, RenumberedError
from archive.store.plan import plan


class ClaimLostError(Exception):
    """Another worker has claimed these uploads, so nothing was written."""

    def __init__(self, uploads: Collection[int]) -> None:
        super().__init__(*uploads)
        self.uploads = uploads


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """Some entries of an upload, in order; `ended` if they are the last."""

    upload_id: int
    entries: Sequence[DerivedEntry]
    ended: bool = False


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """The numbers of entries of a batch by outcome."""

    stored: int = 0
    duplicate: int = 0
    failed: int = 0
    held: int = 0


def store_batches(batches: Sequence[ReadBatch], token: str) -> StoredCounts:
    """Store entries of one or several uploads, and their games, in one transaction, and prolong the claims.

    Entries that are already stored (by `seq`) stay unchanged. A stored game takes what a new edition adds.
    The last batch of an upload finishes it, unless it is being reread. Raises ClaimLostError and
    RenumberedError, after which nothing is stored, and IndexDamagedError.
    """
    editions = _editions(entry for batch in batches for entry in batch.entries)

    def work(change: Change) -> StoredCounts:
        stored = _stored_uploads(batches, token)
        _check_numbers(batches, stored)
        new = [(stored[batch.upload_id], stored[batch.upload_id].new(batch.entries)) for batch in batches]
        identities = {entry.game.identity for _, entries in new for entry in entries if entry.game}
        games = [game for identity, game in editions.items() if identity in identities]
        applied = apply.plan_and_apply(change, lambda existing: plan(games, existing), games)
        homes = [
            (game, applied.plan.home(pk))
            for game in games
            if (pk := applied.plan.game_ids.get(game.identity))
        ]
        history.remember((game, pk) for game, pk in homes if applied.plan.corrections.get(pk))
        change.write_rows()
        rows = _entry_rows(new, editions, applied)
        _note_earlier(change, rows)
        Entry.objects.bulk_create(rows)
        for batch in batches:
            rows += _reread_entries(change, stored[batch.upload_id], batch.entries)
        if change.names.masks or any(row.hidden for row in rows):
            hide_by_game(Entry.objects.filter(pk__in=[row.pk for row in rows]))
        change.write_counters()
        _prolong(batches, token)
        states = Counter(row.state for row in rows)
        return StoredCounts(*(states[name] for name in ("stored", "duplicate", "failed", "held")))

    return run(editions.values(), work)


@dataclass(frozen=True, slots=True)
class _StoredEntry:
    """An entry that is stored; `location` is its path and its index in the file."""

    seq: int
    pk: int
    rereads: int
    location: tuple[str, int]


def _location(entry: DerivedEntry) -> tuple[str, int]:
    return storable(entry.path), entry.index


@dataclass(frozen=True, slots=True)
class _StoredUpload:
    """The stored state of an upload: the number of rereads, the expected number of entries, and the rows of a
    batch by present `seq`."""

    upload_id: int
    rereads: int
    expected: int | None
    rows: Mapping[int, _StoredEntry]

    def new(self, entries: Sequence[DerivedEntry]) -> list[DerivedEntry]:
        return [entry for entry in entries if entry.seq not in self.rows]

    def old(self, entries: Sequence[DerivedEntry]) -> list[DerivedEntry]:
        """Return the entries whose row is from an earlier reading."""
        rows = self.rows
        return [entry for entry in entries if entry.seq in rows and rows[entry.seq].rereads < self.rereads]

    def fits(self, batch: ReadBatch) -> bool:
        """Return whether a batch has the entries that an earlier reading stored."""
        for entry in batch.entries:
            row = self.rows.get(entry.seq)
            if row and row.location != _location(entry):
                return False
        if not batch.ended or self.expected is None:
            return True
        count = batch.entries[-1].seq + 1 if batch.entries else self.expected
        later = Entry.objects.filter(upload_id=self.upload_id, seq__gte=count, rereads=self.rereads)
        return not later.exists()


def _stored_uploads(batches: Sequence[ReadBatch], token: str) -> dict[int, _StoredUpload]:
    """Return the stored state of uploads. Raises ClaimLostError for those that this worker does not hold."""
    ids = [batch.upload_id for batch in batches]
    columns = leases.claimed(ids, token).values_list("pk", "rereads", "expected")
    uploads = {pk: (rereads, expected) for pk, rereads, expected in columns}
    if lost := set(ids) - uploads.keys():
        raise ClaimLostError(sorted(lost))
    stored = {}
    for batch in batches:
        rereads, expected = uploads[batch.upload_id]
        # Before its first batch an upload has no entries.
        rows = _stored_rows(batch, rereads) if expected is not None else {}
        stored[batch.upload_id] = _StoredUpload(batch.upload_id, rereads, expected, rows)
    return stored


def _stored_rows(batch: ReadBatch, rereads: int) -> dict[int, _StoredEntry]:
    stored = Entry.objects.filter(upload_id=batch.upload_id)
    numbered = stored.filter(seq__in=[entry.seq for entry in batch.entries])
    rows = {row.seq: row for row in _rows(numbered)}
    if rereads:
        rows |= _rows_moved(stored, [entry for entry in batch.entries if entry.seq not in rows])
    return rows


def _rows(entries: QuerySet[Entry]) -> Iterator[_StoredEntry]:
    for seq, pk, rereads, path, index in entries.values_list("seq", "pk", "rereads", "path", "index"):
        yield _StoredEntry(seq, pk, rereads, (path, index))


def _rows_moved(stored: QuerySet[Entry], entries: Sequence[DerivedEntry]) -> dict[int, _StoredEntry]:
    """Return the rows of entries, by `seq`, among those that were moved behind all others. They are matched
    by path and index."""
    paths, indexes = {storable(entry.path) for entry in entries}, {entry.index for entry in entries}
    candidates = stored.filter(seq__gte=leases.FIRST_MOVED_SEQ, path__in=paths, index__in=indexes)
    moved: dict[tuple[str, int], list[_StoredEntry]] = {}
    for row in _rows(candidates.order_by("-seq")):
        moved.setdefault(row.location, []).append(row)
    return {entry.seq: rows.pop() for entry in entries if (rows := moved.get(_location(entry)))}


def _check_numbers(batches: Sequence[ReadBatch], stored: Mapping[int, _StoredUpload]) -> None:
    if renumbered := [batch.upload_id for batch in batches if not stored[batch.upload_id].fits(batch)]:
        raise RenumberedError(renumbered)


def _reread_entries(change: Change, stored: _StoredUpload, entries: Sequence[DerivedEntry]) -> list[Entry]:
    """Update the rows of an earlier reading; return them."""
    old = stored.old(entries)
    if not old:
        return []
    ids = {seq: row.pk for seq, row in stored.rows.items()}
    old = rereading.where_games_are(old, ids)
    games = [entry.game for entry in old if entry.game]
    change.names.add_names_of(games)
    lock(games, change.names)
    rows = rereading.reread_entries(change, old, ids, stored.rereads)
    change.write_rows()
    return rows


def _editions(entries: Iterable[DerivedEntry]) -> dict[Identity, DerivedGame]:
    games: dict[Identity, list[DerivedGame]] = {}
    for entry in entries:
        if entry.game:
            games.setdefault(entry.game.identity, []).append(entry.game)
    return {identity: _united(editions) for identity, editions in games.items()}


def _united(games: Sequence[DerivedGame]) -> DerivedGame:
    if len(games) == 1:
        return games[0]
    united = union([edition(game) for game in games])
    return games[0] if united == edition(games[0]) else derive_edition(united, games[0].space)


def _entry_rows(
    uploads: Iterable[tuple[_StoredUpload, Sequence[DerivedEntry]]],
    united: Mapping[Identity, DerivedGame],
    applied: AppliedPlan,
) -> list[Entry]:
    """Return the rows of new entries. The first entry of a new game is STORED, the others are DUPLICATE.
    `united` are the unions of entries with the same identity, which may have another one."""
    seen: set[int] = set()
    rows = []
    for stored, entries in uploads:
        for entry in sorted(entries, key=lambda entry: entry.seq):
            row = Entry(
                upload_id=stored.upload_id, seq=entry.seq, state=Entry.State.FAILED, rereads=stored.rereads
            )
            describe(row, entry)
            identity = united[entry.game.identity].identity if entry.game else None
            pk = applied.plan.game_ids.get(identity) if identity else None
            if entry.game and identity and pk is None:
                hidden = applied.plan.existing.taken_down[identity]
                taken_down.hold(row, entry, hidden=hidden)
            elif entry.game and pk is not None:
                game = applied.game(pk)
                first = game.new and game.pk not in seen
                seen.add(game.pk)
                row.state = Entry.State.STORED if first else Entry.State.DUPLICATE
                row.game_id = game.pk
                row.record = own_record(entry.game.record, game.record)
                row.parsed_facts = dict(entry.game.parsed_facts)
            rows.append(row)
    return rows


def _note_earlier(change: Change, rows: Iterable[Entry]) -> None:
    """Note the games that a later upload stored first: they arrived earlier than the archive had it."""
    newest_first = sorted(rows, key=lambda row: -row.upload_id)
    known = {row.game_id: row.upload_id for row in newest_first if row.state == Entry.State.DUPLICATE}
    if known:
        others = Entry.objects.filter(game__in=known).order_by().values("game", "game__space")
        for pk, space, first in others.annotate(Min("upload")).values_list(
            "game", "game__space", "upload__min"
        ):
            if known[pk] < first:
                change.note(space, pk)


def _prolong(batches: Sequence[ReadBatch], token: str) -> None:
    """Prolong the claims of unfinished uploads, end those of finished ones, and reset their tries. Raises
    ClaimLostError."""
    until = timezone.now() + timedelta(seconds=CLAIM_SECONDS)
    ended = {batch.upload_id for batch in batches if batch.ended}
    by_expected: dict[int | None, set[int]] = {}
    for batch in batches:
        expected = batch.entries[-1].seq + 1 if batch.entries else None
        by_expected.setdefault(expected, set()).add(batch.upload_id)
    changed = 0
    for count, ids in by_expected.items():
        values: dict[str, Any] = {"tries": 1} if count is None else {"tries": 1, "expected": count}
        finished = leases.claimed(ids & ended, token).filter(rereads=0)
        count_finished = finished.update(**values, **leases.ended()) if ids & ended else 0
        changed += count_finished
        if count_finished < len(ids):
            changed += leases.claimed(ids, token).update(claimed_until=until, **values)
    if changed < len(batches):
        ids = {batch.upload_id for batch in batches}
        lost = leases.unfinished().exclude(claimed_by=token).filter(pk__in=ids)
        raise ClaimLostError(sorted(lost.values_list("pk", flat=True)))
