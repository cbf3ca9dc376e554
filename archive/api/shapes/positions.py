"""Positions, the moves played from them, and the games through them."""

from datetime import date
from typing import Annotated, Any, Final, get_args

from msgspec import UNSET

from archive.api.shapes.games import YearGames
from archive.queries.games.game_json import GameInfo
from archive.queries.positions.explorer import CONFIDENCE
from archive.queries.positions.opening_tree import Cut
from archive.shapes.common import (
    About,
    Address,
    GameName,
    IssueInfo,
    JSONObject,
    NextUrl,
    Number,
    Omittable,
    Searching,
    Side,
)
from kifu_core.classes import Match
from kifu_core.games import GAMES

MatchName = Annotated[
    str, About("Which boards count as the position.", title="MatchName", enum=[*get_args(Match)])
]
CutBy = Annotated[str, About("The limit that ended the tree early.", title="CutBy", enum=[*get_args(Cut)])]
LinesName = Annotated[str, About("Whether variations count.", title="LinesName", enum=["main", "all"])]
POSITIONS: Final = tuple(game.codec.schema for game in GAMES.values())
"""Schemas of positions, of all games."""

Position = Annotated[Any, About(anyOf=[*POSITIONS])]


class Outcomes(JSONObject):
    """Games by result."""

    black: Number
    white: Number
    draw: Number
    unknown: Number


class MoveInfo(JSONObject):
    """A move that was played from a position. Members that are null were not computed."""

    move: Annotated[str, About("In the game's own notation.")]
    text: Annotated[str, About("As people write it.")]
    code: Annotated[str, About("The position after it.")]
    games: Annotated[int, About("Games that played it.", minimum=0)]
    outcomes: Outcomes
    others: Number
    share: Annotated[float, About("Of the games that reach the position.", minimum=0, maximum=1)]
    points_share: Annotated[
        float | None, About("The share of points that the side to move made with it.", minimum=0, maximum=1)
    ]
    interval: Annotated[
        list[float] | None, About("The Wilson score interval of `points_share`.", minItems=2, maxItems=2)
    ]
    rating: float | None
    rated: Number | None
    last_year: int | None
    reached: Annotated[int | None, About("Games that reach the position after it.", minimum=0)]


class Transposition(JSONObject):
    """A legal move that nobody played from here, though games reach the position after it."""

    move: str
    text: str
    code: str
    reached: Number


class GameThroughPosition(GameInfo):
    """A game that reaches a position."""

    ply: Number
    move: str | None
    fork: Annotated[bool, About("Whether it reaches the position in a variation.")]
    turned: Annotated[bool, About("Whether it reaches the position with colours exchanged.")]


class SampleWindow(JSONObject, rename={"from_": "from"}):
    """The days of the games that were read."""

    from_: date | None
    to: date | None


class SampleInfo(JSONObject):
    """The games that are counted, if reading all of them would take too long."""

    read: Number
    of: Number
    window: SampleWindow


class PositionCounts(JSONObject):
    """The numbers of games of a position, and its moves."""

    code: str
    games: Number
    outcomes: Outcomes
    others: Annotated[int, About("Problems, opening trees and positions.", minimum=0)]
    moves: list[MoveInfo]


class Explored(PositionCounts, kw_only=True):
    """The explorer's answer."""

    game: GameName
    match: MatchName
    lines: LinesName
    confidence: Annotated[float, About("Of `interval`.", examples=[CONFIDENCE])]
    sample: SampleInfo | None
    first: GameThroughPosition | None
    latest: GameThroughPosition | None
    transpositions: Omittable[list[Transposition]] = UNSET
    sfen: Omittable[Annotated[str, About("Of shogi.")]] = UNSET
    position: Position
    games_url: Address


class GamesThroughPage(JSONObject):
    """A page of games through a position."""

    results: list[GameThroughPosition]
    next_url: NextUrl
    searching: Searching


class LegalMoveInfo(JSONObject):
    """A legal move."""

    move: str
    text: str
    english: Annotated[str, About("As people write it in English, with the mark of the side that moves.")]
    code: str
    piece: Omittable[Annotated[str, About("Of shogi, by CSA's name.")]] = UNSET
    captured: Omittable[Annotated[str | None, About("Of shogi, by CSA's name.")]] = UNSET
    promotes: Omittable[Annotated[bool, About("Of shogi.")]] = UNSET


class LegalMoves(JSONObject):
    """All legal moves of a position."""

    game: GameName
    code: str
    moves: list[LegalMoveInfo]


class PositionImage(JSONObject):
    """Another position that a `match` can count as this one."""

    image: Annotated[str, About("How it was made.", title="ImageName", enum=["mirrored", "turned", "both"])]
    code: str


class BoardInfo(JSONObject, kw_only=True):
    """A position without games."""

    game: GameName
    code: str
    sfen: Omittable[Annotated[str, About("Of shogi.")]] = UNSET
    position: Position
    words: Annotated[str, About("The board line by line, for readers who cannot see it.")]
    images: Annotated[list[PositionImage], About("Without those that equal the position itself.", maxItems=3)]


class OddityInfo(JSONObject):
    """An oddity of a position; no game can reach a position with an `impossible` one."""

    code: Annotated[
        str,
        About(
            "Stable.",
            enum=["too-many-kings", "too-many", "two-pawns", "dead", "in-check", "no-king", "no-move"],
        ),
    ]
    impossible: bool
    side: Omittable[Side] = UNSET
    piece: Omittable[Annotated[str, About("By CSA's name.")]] = UNSET
    number: Omittable[Annotated[int, About("Pieces of that kind.", minimum=0)]] = UNSET
    file: Omittable[Annotated[int, About(minimum=1, maximum=9)]] = UNSET
    rank: Omittable[Annotated[int, About(minimum=1, maximum=9)]] = UNSET


class OddPosition(JSONObject):
    """A position of shogi, and its oddities."""

    sfen: str
    code: Annotated[str | None, About("Null if no code can hold the position.")]
    oddities: list[OddityInfo]


class TrendInfo(JSONObject):
    """The number of games that reached a position, by year."""

    game: GameName
    match: MatchName
    code: str
    years: list[YearGames]
    complete: Annotated[
        bool, About("Whether all its dated games were counted; otherwise only those of the newest years are.")
    ]


class TreeMove(MoveInfo):
    """A move in a tree, and the moves after it."""

    again: Annotated[bool, About("Whether the moves from this position are elsewhere in the tree.")]
    open: Annotated[bool, About("Whether some moves after it are not in the tree.")]
    score: Annotated[
        int | None,
        About(
            "The engine's score after it, in hundredths of a pawn for the side that plays it; 30000 - n is a "
            "mate in n plies."
        ),
    ]
    backed_score: Annotated[
        int | None,
        About("Its score if both sides go on with the best moves of the tree."),
    ]
    moves: "list[TreeMove]"


class OpeningTree(JSONObject):
    """The moves played from a position, and from the positions after it. `cut` is the limit that ended the
    tree early.
    """

    game: GameName
    match: MatchName
    lines: LinesName
    depth: int
    min_games: int
    code: str
    games: Number | None
    outcomes: Outcomes | None
    confidence: Annotated[float, About("Of `interval`.", examples=[CONFIDENCE])]
    nodes: Number
    cut: CutBy | None
    engine: Annotated[str, About("Whose scores these are; empty if no position has a verdict.")]
    moves: list[TreeMove]


class InvalidCode(JSONObject):
    """Why a code is invalid."""

    code: str
    detail: str


class InvalidPosition(JSONObject):
    """An invalid code in a batch."""

    code: str
    error: InvalidCode


class PositionBatch(JSONObject):
    """The numbers of several positions, in the order of the request."""

    game: GameName
    match: MatchName
    lines: LinesName
    results: list[PositionCounts | InvalidPosition]


class PositionAddress(JSONObject, kw_only=True):
    """A position and its address."""

    game: GameName
    code: str
    sfen: Omittable[Annotated[str, About("Of shogi.")]] = UNSET
    url: Address
    issues: Annotated[list[IssueInfo], About("Errors in the text; the part with them was ignored.")]
