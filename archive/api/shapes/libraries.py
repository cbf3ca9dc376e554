"""Which space a game lies in, and what one may do about that."""

from typing import Annotated

from msgspec import UNSET

from archive.api.operations import About
from archive.api.shapes.common import Address, JSONObject, Number, Omittable, SpaceName

MAY = ("publish", "share", "take-back", "give-back")
"""What somebody may do with a game."""


class ShareInfo(JSONObject):
    """Whom a game is shared with; for a link, `name` is null."""

    id: Number
    name: str | None


class LibraryInfo(JSONObject):
    """The space that a game lies in."""

    game_id: Number
    space: SpaceName
    may: Annotated[
        list[Annotated[str, About("A deed.", title="MayBeDone", enum=[*MAY])]],
        About("What the visitor may do with the game."),
    ]
    shares: Annotated[list[ShareInfo], About("Only for those who may share it.")]


class LibraryChange(JSONObject):
    """What has become of a game. It may have another number, or no longer be visible to the one who asked."""

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
