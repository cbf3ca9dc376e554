"""The history of a position's moves, and players' innovations."""

from datetime import date
from typing import Annotated

from archive.api.shapes.games import YearGames
from archive.api.shapes.positions import MatchName
from archive.api.shapes.verdicts import VerdictLine
from archive.queries.games.game_json import GameInfo
from archive.queries.positions.chronicle import MOST_ROWS, OUT_GAMES, OUT_YEARS
from archive.queries.positions.innovations import LISTED, MOST_FOLLOWERS, MOST_GAMES
from archive.shapes.common import About, GameName, JSONObject, Number

_SCORE = About("The share of points of the side to move.", minimum=0, maximum=1)


class JudgedMove(JSONObject):
    """The best lines of an engine before and after a move."""

    engine: str
    before: VerdictLine
    after: VerdictLine


class MoveHistoryInfo(JSONObject):
    """The games with a known day that played a move of the position."""

    move: Annotated[str, About("In the game's own notation.")]
    text: Annotated[str, About("As people write it.")]
    code: Annotated[str, About("The position after it.")]
    games: Number
    followers: Annotated[int, About("The games after the first one.", minimum=0)]
    years: Annotated[list[YearGames], About("Years with games.")]
    first: Annotated[GameInfo | None, About("Of several games of a day, that which was stored first.")]
    last: Annotated[date, About("The day of the latest game.")]
    out_of_use: Annotated[
        bool,
        About(
            f"Whether the position's games go on for {OUT_YEARS} years after that year, with at least"
            f" {OUT_GAMES} games."
        ),
    ]
    before: Annotated[float | None, _SCORE]
    since: Annotated[float | None, _SCORE]
    points_share: Annotated[float | None, _SCORE]
    verdicts: JudgedMove | None


class ChronicleInfo(JSONObject):
    """The history of the moves of a position. `before` and `since` are the scores of all moves there in the
    years before that of a move's first game, and from that year on."""

    game: GameName
    match: MatchName
    code: str
    games: Annotated[int, About("Games with a known day.", minimum=0)]
    undated: Annotated[int, About("Games without one, which take no part.", minimum=0)]
    complete: Annotated[
        bool, About(f"Whether all were counted; otherwise the earliest {MOST_ROWS} of an orientation.")
    ]
    moves: Annotated[list[MoveHistoryInfo], About("By the day of the first game.")]


class InnovationInfo(JSONObject):
    """A move to a position that no earlier game of the archive reached."""

    game: GameInfo
    ply: Annotated[int, About("The move's number.", minimum=1)]
    move: str
    text: str
    before: Annotated[str, About("The position before the move.")]
    code: Annotated[str, About("The position after it.")]
    followers: Annotated[
        int, About(f"Games in which others reached it, at most {MOST_FOLLOWERS}.", minimum=1)
    ]


class InnovationsInfo(JSONObject):
    """The innovations of a player."""

    player_id: Number
    games: Annotated[int, About(f"Games that were read: the earliest {MOST_GAMES} at most.", minimum=0)]
    more: Annotated[bool, About("Whether there are later games.")]
    undated: Annotated[int, About("Games without a known day, which take no part.", minimum=0)]
    plies: Annotated[
        int | None, About("From this ply on not all positions were looked up; null if all were.", minimum=0)
    ]
    results: Annotated[
        list[InnovationInfo], About(f"The {LISTED} with the most followers, at most one of each game.")
    ]
