"""Which space a game lies in, and what one may do about that."""

from typing import Annotated, NotRequired, TypedDict

from archive.api.shapes.common import Address, Number, SpaceName
from archive.api.telling import About

MAY = ("publish", "share", "take-back", "give-back")
"""What somebody may do with a game."""


class ShareTold(TypedDict):
    """Whom a game is shared with; for a link, `name` is null."""

    id: Number
    name: str | None


class LibraryTold(TypedDict):
    """The space that a game lies in."""

    id: Number
    space: SpaceName
    may: Annotated[
        list[Annotated[str, About("A deed.", title="MayBeDone", enum=[*MAY])]],
        About("What the visitor may do with the game."),
    ]
    shares: Annotated[list[ShareTold], About("Only for those who may share it.")]


class LibraryDone(TypedDict):
    """What has become of a game. It may have another number, or no longer be visible to the one who asked."""

    game_id: Number | None
    game_url: Annotated[str | None, About(format="uri")]
    link: NotRequired[Annotated[str, About("For `link`: shown here and never again.", format="uri")]]


class MovingTold(TypedDict):
    """The space that the games of an upload are being moved to."""

    id: Number
    moving_to: SpaceName
    url: Address
