"""What the visitor's account follows, and notes on positions."""

from datetime import datetime
from typing import Annotated, Any

from archive.models import Follow
from archive.shapes.common import About, Address, GameName, JSONObject, NextUrl, Number, SpaceName

FollowKind = Annotated[str, About("What is followed.", title="FollowKind", enum=Follow.Kind.values)]


class FollowInfo(JSONObject):
    """A saved search, a player, an event, a place or a position whose new games the account wants to see."""

    id: Number
    url: Address
    kind: FollowKind
    title: Annotated[str, About("The title that the account gave it; empty without one.")]
    target_id: Annotated[int | None, About("The player, the event or the place.")]
    game: Annotated[str, About("The kind of game of the position; empty without a position.")]
    code: Annotated[str, About("The code of the position; empty without one.")]
    search: Annotated[
        dict[str, Any], About("The parameters of a saved search, as in `GET games`; empty without one.")
    ]
    scope: Annotated[str, About("Names of spaces, separated by commas.")]
    made: datetime
    new_game_ids: Annotated[
        list[Number] | None,
        About("Games that were added or changed since they were last seen, at most 500; null if unknown."),
    ]


class Follows(JSONObject):
    """What an account follows."""

    results: Annotated[list[FollowInfo], About("The latest first.")]


class SeenGames(JSONObject):
    """The new games of a follow, which count as seen from now on."""

    game_ids: Annotated[list[Number], About("The largest number first, at most 500.")]


class OwnNameInfo(JSONObject):
    """A name under which the account's owner plays."""

    id: Number
    player_id: Annotated[
        int | None, About("The player, or the one that it was merged into; null if it cannot be read.")
    ]
    name: Annotated[str, About("The player's name; empty if it cannot be read.")]
    site: Annotated[str, About("The place of the games that are meant; empty for all.")]


class OwnNames(JSONObject):
    """The names under which an account's owner plays."""

    results: Annotated[list[OwnNameInfo], About("The first that was chosen first.")]


class NoteInfo(JSONObject):
    """A note on a position; without text it is a bookmark."""

    id: Number
    url: Address
    game: GameName
    code: Annotated[str, About("The code of the position.")]
    position_url: Address
    text: str
    author: Annotated[str, About("The name of the author's account.")]
    space: SpaceName
    changed: datetime
    own: Annotated[bool, About("Whether it is the account's own, which may change it.")]


class NotesPage(JSONObject):
    """Notes on positions that the account may read."""

    results: Annotated[list[NoteInfo], About("The latest first.")]
    next_url: NextUrl
