"""Actions on one game, as forms and API clients name them."""

from dataclasses import dataclass
from typing import Final

from archive.http.limits.names import count_unknown_name
from archive.libraries.publishing import give_back, publish, take_back
from archive.libraries.sharing import share_by_link, share_with, unshare
from archive.models import Game, User
from kifu_core.classes import PUBLIC

ACTIONS: Final = ("publish", "take-back", "give-back", "link", "share", "unshare")


@dataclass(frozen=True, slots=True)
class ActionResult:
    """Result of an action: the game's new id, or None if its editions went to several libraries; the key of
    a new link; and whether there was a share to end."""

    game_id: int | None
    key: str = ""
    ended: bool = True


def perform(action: str, user: User, game: Game, *, name: str = "", share: int = 0) -> ActionResult:
    """Perform one of `ACTIONS`. `name` is the user to share with, `share` the id of the share to end.

    Raises LibraryError, LimitReachedError after too many unknown names, ValueError for an unknown action.
    """
    match action:
        case "publish":
            return ActionResult(publish(user, game))
        case "take-back":
            return ActionResult(take_back(user, game))
        case "give-back":
            give_back(user, game)
            still_public = Game.objects.filter(pk=game.pk, space=PUBLIC).exists()
            return ActionResult(game.pk if still_public else None)
        case "link":
            return ActionResult(game.pk, key=share_by_link(user, game))
        case "share":
            with count_unknown_name(user, name):
                share_with(user, game, name)
            return ActionResult(game.pk)
        case "unshare":
            return ActionResult(game.pk, ended=unshare(user, game, share))
    raise ValueError(f"no action {action!r}")
