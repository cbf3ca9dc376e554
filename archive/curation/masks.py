"""What the history of a name that was taken down, and of the games of that person, shows to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from archive.accounts.roles import may_see_hidden
from archive.curation.policy import Subject
from archive.derive.masking import Mask, Sides, mask_text, masks_of, masks_of_rows, sides_of
from archive.models import Correction, Game, Player

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from archive.accounts.roles import AnyUser

NO_MASKS: Final[Sides] = (None, None)

_CODES: Final = frozenset({"op", "at", "move", "special", "preset", "time", "initial"})
"""Members of operations that are no texts."""


def sides_for(user: AnyUser, game: Game) -> Sides:
    """Return the masks of the players of a game for a user; none for curators."""
    if not game.masked or may_see_hidden(user):
        return NO_MASKS
    players = {pk for pk in (game.player0_id, game.player1_id) if pk is not None}
    return sides_of(game, masks_of_rows(Player.masked(players)))


def mask_correction(user: AnyUser, row: Correction, subject: Subject) -> None:
    """Remove from a correction, and the steps of its history, what a user may not read. They must not be
    saved afterwards."""
    if may_see_hidden(user):
        return
    if isinstance(subject, Player) and subject.taken_down is not None:
        row.operations = [operation for operation in row.operations if operation["op"] == "take-down"]
        row.reason = ""
        for event in row.events.all():
            event.text = ""
    elif masks := _masks(user, row, subject):
        row.operations, row.reason = _masked(row.operations, masks), mask_text(row.reason, masks)
        for event in row.events.all():
            event.text = mask_text(event.text, masks)


def _masks(user: AnyUser, row: Correction, subject: Subject) -> list[Mask]:
    """Return the masks for a correction: of the players of a game, and of rows that its operations name."""
    if isinstance(subject, Game):
        return masks_of(sides_for(user, subject))
    rows = {operation["row"] for operation in row.operations if operation.get("row")}
    return list(masks_of_rows(Player.masked(rows)).values()) if isinstance(subject, Player) else []


def _masked(value: Any, masks: Sequence[Mask]) -> Any:
    if isinstance(value, str):
        return mask_text(value, masks)
    if isinstance(value, dict):
        members: Mapping[str, Any] = value
        return {name: item if name in _CODES else _masked(item, masks) for name, item in members.items()}
    return [_masked(item, masks) for item in value] if isinstance(value, list) else value
