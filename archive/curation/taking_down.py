"""Take games, and names of people, down with a reason, and restore them."""

from __future__ import annotations

from archive import store
from archive.accounts.audit import note, note_game_deleted
from archive.curation import names
from archive.curation.errors import CurationError
from archive.curation.policy import may_decide
from archive.curation.steps import check_reason
from archive.models import AuditEvent, Correction, Game, GoneGame, Player, User
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


def take_down_name(user: User, player: Player, reason: str, initials: str = "") -> Correction:
    """Put initials in the place of a player's name, and hide the bytes of the player's games; return the
    correction that did it. Empty `initials` are derived from the name. Raises CurationError."""
    if not may_decide(user, player):
        raise CurationError("no-right")
    return names.correct(user, player, [{"op": "take-down", "initials": initials}], reason)


def restore_name(user: User, player: Player) -> Correction:
    """Restore a player's name that was taken down, and return the correction that was undone. Raises
    CurationError."""
    if not may_decide(user, player):
        raise CurationError("no-right")
    applied = names.history(player).filter(subject_id=player.root_id, state=Correction.State.APPLIED)
    for correction in applied if player.taken_down is not None else ():
        if correction.operations[0]["op"] == "take-down":
            return names.perform("undo", user, correction)
    raise CurationError("not-taken-down")
