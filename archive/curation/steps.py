"""Steps that corrections of games and of names share."""

from __future__ import annotations

from typing import Final

from archive.accounts.audit import note
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


def note_step(user: User | None, row: Correction, event: str) -> None:
    """Write an audit line with the values before and after."""
    pk, values = row.subject_id, encode(row.operations).decode()
    if row.subject == Correction.Subject.GAME:
        note(AuditEvent.CORRECT, user, f"game {pk}, correction {row.pk}: {event}, {values}")
    elif row.subject == Correction.Subject.PLAYER:
        note(AuditEvent.CORRECT, user, f"player {pk}, correction {row.pk}: {event}, {values}")
    else:
        note(AuditEvent.CORRECT, user, f"event {pk}, correction {row.pk}: {event}, {values}")
