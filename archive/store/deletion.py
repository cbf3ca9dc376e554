"""Delete the entries of an upload, or those that a later reading no longer finds.

A game is deleted with its last entry; otherwise it becomes what its other editions say. Entries of uploads
that are being deleted no longer count. Games that nobody else has sent go first, so that nothing finds them
during the rest of the work.

The work is done a few entries at a time, each time in a transaction of its own, so that others can write in
between. Killed anywhere, it goes on when it is called again. Two processes that delete the same upload do no
harm.
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

from archive.derive.editions import Edition, union
from archive.derive.game import DerivedGame
from archive.index.away import UndecidedError, is_away
from archive.models import Entry, Game, GameAlias, GameRecord, GoneGame, GoneUpload, Upload, UploadChunk
from archive.store import apply
from archive.store.change import Change, run
from archive.store.entry_rows import edition_of
from archive.store.existing import details_of, stored_editions
from archive.store.plan import Details, derive_again, plan_changes

BATCH: Final = 100
"""Entries of the first transaction; the following ones are made larger or smaller by the time it took."""
LARGEST_BATCH: Final = 400
SMALLEST_BATCH: Final = 20
"""Below, a transaction costs more than what is done in it. So many games are made anew in about 0.1 s."""
BATCH_SECONDS: Final = {"sqlite": 0.15, "postgresql": 0.5}[connection.vendor]
"""About as long as a transaction is to take. On SQLite nobody else writes meanwhile; on PostgreSQL those wait
that change the same counters."""

CHUNKS: Final = 16
"""Pieces of bytes that are deleted in one transaction."""

CLAIM_SECONDS: Final = settings.CLAIM_SECONDS


def begin_deletion(upload_id: int) -> bool:
    """Hide an upload from everybody and stop all work on it; return whether it exists.

    The same bytes can be sent again from now on. A second call changes nothing.
    """
    found = Upload.objects.filter(pk=upload_id)
    begun = {"state": Upload.State.DELETING, "sha256": f"deleted-{upload_id}"}
    fresh = found.exclude(state=Upload.State.DELETING)
    return bool(fresh.update(claimed_by=None, claimed_until=None, **begun)) or found.exists()


def delete_upload(upload_id: int, seconds: float | None = None) -> bool:
    """Delete an upload with its bytes, its entries, and the games that nobody else has sent; return whether
    it is gone.

    It is not gone yet if about so many seconds were not enough, or if somebody else is deleting it. Call
    again to go on; `left_deleting` lists what is left. Raises UndecidedError.
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
            if isinstance(error, UndecidedError) or is_away(error):
                deletion.hand_over()
            raise
    return not Upload.objects.filter(pk=upload_id).exists()


def left_deleting() -> list[int]:
    """Return the ids of uploads whose deletion has begun and that nobody is working on. The caller has to
    pass them on.

    They are not returned again until a message about them should have arrived.
    """
    now = timezone.now()
    left = Upload.objects.filter(unclaimed(now), state=Upload.State.DELETING).order_by("pk")
    ids = list(left.values_list("pk", flat=True))
    until = now + timedelta(seconds=settings.MESSAGE_SECONDS)
    return [pk for pk in ids if left.filter(pk=pk).update(claimed_by=None, claimed_until=until)]


def unclaimed(now: datetime) -> Q:
    """Return the condition for uploads that nobody works on. After a message about one, `claimed_until` is
    when that message counts as lost."""
    return Q(claimed_until__isnull=True) | Q(claimed_until__lt=now)


@dataclass(frozen=True, slots=True)
class Deletion:
    """The deletion of one upload by one process, identified by its token."""

    upload_id: int
    token: str

    def claim(self) -> bool:
        """Claim the deletion, unless somebody else has it: two would only wait for each other."""
        free = unclaimed(timezone.now()) | Q(claimed_by=None)
        doomed = Upload.objects.filter(free, pk=self.upload_id, state=Upload.State.DELETING)
        return bool(doomed.update(claimed_by=self.token, claimed_until=self._until()))

    def hand_over(self) -> None:
        """Give the deletion back unfinished. The caller has to send a message, which the sweeper waits for a
        while."""
        until = timezone.now() + timedelta(seconds=settings.MESSAGE_SECONDS)
        self._mine().update(claimed_by=None, claimed_until=until)

    def _mine(self) -> QuerySet[Upload]:
        return Upload.objects.filter(pk=self.upload_id, claimed_by=self.token)

    def _until(self) -> datetime:
        return timezone.now() + timedelta(seconds=CLAIM_SECONDS)

    def steps(self) -> Iterator[None]:
        """Delete, pausing after every transaction, until it is done or somebody else has taken over."""
        for _ in self._entries():
            if not self._mine().update(claimed_until=self._until()):
                return
            yield
        chunks = UploadChunk.objects.filter(upload_id=self.upload_id).order_by("n")
        while pieces := list(chunks.values_list("n", flat=True)[:CHUNKS]):
            chunks.filter(n__in=pieces).delete()
            yield
        _forget(self.upload_id)

    def _entries(self) -> Iterator[None]:
        pace, after = Pace(), -1
        mine = Entry.objects.filter(upload_id=self.upload_id)
        columns = mine.order_by("seq").values_list("pk", "game_id", "seq")
        while found := list(columns.filter(seq__gt=after)[: pace.size]):
            after = found[-1][2]
            others = _with_others({game for _, game, _ in found if game is not None})
            if alone := [pk for pk, game, _ in found if game not in others]:
                with pace:
                    _remove(alone)
                yield
        # Another one that was at it, too, may have finished meanwhile.
        for space in Upload.objects.filter(pk=self.upload_id).values_list("space", flat=True):
            gone = GoneUpload(upload_id=self.upload_id, space=space)
            GoneUpload.objects.bulk_create([gone], ignore_conflicts=True)
        yield
        while left := list(mine.order_by("seq").values_list("pk", flat=True)[: pace.size]):
            with pace:
                _remove(left)
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


def _with_others(games: Collection[int]) -> set[int]:
    """Return those games of an upload of which another upload, one that stays, has an entry."""
    theirs = Entry.objects.filter(game__in=games).exclude(upload__state=Upload.State.DELETING)
    return set(theirs.order_by().values_list("game_id", flat=True).distinct())


def _forget(upload_id: int) -> None:
    """Delete an upload of which nothing else is left, unless somebody else has done it."""
    with transaction.atomic():
        if Upload.objects.select_for_update().filter(pk=upload_id).exists():
            Upload.objects.filter(pk=upload_id).delete()


# --- entries ---------------------------------------------------------------------------------------------


def remove_unread(upload_id: int) -> None:
    """Remove the entries that the upload's latest reading did not find.

    Entries with hidden bytes stay, because they record that the upload's bytes must stay hidden.
    """
    left = Entry.objects.filter(upload_id=upload_id, rereads__lt=F("upload__rereads"))
    unread = left.filter(hidden=False).order_by("seq")
    while found := list(unread.values_list("pk", flat=True)[:BATCH]):
        _remove(found)


def _remove(entries: Sequence[int]) -> None:
    """Remove entries in one transaction: all of them, or as many as there is time for."""

    def work(change: Change) -> None:
        _Removal(change, entries).run(time.monotonic() + BATCH_SECONDS)
        change.write_rows()
        change.write_counters()

    run((), work, decided=True)


class _Removal:
    """The entries that are removed in one transaction, by game; it locks all these games.

    `left` has, by game, the entries that are neither removed nor part of an upload that is being deleted. An
    entry that moved to another game while we waited for the lock is left alone.
    """

    def __init__(self, change: Change, entries: Sequence[int]) -> None:
        self.change = change
        doomed = Entry.objects.filter(pk__in=entries)
        found = doomed.exclude(game=None).order_by().values_list("game_id", flat=True).distinct()
        locked = Game.objects.select_for_update().filter(pk__in=list(found)).order_by("pk")
        self.games = {game.pk: game for game in locked.defer("header_data")}
        self.entries: dict[int | None, list[int]] = {}
        for pk, game in doomed.values_list("pk", "game_id"):
            if game is None or game in self.games:
                self.entries.setdefault(game, []).append(pk)
        self.left = self._left()

    def _left(self) -> dict[int, list[Entry]]:
        removed = {pk for found in self.entries.values() for pk in found}
        others = Entry.objects.filter(game__in=self.games).exclude(upload__state=Upload.State.DELETING)
        own = Case(When(record=None, then=False), default=True, output_field=BooleanField())
        columns = ("id", "game_id", "state", "parsed_facts")
        left: dict[int, list[Entry]] = {}
        for entry in others.only(*columns).annotate(differs=own).order_by("pk"):
            if entry.pk not in removed and entry.game_id is not None:
                left.setdefault(entry.game_id, []).append(entry)
        return left

    def run(self, until: float) -> None:
        """Remove the entries that go with their game or do not change it; then, while there is time, the
        others."""
        going = [game for pk, game in self.games.items() if pk not in self.left]
        told = dict(
            GameRecord.objects.filter(game__in=self.left.keys()).values_list("game_id", "parsed_facts")
        )
        # Where one that stays says the same as the game, whatever the others said, nothing is to be done.
        settled = {pk for pk, found in self.left.items() if any(_says(entry, told[pk]) for entry in found)}
        unsettled = [pk for pk in self.games if pk in self.left and pk not in settled]
        at_once = [pk for game, found in self.entries.items() if game not in unsettled for pk in found]
        gone = Q(pk__in=at_once) | Q(game__in=[game.pk for game in going])
        Entry.objects.filter(gone).delete()
        drop(self.change, going, anyhow=True)
        self._restate(settled)
        if unsettled:
            self._settle(unsettled, until)

    def _settle(self, games: Sequence[int], until: float) -> None:
        """Make games what their remaining editions say, as many as there is time for.

        A game that has changed in moves, players, day or result may now be the same as a third one.
        """
        done, changed = list[int](), dict[int, DerivedGame]()
        for game, mine, details, editions in self._editions(games):
            united = union(editions)
            done.append(game.pk)
            if united != mine:
                changed[game.pk] = derive_again(game, mine, details, united)
            if len(done) >= SMALLEST_BATCH and time.monotonic() >= until:
                break
        Entry.objects.filter(pk__in=[pk for game in done for pk in self.entries[game]]).delete()
        self._restate(done)
        self.change.names.look_up(list(changed.values()))
        apply.carry_out(self.change, lambda existing: plan_changes(changed, existing))

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

    def _restate(self, games: Collection[int]) -> None:
        """Mark the first remaining entry of a game as the one that brought it, unless one is marked
        already."""
        first = [
            self.left[pk][0].pk
            for pk in games
            if not any(entry.state == Entry.State.STORED for entry in self.left[pk])
        ]
        Entry.objects.filter(pk__in=first).update(state=Entry.State.STORED)


def _says(entry: Any, parsed_facts: Mapping[str, Any]) -> bool:
    """Return whether an entry agrees with its game, which has these facts."""
    return not entry.differs and (not entry.parsed_facts or entry.parsed_facts == parsed_facts)


def drop(change: Change, games: Sequence[Game], *, anyhow: bool = False) -> None:
    """Delete games that have no entries, with their rows and aliases; their ids answer 410 from now on.

    Raises IndexDamagedError, unless `anyhow`.
    """
    if not games:
        return
    apply.take_out(change, games, anyhow=anyhow)
    ids = [game.pk for game in games]
    aliases = GameAlias.objects.filter(game__in=ids)
    gone = [(game.pk, game.space) for game in games] + [*aliases.values_list("pk", "space")]
    GoneGame.objects.bulk_create([GoneGame(pk=pk, space=space) for pk, space in gone], ignore_conflicts=True)
    aliases.delete()
    apply.drop_games(games)
