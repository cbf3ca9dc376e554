"""Corrections of all games of a search: preview, run in turns, undo in turns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from archive import libraries, store
from archive.accounts.roles import may_curate, may_dispose
from archive.curation.batch_edits import BatchEdit
from archive.curation.errors import CurationError
from archive.curation.steps import check_reason, note_steps
from archive.models import (
    CorrectionBatch,
    CorrectionEvent,
    Game,
    GameRecord,
    User,
    codec,
)
from archive.queries.games.bulk import being_deleted
from archive.queries.games.filters import stored_filters
from archive.queries.games.listing import ids_matching
from archive.queries.scope import Scope
from archive.store import Author
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from archive.accounts.roles import AnyUser
    from archive.derive.operations import Operation

MOST_GAMES: Final = 10_000
"""Games of one batch."""
GAMES_AT_ONCE: Final = 25
"""Games of one transaction: others can write between two of them."""
PREVIEWED: Final = 200
"""Games whose records a preview reads."""
OPEN_BATCHES: Final = 10
"""Unfinished batches of one account."""
CLAIM: Final = timedelta(seconds=60)

State = CorrectionBatch.State
UNFINISHED: Final = (State.WAITING, State.RUNNING, State.UNDOING)


@dataclass(frozen=True, slots=True)
class PreviewedGame:
    """A game of a preview, with the operations that the edit means for it."""

    game: int
    operations: Sequence[Operation]


@dataclass(frozen=True, slots=True)
class BatchPreview:
    """The games of a batch before it is run: their number, and what the edit does to the first of them."""

    games: int
    fitting: list[PreviewedGame]
    others: list[int]
    """Those of the first games that the edit does not fit."""


def may_batch(user: AnyUser, space: int) -> bool:
    """Return whether a user may correct all games of a space."""
    if space == PUBLIC:
        return may_curate(user)
    return isinstance(user, User) and may_dispose(user) and libraries.owns(user, space)


def preview(user: User, space: int, filters: Mapping[str, Any], edit: BatchEdit) -> BatchPreview:
    """Return what a batch would do; `filters` are by `stored_parameters`. Raises CurationError and
    QueryError."""
    games = _games(user, space, filters)
    operations = _operations(games[:PREVIEWED], edit)
    return BatchPreview(
        len(games),
        [PreviewedGame(pk, some) for pk, some in operations.items() if some],
        [pk for pk, some in operations.items() if not some],
    )


def create(
    user: User, space: int, filters: Mapping[str, Any], edit: BatchEdit, reason: str
) -> CorrectionBatch:
    """Store a batch over the games of a search; a task has to run it. Raises CurationError and
    QueryError."""
    check_reason(reason)
    if CorrectionBatch.objects.filter(author=user, state__in=UNFINISHED).count() >= OPEN_BATCHES:
        raise CurationError("too-many-batches")
    games = _games(user, space, filters)
    if not games:
        raise CurationError("no-games")
    return CorrectionBatch.objects.create(
        author=user,
        author_name=user.username,
        space=space,
        filters=dict(filters),
        edit=edit.stored(),
        reason=reason.strip(),
        games=games,
    )


def undo(user: User, batch: CorrectionBatch) -> CorrectionBatch:
    """Begin to undo a batch that is done; a task has to go on. Raises CurationError."""
    if not may_batch(user, batch.space):
        raise CurationError("no-curator")
    done = CorrectionBatch.objects.filter(pk=batch.pk, state=State.DONE)
    if not done.update(state=State.UNDOING, done=0, claimed_until=None):
        raise CurationError("batch-unfinished")
    batch.refresh_from_db()
    return batch


def shown(user: AnyUser) -> QuerySet[CorrectionBatch]:
    """Return the batches of the spaces in which a user may make some."""
    if not isinstance(user, User):
        return CorrectionBatch.objects.none()
    owned = user.memberships.filter(owner=True).values("space")
    spaces = Q(space__in=owned) if may_dispose(user) else Q(pk=None)
    return CorrectionBatch.objects.filter(spaces | Q(space=PUBLIC) if may_curate(user) else spaces)


def _games(user: User, space: int, filters: Mapping[str, Any]) -> list[int]:
    if not may_batch(user, space):
        raise CurationError("no-curator")
    games = ids_matching(Scope((space,)), stored_filters(filters), MOST_GAMES)
    if len(games) > MOST_GAMES:
        raise CurationError("too-many-games", most=MOST_GAMES)
    return sorted(games)


def _operations(games: Sequence[int], edit: BatchEdit) -> dict[int, list[Operation]]:
    """Return the operations of an edit on each of the games that exist, in their order."""
    deleted = being_deleted(games)
    rows = GameRecord.objects.filter(pk__in=games).exclude(pk__in=deleted).order_by("pk")
    return {pk: edit.operations(codec.unpack(record)) for pk, record in rows.values_list("pk", "record")}


# --- turns -----------------------------------------------------------------------------------------------


def unfinished() -> list[int]:
    """Return the batches that need work and that nobody works on."""
    unclaimed = Q(claimed_until=None) | Q(claimed_until__lt=timezone.now())
    rows = CorrectionBatch.objects.filter(unclaimed, state__in=UNFINISHED)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:OPEN_BATCHES])


def work(pk: int, seconds: float) -> bool:
    """Go on with a batch for a turn; return whether it is finished, or in the hands of another worker."""
    batch = _claimed(pk)
    if batch is None:
        return True
    ends = time.monotonic() + seconds
    try:
        while batch.done < len(batch.games):
            if time.monotonic() > ends:
                _let_go(batch)
                return False
            _step(batch)
    except store.BatchMovedError:
        return True
    _finish(batch)
    return True


def _claimed(pk: int) -> CorrectionBatch | None:
    now = timezone.now()
    free = CorrectionBatch.objects.filter(Q(claimed_until=None) | Q(claimed_until__lt=now), pk=pk)
    if not free.filter(state__in=UNFINISHED).update(claimed_until=now + CLAIM):
        return None
    CorrectionBatch.objects.filter(pk=pk, state=State.WAITING).update(state=State.RUNNING)
    return CorrectionBatch.objects.select_related("author").get(pk=pk)


def _let_go(batch: CorrectionBatch) -> None:
    CorrectionBatch.objects.filter(pk=batch.pk).update(claimed_until=None)


def _finish(batch: CorrectionBatch) -> None:
    state = State.UNDONE if batch.state == State.UNDOING else State.DONE
    CorrectionBatch.objects.filter(pk=batch.pk, state=batch.state).update(state=state, claimed_until=None)


def _step(batch: CorrectionBatch) -> None:
    """Correct, or undo, the next games of a batch; if one of them would become equal to another game, each
    in a transaction of its own, without those."""
    games = batch.games[batch.done : batch.done + GAMES_AT_ONCE]
    try:
        _write(batch, games, batch.done + len(games))
    except store.SameGameError:
        for game in games:
            try:
                _write(batch, [game], batch.done + 1)
            except store.SameGameError:
                _write(batch, [], batch.done + 1)


def _write(batch: CorrectionBatch, games: Sequence[int], done: int) -> None:
    author = Author(batch.author)
    if batch.state == State.UNDOING:
        rows, event = store.undo_games(games, batch, done, author), CorrectionEvent.Event.UNDONE
    else:
        operations = {pk: some for pk, some in _allowed(batch, games).items() if some}
        rows, event = store.correct_games(operations, batch, done, author), CorrectionEvent.Event.APPLIED
    note_steps(batch.author, rows, event)


def _allowed(batch: CorrectionBatch, games: Sequence[int]) -> dict[int, list[Operation]]:
    """Return the operations on games that are in the batch's space still, if its author has the right
    still."""
    if batch.author is None or not may_batch(batch.author, batch.space):
        return {}
    here = Game.objects.filter(pk__in=games, space=batch.space).values_list("pk", flat=True)
    return _operations(list(here), BatchEdit.of(batch.edit))
