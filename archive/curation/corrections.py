"""Corrections of games: propose, decide, undo, and read their history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from archive import store
from archive.curation.errors import CurationError
from archive.curation.masks import NO_MASKS
from archive.curation.policy import decide, may_decide, may_propose
from archive.curation.steps import (
    MOST_BYTES,
    check_reason,
    check_room,
    due_proposals,
    end_proposal,
    note_steps,
    object_to,
)
from archive.derive.corrections import GameCorrection, correct, document_of
from archive.derive.editions import Edition
from archive.derive.game import ending_values, storable
from archive.derive.game_limits import game_limits
from archive.derive.masking import Sides, mask_record
from archive.derive.operations import (
    MOST_OPERATIONS,
    Document,
    Operation,
    OperationError,
    apply,
    difference,
    is_addition,
)
from archive.models import Correction, CorrectionEvent, Game, GameRecord, Player, User, codec
from archive.store import Author
from kifu_core.errors import KifuError
from kifu_core.games import load
from kifu_core.jkf import Record
from kifu_core.record import ParsedGame

if TYPE_CHECKING:
    from archive.accounts.roles import AnyUser

State = Correction.State
Event = CorrectionEvent.Event


def correct_game(user: User, game: Game, operations: Sequence[Operation], reason: str) -> Correction:
    """Propose a correction of a game that the user reads; it applies at once if the user or the settings
    decide so. Return its row. Raises CurationError."""
    if not may_propose(user, game):
        raise CurationError("no-right")
    _check(operations, reason)
    check_applies(game, operations)
    decision = decide(
        timezone.now(),
        may_decide=may_decide(user, game),
        adds_only=all(map(is_addition, operations)),
        days=settings.ARCHIVE_OBJECTION_DAYS,
    )
    check_room(user, decision)
    row = store.propose_correction(game, operations, reason.strip(), Author(user), due=decision.due)
    return _apply(row, user) if decision.at_once else row


def correct_record(user: User, game: Game, edited: bytes, reason: str) -> Correction:
    """Propose the difference between a game and its edited record, which is JKF, as `correct_game` does."""
    return correct_game(user, game, operations_of(game, edited), reason)


def operations_of(game: Game, edited: bytes) -> list[Operation]:
    """Return the operations that turn a game into its edited record. Raises CurationError."""
    after = _read(edited)
    before = _read(codec.to_json(game.jkf))
    present = present_document(game)
    ending = ending_values(after.ending) if after.ending != before.ending else present.ending
    document = Document(_copy(after.record), ending, dict(present.fractions), [*present.attributed])
    try:
        operations = difference(present, document)
    except OperationError as error:
        raise CurationError(error.code, index=error.index) from error
    if not operations:
        raise CurationError("nothing-changed")
    return operations


def _read(text: bytes) -> ParsedGame:
    try:
        _kind, result = load(text, "edited.jkf", limits=game_limits())
    except KifuError as error:
        raise CurationError("unreadable-record") from error
    if len(result.games) != 1:
        raise CurationError("unreadable-record")
    if result.games[0].unread:
        raise CurationError("unplayable")
    return result.games[0]


def _copy(record: Record) -> Record:
    copy: Record = orjson.loads(codec.to_json(record))
    return copy


def present_document(game: Game) -> Document:
    """Return a game as operations change it."""
    return document_of(_final(game))


def _final(game: Game) -> Edition:
    record, facts = GameRecord.objects.values_list("record", "parsed_facts").get(pk=game.pk)
    return Edition(bytes(record), facts)


def _check(operations: Sequence[Operation], reason: str) -> None:
    check_reason(reason)
    if not operations:
        raise CurationError("nothing-changed")
    text = orjson.dumps(list(operations))
    if len(operations) > MOST_OPERATIONS or len(text) > MOST_BYTES:
        raise CurationError("too-large")
    if storable(operations) != operations:
        raise CurationError("malformed", index=0)


def check_applies(game: Game, operations: Sequence[Operation]) -> None:
    """Check that operations apply to a game as it is. Raises CurationError."""
    document = present_document(game)
    try:
        apply(operations, document)
    except OperationError as error:
        raise CurationError(error.code, index=error.index) from error
    people = {person for person in document.attributed if person is not None}
    own = Player.objects.filter(pk__in=people, space=game.space, merged_into=None)
    if own.count() < len(people):
        raise CurationError("unknown-player")


def _apply(row: Correction, user: User | None) -> Correction:
    try:
        row = store.apply_correction(row.pk, Author(user))
    except store.SameGameError as error:
        raise CurationError("same-game", other=error.other) from error
    note_steps(user, [row], Event.APPLIED if row.state == State.APPLIED else Event.FAILED)
    return row


# --- decisions -------------------------------------------------------------------------------------------


def accept(user: User, row: Correction) -> Correction:
    """Apply a proposal, or one that was undone or rejected. Raises CurationError."""
    _check_decides(user, row)
    if row.state == State.APPLIED:
        raise CurationError("not-open")
    return _apply(row, user)


def reject(user: User, row: Correction, reason: str = "") -> Correction:
    """Reject a proposal. Raises CurationError."""
    _check_decides(user, row)
    return end_proposal(user, row, State.REJECTED, reason)


def withdraw(user: User, row: Correction, reason: str = "") -> Correction:
    """Withdraw one's own proposal. Raises CurationError."""
    if row.author_id != user.pk:
        raise CurationError("no-right")
    return end_proposal(user, row, State.WITHDRAWN, reason)


def undo(user: User, row: Correction) -> Correction:
    """Undo a correction that applies or failed. Raises CurationError."""
    _check_decides(user, row)
    if not _undo(user, [row.pk]):
        raise CurationError("not-applied")
    return Correction.objects.get(pk=row.pk)


def restore(user: User, game: Game, number: int) -> int:
    """Restore the state of a game after its first `number` corrections: undo all later ones. Return how many
    were undone. Raises CurationError."""
    if not may_decide(user, game):
        raise CurationError("no-curator")
    later = history(game).filter(number__gt=number, state__in=(State.APPLIED, State.FAILED))
    return _undo(user, list(later.values_list("pk", flat=True)))


def _undo(user: User, ids: list[int]) -> int:
    if not ids:
        return 0
    try:
        undone = store.undo_corrections(ids, Author(user))
    except store.SameGameError as error:
        raise CurationError("same-game", other=error.other) from error
    if undone:
        note_steps(user, Correction.objects.filter(pk__in=ids).order_by("pk"), Event.UNDONE)
    return undone


def subject_of(row: Correction) -> Game:
    """Return the game of a correction. Raises Game.DoesNotExist."""
    return Game.objects.get(pk=row.subject_id)


def _check_decides(user: AnyUser, row: Correction) -> None:
    if not may_decide(user, subject_of(row)):
        raise CurationError("no-curator")


def apply_due() -> int:
    """Apply the proposals whose time for objections is over; return how many. Those that would make a game
    equal to another one wait for a curator."""
    applied = 0
    for row in due_proposals(Correction.Subject.GAME):
        try:
            _apply(row, None)
            applied += 1
        except (CurationError, Game.DoesNotExist):
            Correction.objects.filter(pk=row.pk).update(due=None)
    return applied


# --- history ---------------------------------------------------------------------------------------------


def history(game: Game) -> QuerySet[Correction]:
    """Return the corrections of a game, in the order of application, then those that never applied."""
    rows = Correction.objects.filter(subject=Correction.Subject.GAME, subject_id=game.pk)
    return rows.order_by("number", "pk")


@dataclass(frozen=True, slots=True)
class Version:
    """A state of a game: the record after its first `number` corrections that apply."""

    number: int
    record: Record


def version(game: Game, number: int, sides: Sides = NO_MASKS) -> Version:
    """Return the state of a game after its corrections up to `number`, with masked players; 0 is the union of
    its editions."""
    record = _version(game, number)
    if any(sides):
        mask_record(record, sides)
    return Version(number, record)


def _version(game: Game, number: int) -> Record:
    stored = GameRecord.objects.get(pk=game.pk)
    if stored.base is None:
        return game.jkf
    rows = history(game).filter(number__lte=number, state__in=(State.APPLIED, State.FAILED))
    corrections = [GameCorrection(row.pk, row.operations) for row in rows]
    corrected = correct(Edition(bytes(stored.base), stored.base_facts or {}), corrections)
    return codec.unpack(corrected.edition.record)


# --- actions ---------------------------------------------------------------------------------------------


def perform(action: str, user: User, row: Correction, reason: str = "") -> Correction:
    """Perform one of `ACTIONS`. Raises CurationError, ValueError for an unknown action."""
    match action:
        case "accept":
            return accept(user, row)
        case "reject":
            return reject(user, row, reason)
        case "withdraw":
            return withdraw(user, row, reason)
        case "object":
            return object_to(user, row, subject_of(row), reason)
        case "undo":
            return undo(user, row)
    raise ValueError(f"no action {action!r}")
