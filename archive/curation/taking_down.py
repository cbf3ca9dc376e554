"""Take games down with a reason, and restore them."""

from __future__ import annotations

from archive import store
from archive.accounts.audit import note, note_game_deleted
from archive.curation.errors import CurationError
from archive.curation.steps import check_reason
from archive.models import AuditEvent, Game, GoneGame, User
from archive.queries.scope import Scope


def may_take_down(user: object) -> bool:
    """Return whether a user may take games down and restore them: a curator."""
    return isinstance(user, User) and user.has_perm("archive.delete_game")


def take_down(user: User, game: Game, reason: str, *, hide_bytes: bool) -> None:
    """Delete a game so that its files do not bring it back; `hide_bytes` also hides these files. Raises
    CurationError."""
    if not may_take_down(user):
        raise CurationError("no-right")
    note_game_deleted(user, game.pk, hidden=hide_bytes, reason=check_reason(reason))
    store.delete_games([game.pk], hide_bytes=hide_bytes)


def restore(user: User, pk: int, scope: Scope, reason: str = "") -> int:
    """Restore a game that was taken down; return its new id. Raises CurationError."""
    if not may_take_down(user):
        raise CurationError("no-right")
    if not GoneGame.objects.filter(pk=pk, space__in=scope.spaces).exists():
        raise CurationError("not-taken-down")
    restored = store.restore_games([pk])
    if pk not in restored:
        raise CurationError("not-taken-down")
    why = f" ({reason})" if reason else ""
    note(AuditEvent.LET_IN, user, f"game {pk}, now {restored[pk]}{why}")
    return restored[pk]
