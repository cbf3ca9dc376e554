"""Who may correct what, and when a proposal applies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from archive.accounts.roles import may_curate, may_dispose, may_upload
from archive.derive.operations import Operation, is_addition
from archive.libraries import manages
from archive.models import Game, User
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from archive.accounts.roles import AnyUser


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a correction applies at once; if not, when it does unless somebody objects (None: never)."""

    at_once: bool
    due: datetime | None = None


def decide(operations: Sequence[Operation], now: datetime, *, may_decide: bool, days: int) -> Decision:
    """Decide about a new correction. One that only adds applies at once, as an upload would. `days` is the
    time for objections to others; with 0 a curator has to decide."""
    if may_decide or all(map(is_addition, operations)):
        return Decision(at_once=True)
    return Decision(at_once=False, due=now + timedelta(days=days) if days else None)


def may_propose(user: AnyUser, game: Game) -> bool:
    """Return whether a user who reads a game may propose corrections of it."""
    if game.space == PUBLIC:
        return may_upload(user)
    return isinstance(user, User) and may_dispose(user) and user.memberships.filter(space=game.space).exists()


def may_decide(user: AnyUser, game: Game) -> bool:
    """Return whether a user may apply, reject and undo corrections of a game."""
    if game.space == PUBLIC:
        return may_curate(user)
    return isinstance(user, User) and may_dispose(user) and manages(user, game)
