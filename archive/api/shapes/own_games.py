"""Statistics of an account's own games."""

from typing import Annotated

from archive.api.shapes.games import KindGames
from archive.api.shapes.names import TallyInfo
from archive.queries.games.own_games import BAND, ENOUGH, MOST_COUNTED
from archive.queries.positions.own_positions import OFTEN
from archive.shapes.common import About, Address, GameName, JSONObject, Number

_POINTS = About("The share of points that the owner made.", minimum=0, maximum=1)
_INTERVAL = About("The Wilson score interval of `points_share`.", minItems=2, maxItems=2)


class OwnGroupInfo(TallyInfo):
    """Own games that have something in common, with their results for the owner."""

    value: str
    side: Annotated[str, About("The owner's side, or `yes` for games of both.")]
    points_share: Annotated[float | None, _POINTS]
    interval: Annotated[list[float] | None, _INTERVAL]
    games_url: Address


class OwnMove(JSONObject):
    """A move from an own position."""

    move: Annotated[str, About("In the game's own notation.")]
    text: Annotated[str, About("As people write it.")]
    games: Number
    points_share: Annotated[float | None, About("Of the side to move.", minimum=0, maximum=1)]


class OwnPositionInfo(JSONObject):
    """A position with the owner to move, which own games reach often."""

    code: str
    side: str
    ply: Annotated[int, About("The ply in one of the games.", minimum=0)]
    games: Annotated[int, About("Own games that reach it.", minimum=0)]
    own_moves: list[OwnMove]
    all_games: Number
    all_moves: Annotated[list[OwnMove], About("The moves that everybody played from it.")]
    position_url: Address


class OwnStatisticsInfo(JSONObject):
    """Statistics of the account's own games of a kind."""

    game: GameName
    kinds: list[KindGames]
    games: Annotated[int, About(f"At most the newest {MOST_COUNTED} are counted.", minimum=0)]
    more: Annotated[bool, About("Whether there are older games.")]
    sides: list[OwnGroupInfo]
    openings: Annotated[list[OwnGroupInfo], About("As the records name them.")]
    formations: Annotated[list[OwnGroupInfo], About("Castles and openings of the owner.")]
    opponents: list[OwnGroupInfo]
    months: Annotated[list[OwnGroupInfo], About("The latest first.")]
    ratings: Annotated[list[OwnGroupInfo], About(f"Of opponents, by the first of {BAND} points.")]
    clocks: Annotated[list[OwnGroupInfo], About("By time control.")]
    worst: Annotated[
        list[OwnGroupInfo],
        About(f"Openings with at least {ENOUGH} decided games, by the upper end of the interval."),
    ]
    positions: Annotated[list[OwnPositionInfo], About(f"Reached by at least {OFTEN} own games.")]
