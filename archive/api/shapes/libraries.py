"""The space of a game, and what the visitor may do with the game."""

from typing import Annotated

from msgspec import UNSET

from archive.shapes.common import About, Address, JSONObject, Number, Omittable, SpaceName

ACTIONS = ("publish", "share", "take-back", "give-back")


class ShareInfo(JSONObject):
    """A person with whom a game is shared; for a link, `name` is null."""

    id: Number
    name: str | None


class LibraryInfo(JSONObject):
    """The space of a game."""

    game_id: Number
    space: SpaceName
    may: Annotated[
        list[Annotated[str, About("An action.", title="MayBeDone", enum=[*ACTIONS])]],
        About("What the visitor may do with the game."),
    ]
    shares: Annotated[list[ShareInfo], About("Only for those who may share it.")]


class LibraryChange(JSONObject):
    """The game after the action. It may have another id, or no longer be visible to the visitor."""

    game_id: Number | None
    game_url: Annotated[str | None, About(format="uri")]
    share_url: Omittable[Annotated[str, About("For `link`: shown here and never again.", format="uri")]] = (
        UNSET
    )


class MovingInfo(JSONObject):
    """The space that the games of an upload are being moved to."""

    upload_id: Number
    upload_url: Address
    moving_to: SpaceName
