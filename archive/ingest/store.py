"""The only writer and deleter of uploads, entries, games and the position index.

Every function is a transaction of its own: killed anywhere it leaves nothing, run again it changes nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Case, Count, F, Q, QuerySet, When
from django.db.utils import IntegrityError
from django.utils import timezone

from archive.ingest import matching, placing, removal, rereading, writing
from archive.ingest.ready import ReadyEntry, ReadyGame, index_rows, storable
from archive.ingest.removal import begin_deletion, delete_upload, left_deleting
from archive.ingest.writing import Change, Identity, IndexDamagedError, identity
from archive.models import PIECE_BYTES, Entry, Game, Upload, UploadChunk

__all__ = [
    "ClaimLostError",
    "IndexDamagedError",
    "Ingested",
    "UploadEmpty",
    "UploadTooLarge",
    "begin_deletion",
    "claim",
    "create_upload",
    "delete_games",
    "delete_upload",
    "entry_counts",
    "fail",
    "finish",
    "hand_over",
    "ingest",
    "left_deleting",
    "lives",
    "reindex_games",
    "release",
    "replace_games",
    "reread",
    "retry",
    "sweep",
]

CLAIM_SECONDS: Final = settings.CLAIM_SECONDS
"""How long a claim lasts after each committed batch."""

TRIES_LIMIT: Final = 10
"""Claims without a committed batch between them after which an upload is given up."""


SWEPT: Final = 1000
"""Uploads that one sweep sends again at most."""


class UploadEmpty(ValueError):
    """No bytes at all: nothing is stored."""


class UploadTooLarge(ValueError):
    """More than ARCHIVE_MAX_UPLOAD_BYTES: nothing is stored."""


class ClaimLostError(Exception):
    """Another worker has the upload by now: what this one was about to write is not written."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a batch came to, in entries."""

    stored: int = 0
    duplicate: int = 0
    failed: int = 0


# --- uploads ---------------------------------------------------------------------------------------------


def create_upload(
    name: str, chunks: Iterable[bytes], uploader: AbstractBaseUser | None = None, source: str = "web"
) -> tuple[Upload, bool]:
    """Store the bytes as they come, in the transaction that creates the upload; (upload, whether it is new).

    The same bytes from the same uploader (None: nobody) are the same upload. No more than one piece is held
    in memory. `chunks` should not be slower than a disk: on SQLite nobody else writes meanwhile.
    Raises UploadEmpty and UploadTooLarge.
    """
    digest, size = sha256(), 0
    try:
        with transaction.atomic():
            # The name of the bytes is known when all have come; nobody sees this one.
            upload = Upload(name=name, size=0, sha256=uuid.uuid4().hex, source=source)
            upload.uploader_id = uploader.pk if uploader else None
            upload.save()
            for n, piece in enumerate(_pieces(chunks)):
                digest.update(piece)
                size += len(piece)
                if size > settings.ARCHIVE_MAX_UPLOAD_BYTES:
                    raise UploadTooLarge(settings.ARCHIVE_MAX_UPLOAD_BYTES)
                UploadChunk.objects.create(upload=upload, n=n, bytes=piece)
            if not size:
                raise UploadEmpty
            upload.size, upload.sha256 = size, digest.hexdigest()
            upload.save(update_fields=["size", "sha256"])
        return upload, True
    except IntegrityError:
        return Upload.objects.get(
            uploader_id=uploader.pk if uploader else None, sha256=digest.hexdigest()
        ), False


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes cut into pieces of `PIECE_BYTES`, the last one shorter."""
    waiting = bytearray()
    for chunk in chunks:
        waiting += chunk
        while len(waiting) >= PIECE_BYTES:
            yield bytes(waiting[:PIECE_BYTES])
            del waiting[:PIECE_BYTES]
    if waiting:
        yield bytes(waiting)


# --- claims ----------------------------------------------------------------------------------------------


def _unclaimed(now: datetime) -> Q:
    """Nobody works on it; where somebody was told, `claimed_until` is when that is taken for lost."""
    return Q(claimed_until__isnull=True) | Q(claimed_until__lt=now)


def _unfinished() -> QuerySet[Upload]:
    return Upload.objects.filter(state__in=[Upload.State.RECEIVED, Upload.State.PROCESSING])


def claim(upload_id: int, token: str, seconds: float = CLAIM_SECONDS) -> bool:
    """Take an unfinished upload that nobody else has a valid claim on; whether that worked.

    A claim ends by itself after `seconds`; every ingested batch makes it last longer.
    """
    now = timezone.now()
    mine = Q(claimed_by__isnull=True) | Q(claimed_by=token)
    free = _unfinished().filter(_unclaimed(now) | mine, pk=upload_id)
    return bool(
        free.update(
            claimed_by=token,
            claimed_until=now + timedelta(seconds=seconds),
            state=Upload.State.PROCESSING,
            # Who takes its own claim again has not died.
            tries=Case(When(claimed_by=token, then=F("tries")), default=F("tries") + 1),
        )
    )


def release(upload_id: int, token: str) -> bool:
    """Give an upload back unfinished, without prejudice: the next claim may come at once."""
    return bool(_claimed(upload_id, token).update(claimed_by=None, claimed_until=None, tries=F("tries") - 1))


def lives(upload_id: int) -> None:
    """A claim was lost, but its worker has not died: that try does not count."""
    _unfinished().filter(pk=upload_id, tries__gt=0).update(tries=F("tries") - 1)


def hand_over(upload_id: int, token: str) -> bool:
    """Give an upload back unfinished, because a message about it is sent; whether the claim was still ours.

    The sweeper waits a while for that message to arrive.
    """
    until = timezone.now() + timedelta(seconds=settings.MESSAGE_SECONDS)
    handed = _claimed(upload_id, token)
    return bool(handed.update(claimed_by=None, claimed_until=until, tries=F("tries") - 1))


def finish(upload_id: int, token: str) -> bool:
    """All entries are there; whether the claim was still ours.

    Entries of an earlier reading that this one has not come across go.
    """
    if not _claimed(upload_id, token).exists():
        return False
    removal.remove_unread(upload_id)
    return _close(upload_id, token, Upload.State.DONE, None)


def fail(upload_id: int, token: str, code: str, params: Mapping[str, str | int] | None = None) -> bool:
    """The upload as a whole cannot be worked off; whether the claim was still ours."""
    reason = {"code": code, "params": storable(params or {})}
    return _close(upload_id, token, Upload.State.FAILED, reason)


def _claimed(upload_id: int, token: str) -> QuerySet[Upload]:
    return _unfinished().filter(pk=upload_id, claimed_by=token)


def _close(upload_id: int, token: str, state: Upload.State, reason: dict[str, Any] | None) -> bool:
    return bool(
        _claimed(upload_id, token).update(
            state=state, reason=reason, claimed_by=None, claimed_until=None, finished=timezone.now()
        )
    )


def sweep() -> list[int]:
    """The ids of uploads left behind, oldest first: nobody works on them, though somebody should.

    Those that were tried `TRIES_LIMIT` times without any progress are given up and marked as failed.
    """
    now = timezone.now()
    left = _unfinished().filter(_unclaimed(now))
    left.filter(tries__gte=TRIES_LIMIT).update(
        state=Upload.State.FAILED,
        reason={"code": "gave-up", "params": {"tries": TRIES_LIMIT}},
        claimed_by=None,
        claimed_until=None,
        finished=now,
    )
    patience = timedelta(seconds=settings.MESSAGE_SECONDS)
    waited = Q(state=Upload.State.PROCESSING) | Q(received__lt=now - patience)
    found = list(left.filter(waited).order_by("received", "pk")[:SWEPT])
    for upload in found:
        # Where workers are busy, messages wait long: each is sent again only after twice the time.
        again = now + max(patience, now - upload.received)
        left.filter(pk=upload.pk).update(claimed_by=None, claimed_until=again)
    return [upload.pk for upload in found]


def retry(upload_id: int) -> bool:
    """Let an ended upload be worked off again: its failed entries are read anew; whether there was any need.

    What is stored stays as it is.
    """
    with transaction.atomic():
        ended = Upload.objects.filter(pk=upload_id, state__in=[Upload.State.DONE, Upload.State.FAILED])
        failures = Entry.objects.filter(upload__in=ended, state=Entry.State.FAILED)
        if not failures.exists() and not ended.filter(state=Upload.State.FAILED).exists():
            return False
        failures.delete()
        again = ended.update(state=Upload.State.RECEIVED, reason=None, tries=0, finished=None)
    return bool(again)


def reread(upload_id: int) -> bool:
    """Let an ended upload be read anew from its first byte; whether it has ended.

    Entry by entry its games become what is read now, and keep their ids (`archive.ingest.rereading`).
    """
    ended = Upload.objects.filter(pk=upload_id, state__in=[Upload.State.DONE, Upload.State.FAILED])
    again = {"state": Upload.State.RECEIVED, "reason": None, "tries": 0, "finished": None}
    return bool(ended.update(reading=F("reading") + 1, **again))


# --- games -----------------------------------------------------------------------------------------------


def ingest(
    upload_id: int,
    token: str,
    entries: Sequence[ReadyEntry],
    expected: int | None = None,
    seconds: float = CLAIM_SECONDS,
) -> Ingested:
    """Store a batch of entries and their games in one transaction, and make the claim last `seconds` more.

    `expected` is the number of entries of the upload, as far as it is known. Entries that are there already
    (by `seq`) are left as they are. A game already known gets what this edition has more.
    Raises ClaimLostError, after which nothing of the batch is stored, and IndexDamagedError.
    """
    if not _claimed(upload_id, token).exists():
        raise ClaimLostError(upload_id)
    editions = _editions(entries)

    def work(change: Change) -> Ingested:
        reading, rows = _rows_there(upload_id, [entry.seq for entry in entries])
        new = [entry for entry in entries if entry.seq not in rows]
        old = [entry for entry in entries if entry.seq in rows and rows[entry.seq][1] < reading]
        wanted = {identity(entry.game) for entry in new if entry.game}
        games = _store_games(change, {known: editions[known] for known in wanted})
        change.write_rows()
        made = _entry_rows(change, upload_id, reading, new, games)
        Entry.objects.bulk_create(made)
        if old:
            matching.lock([entry.game for entry in old if entry.game], change.names.players)
            made += rereading.update(change, old, {seq: pk for seq, (pk, _) in rows.items()}, reading)
            change.write_rows()
        change.write_counters()
        _prolong(upload_id, token, expected, seconds)
        return Ingested(
            *(sum(row.state == state for row in made) for state in ("stored", "duplicate", "failed"))
        )

    return writing.run(editions.values(), work)


def _rows_there(upload_id: int, seqs: Sequence[int]) -> tuple[int, dict[int, tuple[int, int]]]:
    """The upload's reading; the id and the reading of each of these entries that is there.

    Raises ClaimLostError where the upload is gone.
    """
    reading = Upload.objects.filter(pk=upload_id).values_list("reading", flat=True).first()
    if reading is None:
        raise ClaimLostError(upload_id)
    rows = Entry.objects.filter(upload_id=upload_id, seq__in=seqs)
    return reading, {seq: (pk, of) for seq, pk, of in rows.values_list("seq", "pk", "reading")}


def _editions(entries: Iterable[ReadyEntry]) -> dict[Identity, ReadyGame]:
    """The games of a batch, each the union of its editions."""
    games: dict[Identity, list[ReadyGame]] = {}
    for entry in entries:
        if entry.game:
            games.setdefault(identity(entry.game), []).append(entry.game)
    return {known: placing.one_edition(found) for known, found in games.items()}


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
    known = writing.known_games(games)
    unknown = [game for found, game in games.items() if found not in known]
    alone = matching.alone(unknown, change.names.players)
    ids = writing.insert_games(change, alone) if alone else {}
    new = set(ids.values())
    late = [identity(game) for game in alone if identity(game) not in ids]
    known |= writing.known_games(late) if late else {}
    for found, game in sorted(known.items(), key=lambda item: item[1].pk):
        ids[found] = placing.add_edition(change, game, games[found])
    for found, ready in games.items():
        if found not in ids:
            ids[found], inserted = placing.place(change, ready)
            new |= {ids[found]} if inserted else set()
    return _Stored(ids, new)


def _entry_rows(
    change: Change, upload_id: int, reading: int, entries: Iterable[ReadyEntry], stored: _Stored
) -> list[Entry]:
    brought: set[int] = set()
    rows = []
    for entry in sorted(entries, key=lambda entry: entry.seq):
        row = Entry(upload_id=upload_id, seq=entry.seq, state=Entry.State.FAILED, reading=reading)
        placing.describe(row, entry)
        if entry.game:
            game = change.home(stored.ids[identity(entry.game)])
            first = game in stored.new and game not in brought
            brought.add(game)
            row.state = Entry.State.STORED if first else Entry.State.DUPLICATE
            row.game_id = game
            row.record = placing.own_record(entry.game.record, change.records[game])
            row.beside = dict(entry.game.beside)
        rows.append(row)
    return rows


def _prolong(upload_id: int, token: str, expected: int | None, seconds: float) -> None:
    """Progress was made: the claim lasts longer, and the tries before do not count any more."""
    values: dict[str, Any] = {"tries": 1}
    if expected is not None:
        values["expected"] = expected
    until = timezone.now() + timedelta(seconds=seconds)
    if not _claimed(upload_id, token).update(claimed_until=until, **values):
        raise ClaimLostError(upload_id)


def delete_games(ids: Iterable[int]) -> int:
    """Delete games with everything that is theirs; how many there were.

    Their entries stay and say that the game was deleted. Raises IndexDamagedError.
    """
    wanted = list(ids)

    def work(change: Change) -> int:
        games = list(Game.objects.select_for_update().filter(pk__in=wanted).order_by("pk"))
        found = Entry.objects.filter(game__in=games)
        found.update(game=None, record=None, state=Entry.State.DELETED)
        removal.drop(change, games)
        change.write_counters()
        return len(games)

    return writing.run((), work)


def replace_games(replacements: Mapping[int, ReadyGame]) -> dict[int, int]:
    """Give stored games a new normalization of the same record; the id each one is found under now.

    Each gets a new slot. One whose new identity is another game's becomes that game's edition: its id is
    left as an alias. Ids that do not exist are left out. Raises IndexDamagedError.
    """

    def work(change: Change) -> dict[int, int]:
        matching.lock(replacements.values(), change.names.players)
        ids = writing.park_digests(list(replacements))
        for pk in ids:
            # One that was merged into a game before it is that game's edition by now.
            if game := Game.objects.filter(pk=pk).first():
                placing.settle(change, game, replacements[pk])
        change.write_rows()
        change.write_counters()
        return {pk: change.home(pk) for pk in ids}

    return writing.run(replacements.values(), work)


def reindex_games(ids: Iterable[int], *, scan: bool = False) -> int:
    """Index stored games again from their records, in new slots; how many there were.

    `scan` finds the old rows by reading whole segments: the way out of IndexDamagedError.
    """
    wanted = list(ids)

    def work(change: Change) -> int:
        games = list(Game.objects.select_for_update().filter(pk__in=wanted).order_by("pk"))
        for game in games:
            record = game.jkf
            indexed = index_rows(record, game.kind, game.space)
            writing.move_in_index(change, game, indexed, scan=scan)
            writing.derive_series(game, record)
        change.write_rows()
        change.write_counters()
        return len(games)

    return writing.run((), work)


def entry_counts(upload_id: int) -> dict[str, int]:
    """How many entries of an upload are in each state; states without any are left out."""
    states = Entry.objects.filter(upload_id=upload_id).values_list("state")
    return dict(states.annotate(n=Count("pk")).order_by())
