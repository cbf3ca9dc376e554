"""Steps that corrections of games and of names share."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from archive.accounts.audit import note_all
from archive.curation.errors import CurationError
from archive.curation.policy import Decision, Subject, may_propose
from archive.models import AuditEvent, Correction, CorrectionEvent, User
from archive.shapes.encoding import encode
from archive.store import Author

REASON_LENGTH: Final = 1000
OPEN_PROPOSALS: Final = 200
"""Undecided proposals of one account."""
MOST_BYTES: Final = 1024 * 1024
"""Bytes of the operations of one correction as JSON."""
_DUE_AT_ONCE: Final = 100
_PROPOSED: Final = (Correction.State.PROPOSED,)


def check_reason(reason: str) -> str:
    """Return a reason without blanks around it. Raises CurationError if it is missing or too long."""
    if not 0 < len(reason.strip()) <= REASON_LENGTH:
        raise CurationError("reason-missing", most=REASON_LENGTH)
    return reason.strip()


def check_room(user: User, decision: Decision) -> None:
    """Check that one more proposal of a user may wait. Raises CurationError."""
    mine = Correction.objects.filter(author=user, state=Correction.State.PROPOSED)
    if not decision.at_once and mine.count() >= OPEN_PROPOSALS:
        raise CurationError("too-many-proposals")


def object_to(user: User, row: Correction, subject: Subject, reason: str) -> Correction:
    """Object to a proposal: a curator has to decide about it then. Raises CurationError."""
    if not may_propose(user, subject):
        raise CurationError("no-right")
    text = check_reason(reason)
    if not Correction.objects.filter(pk=row.pk, state=Correction.State.PROPOSED).update(due=None):
        raise CurationError("not-open")
    Author(user).note(row.pk, CorrectionEvent.Event.OBJECTED, text)
    return Correction.objects.get(pk=row.pk)


def end_proposal(
    user: User | None,
    row: Correction,
    state: Correction.State,
    reason: str = "",
    of: Collection[str] = _PROPOSED,
) -> Correction:
    """Reject or withdraw a correction whose state is one of `of`. Raises CurationError."""
    with transaction.atomic():
        if not Correction.objects.filter(pk=row.pk, state__in=of).update(state=state, due=None):
            raise CurationError("not-open")
        Author(user).note(row.pk, CorrectionEvent.Event(state), reason.strip()[:REASON_LENGTH])
    note_steps(user, [row], state)
    return Correction.objects.get(pk=row.pk)


def due_proposals(*subjects: Correction.Subject) -> QuerySet[Correction]:
    """Return proposals on subjects of these kinds whose time for objections is over, the earliest first."""
    due = Correction.objects.filter(state__in=_PROPOSED, due__lte=timezone.now(), subject__in=subjects)
    return due.order_by("due")[:_DUE_AT_ONCE]


def note_steps(user: User | None, rows: Iterable[Correction], event: str) -> None:
    """Write an audit line for each correction."""
    note_all(AuditEvent.CORRECT, user, (audit_line(row, event) for row in rows))


def audit_line(row: Correction, event: str) -> str:
    """Return a line of the audit log, with the values before and after."""
    pk, values = row.subject_id, encode(row.operations).decode()
    return f"{row.subject} {pk}, correction {row.pk}: {event}, {values}"
