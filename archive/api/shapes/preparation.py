"""Two sets of games compared for preparation."""

from typing import Annotated

from archive.queries.preparation.comparing import COSTLY, LINE_SHARE, OFTEN, SLOW, SLOW_SECONDS
from archive.queries.preparation.trees import MOST_GAMES
from archive.shapes.common import About, Address, GameName, JSONObject, Number

_SHARE = About("The share of points that the set's side made.", minimum=0, maximum=1)
_INTERVAL = About("The Wilson score interval of `points_share`.", minItems=2, maxItems=2)
_LOSS = About("The mean loss of winning chances, of moves that an engine judged.", minimum=0, maximum=2)


class SetMove(JSONObject):
    """A move of one of the two sets in the position."""

    move: Annotated[str, About("In the game's own notation.")]
    text: Annotated[str, About("As people write it.")]
    code: Annotated[str, About("The position after it.")]
    games: Number
    share: Annotated[float, About("Of the set's games that reach the position.", minimum=0, maximum=1)]
    points_share: Annotated[float | None, _SHARE]
    interval: Annotated[list[float] | None, _INTERVAL]
    seconds: Annotated[float | None, About("The median time of the move.")]
    timed: Annotated[int, About("Games with such a time.", minimum=0)]
    loss: Annotated[float | None, _LOSS]
    judged: Annotated[int, About("Games in which an engine judged the move.", minimum=0)]


class GameSet(JSONObject):
    """One of the two sets: its games with results for `side`, and its moves in the position."""

    side: str
    all: Annotated[int, About(f"Games of the set: at most the newest {MOST_GAMES}.", minimum=0)]
    more: Annotated[bool, About("Whether older games may have been left out.")]
    games: Annotated[int, About("Those that reach the position.", minimum=0)]
    points_share: Annotated[float | None, _SHARE]
    interval: Annotated[list[float] | None, _INTERVAL]
    moves: list[SetMove]


class PositionInGame(JSONObject):
    """A position, with one of the games that reach it."""

    code: str
    game_id: Number
    ply: Number
    position_url: Address


class MeetingInfo(PositionInGame):
    """A position that both sets reach."""

    theirs: Annotated[int, About("Games of the opponent.", minimum=0)]
    own: Annotated[int, About("Own games.", minimum=0)]


class UnmetInfo(PositionInGame):
    """A move to a position of none of the opponent's games."""

    source: Annotated[str, About("Who plays it.", enum=["own", "archive"])]
    move: str
    text: str
    after: Annotated[str, About("The position after it.")]
    theirs: Annotated[int, About("Games of the opponent with the position before it.", minimum=0)]
    own: Annotated[int, About("Own games with the move, or those of the archive.", minimum=0)]


class WeaknessInfo(PositionInGame):
    """A position with the opponent to move, which he reached often."""

    games: Number
    points_share: Annotated[float | None, _SHARE]
    interval: Annotated[list[float] | None, _INTERVAL]
    seconds: Annotated[float | None, About("The median time of his moves there.")]
    usual: Annotated[float | None, About("The median time of all his moves of this ply.")]
    loss: Annotated[float | None, _LOSS]


class SetLineMove(JSONObject):
    """A move of a line."""

    move: str
    text: str


class SetLine(PositionInGame):
    """Moves from the position that a set plays often, and the position at their end."""

    games: Number
    share: Annotated[float, About("Of the set's games that reach the first position.", minimum=0, maximum=1)]
    moves: list[SetLineMove]


class PreparationInfo(JSONObject):
    """The comparison of an opponent's games with one's own from a position on."""

    game: GameName
    code: str
    min_games: Number
    theirs: GameSet
    own: GameSet
    parting: Annotated[
        list[MeetingInfo], About("The last positions that both reach, the most frequent first.")
    ]
    deepest: Annotated[list[MeetingInfo], About("The positions that both reach, the latest first.")]
    unmet: Annotated[list[UnmetInfo], About("First the own moves, then those that are frequent elsewhere.")]
    slow: Annotated[
        list[WeaknessInfo],
        About(
            f"Where the median time is at least {SLOW:g} times the usual one and {SLOW_SECONDS:g} s more,"
            f" of at least {OFTEN} games."
        ),
    ]
    losing: Annotated[
        list[WeaknessInfo], About("Where the interval of his score lies below his score in all his games.")
    ]
    costly: Annotated[
        list[WeaknessInfo],
        About(f"Where his moves lose at least {COSTLY:g} on average, of at least {OFTEN}."),
    ]
    their_lines: Annotated[list[SetLine], About(f"In at least {LINE_SHARE:.0%} of the games.")]
    own_lines: list[SetLine]
