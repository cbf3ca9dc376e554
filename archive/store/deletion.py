"""Delete the entries of an upload, or those that a later reading lacks.

A game is deleted with its last entry; otherwise it becomes the union of its other editions. Entries of
uploads that are being deleted do not count. Games that only this upload has are deleted first.

Each transaction removes a few entries, so that others can write in between. A deletion that was interrupted
continues at the next call. Two processes may delete the same upload.
"""

import secrets
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import BooleanField, Case, F, Q, QuerySet, When
from django.db.utils import DatabaseError
from django.utils import timezone

from archive.derive.corrections import correct
from archive.derive.editions import Edition, union
from archive.derive.game import DerivedGame
from archive.index.availability import UndecidedError, is_unreachable
from archive.models import Entry, Game, GameAlias, GameRecord, GoneGame, GoneUpload, Upload, UploadChunk
from archive.store import apply
from archive.store.change import Change, run
from archive.store.entry_rows import edition_of
from archive.store.existing import corrected_games, details_of, stored_editions
from archive.store.game_rows import Details, derive_again
from archive.store.hidden_bytes import REMOVABLE
from archive.store.plan import plan_changes

BATCH: Final = 100
"""Entries of the first transaction. The size of the next ones depends on the time that it took."""
LARGEST_BATCH: Final = 400
SMALLEST_BATCH: Final = 20
"""Smaller transactions cost more than the work in them. So many games are rewritten in about 0.1 s."""
BATCH_SECONDS: Final = {"sqlite": 0.15, "postgresql": 0.5}[connection.vendor]
"""The intended time of a transaction. On SQLite it blocks all writers, on PostgreSQL those of the same
counters."""

CHUNKS: Final = 16
"""Pieces of bytes that are deleted in one transaction."""

CLAIM_SECONDS: Final = settings.CLAIM_SECONDS


def begin_deletion(upload_id: int) -> bool:
    """Hide an upload and stop all work on it; return whether it exists. The same bytes can be sent again."""
    upload = Upload.objects.filter(pk=upload_id)
    deleting = {"state": Upload.State.DELETING, "sha256": f"deleted-{upload_id}"}
    fresh = upload.exclude(state=Upload.State.DELETING)
    return bool(fresh.update(claimed_by=None, claimed_until=None, **deleting)) or upload.exists()


def delete_upload(upload_id: int, seconds: float | None = None) -> bool:
    """Delete an upload with its bytes, its entries and the games that only it has; return whether that is
    finished.

    It is not if it takes longer than `seconds`, or if another process is deleting the upload. Call again to
    continue; see `unfinished_deletions`. Raises UndecidedError.
    """
    begin_deletion(upload_id)
    deletion = Deletion(upload_id, secrets.token_hex(16))
    until = None if seconds is None else time.monotonic() + seconds
    if deletion.claim():
        try:
            for _ in deletion.steps():
                if until is not None and time.monotonic() >= until:
                    deletion.hand_over()
                    break
        except (UndecidedError, DatabaseError) as error:
            if isinstance(error, UndecidedError) or is_unreachable(error):
                deletion.hand_over()
            raise
    return not Upload.objects.filter(pk=upload_id).exists()


def unfinished_deletions() -> list[int]:
    """Return the ids of uploads whose deletion nobody is working on. The caller sends a message about each.

    Each is returned again only when its message counts as lost.
    """
    now = timezone.now()
    left = Upload.objects.filter(unclaimed(now), state=Upload.State.DELETING).order_by("pk")
    ids = list(left.values_list("pk", flat=True))
    until = now + timedelta(seconds=settings.MESSAGE_SECONDS)
    return [pk for pk in ids if left.filter(pk=pk).update(claimed_by=None, claimed_until=until)]


def unclaimed(now: datetime) -> Q:
    """Return the condition for uploads that nobody works on. After a message was sent, `claimed_until` is the
    time when it counts as lost."""
    return Q(claimed_until__isnull=True) | Q(claimed_until__lt=now)


@dataclass(frozen=True, slots=True)
class Deletion:
    """The deletion of one upload by one process, identified by its token."""

    upload_id: int
    token: str

    def claim(self) -> bool:
        """Claim the deletion; return whether no other process has it."""
        free = unclaimed(timezone.now()) | Q(claimed_by=None)
        doomed = Upload.objects.filter(free, pk=self.upload_id, state=Upload.State.DELETING)
        return bool(doomed.update(claimed_by=self.token, claimed_until=self._until()))

    def hand_over(self) -> None:
        """Give the deletion back unfinished. The caller sends a message, for which the sweeper waits a
        while."""
        until = timezone.now() + timedelta(seconds=settings.MESSAGE_SECONDS)
        self._mine().update(claimed_by=None, claimed_until=until)

    def _mine(self) -> QuerySet[Upload]:
        return Upload.objects.filter(pk=self.upload_id, claimed_by=self.token)

    def _until(self) -> datetime:
        return timezone.now() + timedelta(seconds=CLAIM_SECONDS)

    def steps(self) -> Iterator[None]:
        """Delete, and yield after each transaction, until nothing is left or the claim is lost."""
        for _ in self._entries():
            if not self._mine().update(claimed_until=self._until()):
                return
            yield
        chunks = UploadChunk.objects.filter(upload_id=self.upload_id).order_by("n")
        while pieces := list(chunks.values_list("n", flat=True)[:CHUNKS]):
            chunks.filter(n__in=pieces).delete()
            yield
        _delete_row(self.upload_id)

    def _entries(self) -> Iterator[None]:
        pace, after = Pace(), -1
        mine = Entry.objects.filter(upload_id=self.upload_id)
        columns = mine.order_by("seq").values_list("pk", "game_id", "seq")
        while rows := list(columns.filter(seq__gt=after)[: pace.size]):
            after = rows[-1][2]
            shared = _shared_games({game for _, game, _ in rows if game is not None})
            if alone := [pk for pk, game, _ in rows if game not in shared]:
                with pace:
                    _remove(alone)
                yield
        # Another process may have finished the deletion.
        for space in Upload.objects.filter(pk=self.upload_id).values_list("space", flat=True):
            marker = GoneUpload(upload_id=self.upload_id, space=space)
            GoneUpload.objects.bulk_create([marker], ignore_conflicts=True)
        yield
        while rest := list(mine.order_by("seq").values_list("pk", flat=True)[: pace.size]):
            with pace:
                _remove(rest)
            yield


class Pace:
    """The number of entries in a transaction, chosen so that it takes about `BATCH_SECONDS`."""

    def __init__(self) -> None:
        self.size = BATCH
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        took = time.monotonic() - self._began
        if took < BATCH_SECONDS / 2:
            self.size = min(2 * self.size, max(BATCH, LARGEST_BATCH))
        elif took > BATCH_SECONDS:
            self.size = max(min(BATCH, SMALLEST_BATCH), int(self.size * BATCH_SECONDS / took))


def _shared_games(games: Collection[int]) -> set[int]:
    """Return the games that also have an entry in an upload that is not being deleted."""
    others = Entry.objects.filter(game__in=games).exclude(upload__state=Upload.State.DELETING)
    return set(others.order_by().values_list("game_id", flat=True).distinct())


def _delete_row(upload_id: int) -> None:
    with transaction.atomic():
        if Upload.objects.select_for_update().filter(pk=upload_id).exists():
            Upload.objects.filter(pk=upload_id).delete()


# --- entries ---------------------------------------------------------------------------------------------


def remove_unread(upload_id: int) -> None:
    """Remove the entries that the latest reading of an upload lacks.

    Those with hidden bytes stay: the upload's bytes must stay hidden.
    """
    unread = Entry.objects.filter(REMOVABLE, upload_id=upload_id, rereads__lt=F("upload__rereads"))
    while ids := list(unread.order_by("seq").values_list("pk", flat=True)[:BATCH]):
        _remove(ids)


def _remove(entries: Sequence[int]) -> None:
    """Remove entries in one transaction, as many as `BATCH_SECONDS` allow."""

    def work(change: Change) -> None:
        _Removal(change, entries).run(time.monotonic() + BATCH_SECONDS)
        change.write_rows()
        change.write_counters()

    run((), work, decided=True)


class _Removal:
    """The removal of entries in one transaction; it locks their games.

    `left` has the entries that count for each game afterwards. An entry that moved to another game before the
    lock was granted is not removed.
    """

    def __init__(self, change: Change, entries: Sequence[int]) -> None:
        self.change = change
        doomed = Entry.objects.filter(pk__in=entries)
        ids = doomed.exclude(game=None).order_by().values_list("game_id", flat=True).distinct()
        locked = Game.objects.select_for_update().filter(pk__in=list(ids)).order_by("pk")
        self.games = {game.pk: game for game in locked.defer("header_data")}
        self.entries: dict[int | None, list[int]] = {}
        for pk, game in doomed.values_list("pk", "game_id"):
            if game is None or game in self.games:
                self.entries.setdefault(game, []).append(pk)
        self.left = self._left()

    def _left(self) -> dict[int, list[Entry]]:
        removed = {pk for entries in self.entries.values() for pk in entries}
        others = Entry.objects.filter(game__in=self.games).exclude(upload__state=Upload.State.DELETING)
        own = Case(When(record=None, then=False), default=True, output_field=BooleanField())
        columns = ("id", "game_id", "state", "parsed_facts")
        left: dict[int, list[Entry]] = {}
        for entry in others.only(*columns).annotate(differs=own).order_by("pk"):
            if entry.pk not in removed and entry.game_id is not None:
                left.setdefault(entry.game_id, []).append(entry)
        return left

    def run(self, until: float) -> None:
        """Remove the entries whose games are deleted or do not change, then the others while time is left."""
        deleted = [game for pk, game in self.games.items() if pk not in self.left]
        records = GameRecord.objects.filter(game__in=self.left.keys())
        facts = dict(records.values_list("game_id", "parsed_facts"))
        # A game stays as it is if a remaining entry is equal to it.
        settled = {
            pk for pk, entries in self.left.items() if any(_agrees(entry, facts[pk]) for entry in entries)
        }
        unsettled = [pk for pk in self.games if pk in self.left and pk not in settled]
        now = [pk for game, entries in self.entries.items() if game not in unsettled for pk in entries]
        Entry.objects.filter(Q(pk__in=now) | Q(game__in=[game.pk for game in deleted])).delete()
        drop(self.change, deleted, repair=True)
        self._mark_first(settled)
        for pk in self.left:  # their first arrival may be another one now
            self.change.note(self.games[pk].space, pk)
        if unsettled:
            self._settle(unsettled, until)

    def _settle(self, games: Sequence[int], until: float) -> None:
        """Make games the union of their remaining editions, as many as time allows."""
        done, changed = list[int](), dict[int, DerivedGame]()
        corrected = corrected_games([self.games[pk] for pk in games if self.games[pk].corrected])
        for game, mine, details, editions in self._editions(games):
            united = union(editions)
            done.append(game.pk)
            if united != mine:
                stored, after = mine, None
                if own := corrected.get(game.pk):
                    stored, after = own.final, correct(united, own.corrections)
                changed[game.pk] = derive_again(game, stored, details, united, after)
            if len(done) >= SMALLEST_BATCH and time.monotonic() >= until:
                break
        Entry.objects.filter(pk__in=[pk for game in done for pk in self.entries[game]]).delete()
        self._mark_first(done)
        self.change.names.add_names_of(list(changed.values()))
        apply.plan_and_apply(self.change, lambda existing: plan_changes(changed, existing))

    def _editions(self, games: Sequence[int]) -> Iterator[tuple[Game, Edition, Details, list[Edition]]]:
        """Yield each game with its edition and details, and the editions of its remaining entries."""
        stored = [self.games[pk] for pk in games]
        editions, details = stored_editions(stored), details_of(stored)
        left = [entry.pk for game in games for entry in self.left[game]]
        records = dict(Entry.objects.filter(pk__in=left).values_list("pk", "record"))
        for game in stored:
            for entry in self.left[game.pk]:
                entry.record = records[entry.pk]
            mine = editions[game.pk]
            yield game, mine, details[game.pk], [edition_of(entry, mine) for entry in self.left[game.pk]]

    def _mark_first(self, games: Collection[int]) -> None:
        """Mark the first remaining entry of each game as STORED, unless one is."""
        first = [
            self.left[pk][0].pk
            for pk in games
            if not any(entry.state == Entry.State.STORED for entry in self.left[pk])
        ]
        Entry.objects.filter(pk__in=first).update(state=Entry.State.STORED)


def _agrees(entry: Any, parsed_facts: Mapping[str, Any]) -> bool:
    return not entry.differs and (not entry.parsed_facts or entry.parsed_facts == parsed_facts)


def drop(change: Change, games: Sequence[Game], *, repair: bool = False) -> None:
    """Delete games without entries, with their rows and aliases; their ids answer 410.

    Raises IndexDamagedError, unless `repair`.
    """
    if not games:
        return
    apply.remove_rows_of_games(change, games, repair=repair)
    ids = [game.pk for game in games]
    aliases = GameAlias.objects.filter(game__in=ids)
    former = [(game.pk, game.space) for game in games] + [*aliases.values_list("pk", "space")]
    markers = [GoneGame(pk=pk, space=space) for pk, space in former]
    GoneGame.objects.bulk_create(markers, ignore_conflicts=True)
    aliases.delete()
    apply.drop_games(change, games)
