"""Corrections of players, events and places: propose, decide, undo, and read their history."""

from __future__ import annotations

from typing import Any, Final, cast

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from archive import store
from archive.curation.errors import CurationError
from archive.curation.policy import Decision, decide, may_decide, may_propose, possible_actions
from archive.curation.steps import (
    MOST_BYTES,
    check_reason,
    check_room,
    due_proposals,
    end_proposal,
    note_steps,
    object_to,
)
from archive.derive.name_operations import (
    Merge,
    NameEditError,
    Split,
    TakeDown,
    is_addition,
    read_operations,
)
from archive.intake.tasks import send_names
from archive.models import NAMED, AnyName, Correction, CorrectionEvent, User
from archive.models import NameKind as Kind
from archive.shapes.encoding import encode

State = Correction.State
Step = CorrectionEvent.Event

_OPEN: Final = (State.PROPOSED, State.FAILED)


def correct(user: User, row: AnyName, operations: list[Any], reason: str) -> Correction:
    """Propose a correction of a name that the user reads; it applies at once if the user may
    decide, or if it only sets empty fields. Merges, separations and taking down are always decided by
    somebody. Return the correction. Raises CurationError."""
    if not may_propose(user, row):
        raise CurationError("no-right")
    check_reason(reason)
    if len(encode(operations)) > MOST_BYTES:
        raise CurationError("too-large")
    decision = _decide(operations, decides=may_decide(user, row))
    check_room(user, decision)
    try:
        correction = store.correct_name(
            row.KIND,
            row.pk,
            operations,
            user,
            reason.strip(),
            apply=decision.at_once,
            due=decision.due,
        )
    except NameEditError as error:
        raise _refused(error) from error
    if decision.at_once:
        _applied(user, correction, "applied")
    return correction


def reject(user: User, row: AnyName, operations: list[Any], reason: str) -> Correction:
    """Store a proposal that the user rejects at once, so that it is not made again. Raises CurationError."""
    if not may_decide(user, row):
        raise CurationError("no-curator")
    check_reason(reason)
    try:
        made = store.correct_name(row.KIND, row.pk, operations, user, reason.strip(), apply=False)
    except NameEditError as error:
        raise _refused(error) from error
    return end_proposal(user, made, State.REJECTED)


def _decide(operations: list[Any], *, decides: bool) -> Decision:
    try:
        read = read_operations(operations)
    except NameEditError as error:
        raise _refused(error) from error
    adds_only = all(map(is_addition, read))
    # Merges, separations and taking down are always decided by somebody.
    decided = any(isinstance(one, Merge | Split | TakeDown) for one in read)
    days = 0 if decided else settings.ARCHIVE_OBJECTION_DAYS
    return decide(timezone.now(), may_decide=decides, adds_only=adds_only, days=days)


def perform(action: str, user: User | None, correction: Correction, reason: str = "") -> Correction:
    """Perform one of `ACTIONS` on a correction of a name. Raises CurationError."""
    row = subject_of(correction)
    if user is not None and action not in possible_actions(user, correction, row):
        raise CurationError(_why_not(action, user, correction, row))
    try:
        match action:
            case "accept" if correction.state in _OPEN:
                correction = store.accept_name(correction.pk, user, reason)
            case "accept":
                correction = store.restore_name(correction.pk, user, reason)
            case "undo":
                correction = store.undo_name(correction.pk, user, reason)
            case _:
                assert user is not None
                return _end(action, user, correction, row, reason)
    except NameEditError as error:
        raise _refused(error) from error
    _applied(user, correction, correction.state)
    return correction


def _end(action: str, user: User, correction: Correction, row: AnyName, reason: str) -> Correction:
    if action == "object":
        return object_to(user, correction, row, reason)
    state = State.REJECTED if action == "reject" else State.WITHDRAWN
    return end_proposal(user, correction, state, reason, _OPEN)


def _why_not(action: str, user: User, correction: Correction, row: AnyName) -> str:
    if action in ("withdraw", "object"):
        may = may_propose(user, row) if action == "object" else correction.author_id == user.pk
        return "not-open" if may else "no-right"
    if not may_decide(user, row):
        return "no-curator"
    return "not-applied" if action == "undo" else "not-open"


def subject_of(correction: Correction) -> AnyName:
    """Return the row of the name of a correction. Raises DoesNotExist."""
    return NAMED[cast("Kind", correction.subject)]._default_manager.get(pk=correction.subject_id)


def history(row: AnyName) -> QuerySet[Correction]:
    """Return the corrections of a name and of the rows that were merged into it, the latest
    first."""
    rows = type(row)._default_manager.filter(Q(pk=row.pk) | Q(home=row.pk)).values_list("pk", flat=True)
    return Correction.objects.filter(subject=row.KIND, subject_id__in=rows).order_by("-pk")


def apply_due() -> int:
    """Apply the proposals about names whose time for objections is over; return how many."""
    due = due_proposals(*map(Correction.Subject, NAMED))
    return len([perform("accept", None, correction) for correction in due])


def _refused(error: NameEditError) -> CurationError:
    return CurationError(error.code, index=error.operation)


def _applied(user: User | None, correction: Correction, step: str) -> None:
    """Write the audit log, and let games follow that wait."""
    note_steps(user, [correction], step)
    if any(model._default_manager.filter(unsettled=True).exists() for model in NAMED.values()):
        send_names()
