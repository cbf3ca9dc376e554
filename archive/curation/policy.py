"""Who may correct what, and when a proposal applies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from archive.accounts.roles import may_curate, may_dispose, may_upload
from archive.libraries import manages, owns
from archive.models import AnyName, Correction, Game, User
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from archive.accounts.roles import AnyUser


Subject = Game | AnyName
"""What a correction is about."""
ACTIONS: Final = ("accept", "reject", "withdraw", "object", "undo")
"""Actions on a correction."""

State = Correction.State


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a correction applies at once; if not, when it does unless somebody objects (None: never)."""

    at_once: bool
    due: datetime | None = None


def decide(now: datetime, *, may_decide: bool, adds_only: bool, days: int) -> Decision:
    """Decide about a new correction. One that only adds applies at once, as an upload would. `days` is the
    time for objections to others; with 0 a curator has to decide."""
    if may_decide or adds_only:
        return Decision(at_once=True)
    return Decision(at_once=False, due=now + timedelta(days=days) if days else None)


def may_propose(user: AnyUser, subject: Subject) -> bool:
    """Return whether a user who reads a game or a name may propose corrections of it."""
    if subject.space == PUBLIC:
        return may_upload(user)
    if not isinstance(user, User) or not may_dispose(user):
        return False
    return user.memberships.filter(space=subject.space).exists()


def may_decide(user: AnyUser, subject: Subject) -> bool:
    """Return whether a user may apply, reject and undo corrections of a game or a name."""
    if subject.space == PUBLIC:
        return may_curate(user)
    if not isinstance(user, User) or not may_dispose(user):
        return False
    return manages(user, subject) if isinstance(subject, Game) else owns(user, subject.space)


def possible_actions(user: AnyUser, correction: Correction, subject: Subject) -> list[str]:
    """Return the actions that a user may take on a correction now.

    A failed correction of a game applies again by itself, so it can be undone; a failed one of a name waits
    for a decision like a proposal.
    """
    proposed, failed = correction.state == State.PROPOSED, correction.state == State.FAILED
    of_game, decides = isinstance(subject, Game), may_decide(user, subject)
    is_open = proposed or (failed and not of_game)
    own = correction.author_id is not None and correction.author_id == user.pk
    possible = {
        "accept": decides and correction.state != State.APPLIED,
        "reject": decides and is_open,
        "withdraw": own and is_open,
        "object": proposed and correction.due is not None and may_propose(user, subject),
        "undo": decides and (correction.state == State.APPLIED or (failed and of_game)),
    }
    return [action for action in ACTIONS if possible[action]]
