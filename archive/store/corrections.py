"""Applies and undoes corrections of games. Each call is one transaction: the game, its rows in the index, its
names and the history change together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max, Min

from archive.derive.editions import Edition, derive_edition
from archive.models import Correction, CorrectionBatch, CorrectionEvent, Entry, Game, User
from archive.store import apply, history
from archive.store.change import Change, run
from archive.store.entry_rows import edition_of
from archive.store.existing import ACTIVE, corrections_of, stored_editions
from archive.store.plan import Existing, NotReadError, Plan, SameGameError

State = Correction.State
Event = CorrectionEvent.Event


@dataclass(frozen=True, slots=True)
class Author:
    """Who takes a step: an account, or the archive itself (None)."""

    account: User | None = None

    @property
    def name(self) -> str:
        """Return the name of the account; empty for the archive."""
        return self.account.username if self.account else ""

    def note_all(self, corrections: Collection[int], event: CorrectionEvent.Event) -> None:
        """Write the same step into the history of several corrections."""
        CorrectionEvent.objects.bulk_create(
            CorrectionEvent(correction_id=pk, event=event, account=self.account, account_name=self.name)
            for pk in corrections
        )

    def note(self, correction: int, event: CorrectionEvent.Event, text: str = "") -> None:
        """Write a step into the history of a correction."""
        CorrectionEvent.objects.create(
            correction_id=correction,
            event=event,
            account=self.account,
            account_name=self.name,
            text=text,
        )


def propose_correction(
    game: Game, operations: Sequence[Any], reason: str, author: Author, **values: Any
) -> Correction:
    """Store a proposal; it changes nothing yet. `values` are further columns of `Correction`."""
    row = Correction.objects.create(
        subject=Correction.Subject.GAME,
        subject_id=game.pk,
        entry=_first_entries([game.pk]).get(game.pk),
        space=game.space,
        operations=list(operations),
        reason=reason,
        author=author.account,
        author_name=author.name,
        state=State.PROPOSED,
        **values,
    )
    author.note(row.pk, Event.PROPOSED)
    return row


def apply_correction(pk: int, author: Author) -> Correction:
    """Apply a proposal, or one that was undone, in its place; return its row.

    If a prerequisite does not hold, its state is FAILED, and the game stays as it is. A correction that
    applies already stays as it is. Raises SameGameError, Correction.DoesNotExist, Game.DoesNotExist and
    IndexDamagedError.
    """

    def work(change: Change) -> Correction:
        game = _locked_game(pk)
        row = Correction.objects.select_for_update().get(pk=pk)
        if row.state in ACTIVE:
            return row
        event = Event.RESTORED if row.number is not None else Event.APPLIED
        if row.number is None:
            row.number = _next_number(game.pk)
        row.state, row.due = State.APPLIED, None
        row.save(update_fields=["state", "number", "due"])
        author.note(pk, event)
        _write(change, [game])
        return Correction.objects.get(pk=pk)

    return run((), work)


def undo_corrections(pks: Collection[int], author: Author) -> int:
    """Undo corrections of one game; return how many applied before. The others apply to the record without
    them, or fail. Raises as `apply_correction`."""

    return run((), lambda change: undo_within(change, pks, author))


def undo_within(change: Change, pks: Collection[int], author: Author) -> int:
    """Undo corrections of one game as `undo_corrections` does, in the caller's transaction."""
    game = _locked_game(min(pks))
    rows = Correction.objects.select_for_update().filter(
        pk__in=pks, subject=Correction.Subject.GAME, subject_id=game.pk, state__in=ACTIVE
    )
    ids = list(rows.order_by("pk").values_list("pk", flat=True))
    Correction.objects.filter(pk__in=ids).update(state=State.UNDONE, failed_operation=None)
    for each in ids:
        author.note(each, Event.UNDONE)
    if ids:
        _write(change, [game])
    return len(ids)


def correct_within(
    change: Change, game: Game, operations: Sequence[Any], reason: str, author: Author
) -> Correction:
    """Store a correction of a game and apply it, in the caller's transaction. Raises as
    `apply_correction`."""
    row = propose_correction(game, operations, reason, author, number=_next_number(game.pk))
    Correction.objects.filter(pk=row.pk).update(state=State.APPLIED)
    author.note(row.pk, Event.APPLIED)
    _write(change, [game])
    return row


def restore_corrections(change: Change, former: int, home: int) -> None:
    """Let the corrections of a game that was taken down apply to the restored one. If they would make it
    equal to another game, they wait as proposals."""
    history.follow(former, home)
    if not corrections_of([home])[home]:
        return
    game = Game.objects.select_for_update().get(pk=home)
    try:
        with transaction.atomic():
            _write(change, [game])
    except SameGameError:
        history.release(home)


def correct_games(
    operations: Mapping[int, Sequence[Any]], batch: CorrectionBatch, done: int, author: Author
) -> list[Correction]:
    """Correct games of a batch in one transaction, which also moves the batch on from its `done` games to
    `done`; return the corrections. Games that are deleted meanwhile are left out.

    Raises BatchMovedError if the batch is elsewhere by now, SameGameError and IndexDamagedError.
    """

    def work(change: Change) -> list[Correction]:
        games = list(Game.objects.select_for_update().filter(pk__in=operations).order_by("pk"))
        ids = [game.pk for game in games]
        numbers, entries = _next_numbers(ids), _first_entries(ids)
        rows = Correction.objects.bulk_create(
            Correction(
                subject=Correction.Subject.GAME,
                subject_id=game.pk,
                entry=entries.get(game.pk),
                space=game.space,
                operations=list(operations[game.pk]),
                reason=batch.reason,
                author=author.account,
                author_name=author.name,
                state=State.APPLIED,
                number=numbers[game.pk],
                batch=batch,
            )
            for game in games
        )
        author.note_all([row.pk for row in rows], Event.APPLIED)
        _write(change, games)
        _move_on(batch, done)
        return list(Correction.objects.filter(pk__in=[row.pk for row in rows]).order_by("pk"))

    return run((), work)


def undo_games(games: Collection[int], batch: CorrectionBatch, done: int, author: Author) -> list[Correction]:
    """Undo the corrections of a batch on some of its games, as `correct_games` applies them."""

    def work(change: Change) -> list[Correction]:
        rows = batch.corrections.filter(subject_id__in=games, state__in=ACTIVE)
        found = list(Game.objects.select_for_update().filter(pk__in=rows.values("subject_id")).order_by("pk"))
        undone = list(rows.select_for_update().order_by("pk"))
        ids = [row.pk for row in undone]
        Correction.objects.filter(pk__in=ids).update(state=State.UNDONE, failed_operation=None)
        author.note_all(ids, Event.UNDONE)
        _write(change, found)
        _move_on(batch, done)
        return undone

    return run((), work)


class BatchMovedError(Exception):
    """Another worker has gone on with the batch, or its state has changed. Nothing was written."""


def _move_on(batch: CorrectionBatch, done: int) -> None:
    here = CorrectionBatch.objects.filter(pk=batch.pk, state=batch.state, done=batch.done)
    if not here.update(done=done):
        raise BatchMovedError
    batch.done = done


def attributed_to(game: int, colour: int) -> int | None:
    """Return the player to whom corrections attribute a side of a game; None if the header names the
    player."""
    attributed: int | None = None
    for correction in corrections_of([game])[game]:
        for operation in correction.operations if correction.failed is None else ():
            if operation["op"] == "player" and operation["colour"] == colour:
                attributed = operation["new"]
    return attributed


def _next_number(game: int) -> int:
    return _next_numbers([game])[game]


def _next_numbers(games: Sequence[int]) -> dict[int, int]:
    rows = Correction.objects.filter(subject=Correction.Subject.GAME, subject_id__in=games)
    last = dict(rows.order_by().values_list("subject_id").annotate(last=Max("number")))
    return {game: (last.get(game) or 0) + 1 for game in games}


def _first_entries(games: Sequence[int]) -> dict[int, int]:
    rows = Entry.objects.filter(game__in=games)
    return dict(rows.order_by().values_list("game_id").annotate(first=Min("pk")))


def _locked_game(correction: int) -> Game:
    subject_id = Correction.objects.values_list("subject_id", flat=True).get(
        pk=correction, subject=Correction.Subject.GAME
    )
    return Game.objects.select_for_update().get(pk=subject_id)


def _write(change: Change, games: Sequence[Game]) -> None:
    """Write games with their corrections as they are now."""
    _remember_editions([game for game in games if not game.corrected])
    corrections = corrections_of([game.pk for game in games])

    def decide(existing: Existing) -> Plan:
        plan = Plan(existing)
        for game in games:
            with suppress(NotReadError):
                plan.correct(game.pk, corrections[game.pk])
        return plan

    apply.plan_and_apply(change, decide)
    for game in games:
        change.note(game.space, game.pk)
    change.write_rows()
    change.write_counters()


def _remember_editions(games: Sequence[Game]) -> None:
    """Remember the identities of the editions of games as they were uploaded."""
    own, spaces = stored_editions(games), {game.pk: game.space for game in games}
    editions: dict[tuple[int, bytes], Edition] = {}
    for entry in Entry.objects.filter(game__in=spaces).order_by("pk"):
        if entry.game_id is not None:
            each = edition_of(entry, own[entry.game_id])
            editions[entry.game_id, each.record] = each
    history.remember(
        (derive_edition(each, spaces[pk], kept_rows=0), pk) for (pk, _), each in editions.items()
    )
