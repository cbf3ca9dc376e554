"""Positions, what was played from them, and games through them."""

from datetime import date
from typing import Annotated, Any, Final, get_args

from msgspec import UNSET

from archive.api.operations import About
from archive.api.shapes.common import (
    Address,
    IssueInfo,
    JSONObject,
    NextUrl,
    Number,
    Omittable,
    Searching,
    Side,
    Which,
)
from archive.api.shapes.games import GameInfo, YearGames
from archive.queries.positions.explorer import CONFIDENCE
from archive.queries.positions.opening_tree import Cut
from kifu_core.classes import Match
from kifu_core.games import GAMES

MatchName = Annotated[
    str, About("Which boards count as the position.", title="MatchName", enum=[*get_args(Match)])
]
CutBy = Annotated[str, About("What ended the tree early.", title="CutBy", enum=[*get_args(Cut)])]
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
    """A move that was played from a position. Members that are null were not looked up."""

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
    """The games that an answer counts, if reading all of them would take too long."""

    read: Number
    of: Number
    window: SampleWindow


class PositionCounts(JSONObject):
    """The numbers of a position."""

    code: str
    games: Number
    outcomes: Outcomes
    others: Annotated[int, About("Problems, opening trees and positions.", minimum=0)]
    moves: list[MoveInfo]


class Explored(PositionCounts, kw_only=True):
    """The explorer's answer."""

    game: Which
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

    game: Which
    code: str
    moves: list[LegalMoveInfo]


class PositionImage(JSONObject):
    """Another position that a `match` can count as this one."""

    image: Annotated[str, About("What it is.", title="ImageName", enum=["mirrored", "turned", "both"])]
    code: str


class Board(JSONObject, kw_only=True):
    """A position by itself."""

    game: Which
    code: str
    sfen: Omittable[Annotated[str, About("Of shogi.")]] = UNSET
    position: Position
    words: Annotated[str, About("The board line by line, for readers who cannot see it.")]
    images: Annotated[list[PositionImage], About("Without those that equal the position itself.", maxItems=3)]


class OddityInfo(JSONObject):
    """Something odd in a position; no game can have what is `impossible`."""

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
    """What is odd about a position of shogi that somebody has set up."""

    sfen: str
    code: Annotated[str | None, About("Null if no code can hold the position.")]
    oddities: list[OddityInfo]


class TrendInfo(JSONObject):
    """How often a position was reached over the years."""

    game: Which
    match: MatchName
    code: str
    years: list[YearGames]
    complete: Annotated[
        bool, About("Whether all its dated games were counted; otherwise only those of the newest years are.")
    ]


class TreeMove(MoveInfo):
    """A move in a tree, and the moves after it."""

    again: Annotated[bool, About("Whether the moves from this position are elsewhere in the tree.")]
    open: Annotated[bool, About("Whether some moves after it were not looked at.")]
    moves: "list[TreeMove]"


class OpeningTree(JSONObject):
    """The moves played from a position, and from the positions after it. `cut` says what ended the tree
    early.
    """

    game: Which
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
    moves: list[TreeMove]


class InvalidCode(JSONObject):
    """What is wrong with a code."""

    code: str
    detail: str


class InvalidPosition(JSONObject):
    """What a batch has in place of a position whose code is invalid."""

    code: str
    error: InvalidCode


class PositionBatch(JSONObject):
    """The numbers of several positions, in the order asked."""

    game: Which
    match: MatchName
    lines: LinesName
    results: list[PositionCounts | InvalidPosition]


class PositionAddress(JSONObject, kw_only=True):
    """A position, and its address."""

    game: Which
    code: str
    sfen: Omittable[Annotated[str, About("Of shogi.")]] = UNSET
    url: Address
    issues: Annotated[list[IssueInfo], About("Errors in the text: what was ignored for the position.")]
