"""Positions, what was played from them, and games through them."""

from datetime import date
from typing import Annotated, Any, Final, NotRequired, TypedDict, get_args

from archive.api.shapes.common import Address, Issue, Next, Number, Searching, Side, Which
from archive.api.shapes.games import GameTold, YearGames
from archive.api.telling import About
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


class Results(TypedDict):
    """Games by result."""

    black: Number
    white: Number
    draw: Number
    unknown: Number


class MoveTold(TypedDict):
    """A move that was played from a position. Members that are null were not looked up."""

    move: Annotated[str, About("In the game's own notation.")]
    text: Annotated[str, About("As people write it.")]
    code: Annotated[str, About("The position after it.")]
    total: Annotated[int, About("Games that played it.", minimum=0)]
    results: Results
    others: Number
    share: Annotated[float, About("Of the games that reach the position.", minimum=0, maximum=1)]
    score: Annotated[
        float | None, About("The share of points that the side to move made with it.", minimum=0, maximum=1)
    ]
    interval: Annotated[
        list[float] | None, About("The Wilson score interval of `score`.", minItems=2, maxItems=2)
    ]
    rating: float | None
    rated: Number | None
    last_year: int | None
    reached: Annotated[int | None, About("Games that reach the position after it.", minimum=0)]


class Unplayed(TypedDict):
    """A legal move that nobody played from here, though games reach the position after it."""

    move: str
    text: str
    code: str
    reached: Number


class GameThrough(GameTold):
    """A game that reaches a position."""

    ply: Number
    move: str | None
    fork: Annotated[bool, About("Whether it reaches the position in a variation.")]
    turned: Annotated[bool, About("Whether it reaches the position with colours exchanged.")]


Window = TypedDict("Window", {"from": date | None, "to": date | None})
Window.__doc__ = "The days of the games that were read."


class Sample(TypedDict):
    """The games that an answer counts, if reading all of them would take too long."""

    read: Number
    of: Number
    window: Window


class PositionCounts(TypedDict):
    """The numbers of a position."""

    code: str
    total: Number
    results: Results
    others: Annotated[int, About("Problems, opening trees and positions.", minimum=0)]
    moves: list[MoveTold]


class Explored(PositionCounts):
    """The explorer's answer."""

    game: Which
    match: MatchName
    lines: LinesName
    confidence: Annotated[float, About("Of `interval`.", examples=[CONFIDENCE])]
    sample: Sample | None
    first: GameThrough | None
    latest: GameThrough | None
    transpositions: NotRequired[list[Unplayed]]
    sfen: NotRequired[Annotated[str, About("Of shogi.")]]
    position: Position
    games_url: Address


class GamesThroughPage(TypedDict):
    """A page of games through a position."""

    results: list[GameThrough]
    next: Next
    searching: Searching


class LegalMove(TypedDict):
    """A legal move."""

    move: str
    text: str
    english: Annotated[str, About("As people write it in English, with the mark of the side that moves.")]
    code: str
    piece: NotRequired[Annotated[str, About("Of shogi, by CSA's name.")]]
    captured: NotRequired[Annotated[str | None, About("Of shogi, by CSA's name.")]]
    promotes: NotRequired[Annotated[bool, About("Of shogi.")]]


class LegalMoves(TypedDict):
    """All legal moves of a position."""

    game: Which
    code: str
    moves: list[LegalMove]


class PositionImage(TypedDict):
    """Another position that a `match` can count as this one."""

    image: Annotated[str, About("What it is.", title="ImageName", enum=["mirrored", "turned", "both"])]
    code: str


class Board(TypedDict):
    """A position by itself."""

    game: Which
    code: str
    sfen: NotRequired[Annotated[str, About("Of shogi.")]]
    position: Position
    words: Annotated[str, About("The board line by line, for readers who cannot see it.")]
    images: Annotated[list[PositionImage], About("Without those that equal the position itself.", maxItems=3)]


class OddityTold(TypedDict):
    """Something odd in a position; no game can have what is `impossible`."""

    code: Annotated[
        str,
        About(
            "Stable.",
            enum=["too-many-kings", "too-many", "two-pawns", "dead", "in-check", "no-king", "no-move"],
        ),
    ]
    impossible: bool
    side: NotRequired[Side]
    piece: NotRequired[Annotated[str, About("By CSA's name.")]]
    number: NotRequired[Annotated[int, About("Pieces of that kind.", minimum=0)]]
    file: NotRequired[Annotated[int, About(minimum=1, maximum=9)]]
    rank: NotRequired[Annotated[int, About(minimum=1, maximum=9)]]


class OddPosition(TypedDict):
    """What is odd about a position of shogi that somebody has set up."""

    sfen: str
    code: Annotated[str | None, About("Null if no code can hold the position.")]
    oddities: list[OddityTold]


class TrendTold(TypedDict):
    """How often a position was reached over the years."""

    game: Which
    match: MatchName
    code: str
    years: list[YearGames]
    whole: Annotated[
        bool, About("Whether all its dated games were counted; otherwise only those of the newest years are.")
    ]


class TreeMove(MoveTold):
    """A move in a tree, and the moves after it."""

    again: Annotated[bool, About("Whether the moves from this position are elsewhere in the tree.")]
    open: Annotated[bool, About("Whether some moves after it were not looked at.")]
    moves: "list[TreeMove]"


class Tree(TypedDict):
    """The moves played from a position, and from the positions after it. `cut` says what ended the tree
    early.
    """

    game: Which
    match: MatchName
    lines: LinesName
    depth: int
    min_games: int
    code: str
    total: Number | None
    results: Results | None
    confidence: Annotated[float, About("Of `interval`.", examples=[CONFIDENCE])]
    nodes: Number
    cut: CutBy | None
    moves: list[TreeMove]


class InvalidCode(TypedDict):
    """What is wrong with a code."""

    code: str
    detail: str


class InvalidPosition(TypedDict):
    """What a batch has in place of a position whose code is invalid."""

    code: str
    error: InvalidCode


class Batch(TypedDict):
    """The numbers of several positions, in the order asked."""

    game: Which
    match: MatchName
    lines: LinesName
    results: list[PositionCounts | InvalidPosition]


class FoundPosition(TypedDict):
    """The position that is meant."""

    game: Which
    code: str
    sfen: NotRequired[Annotated[str, About("Of shogi.")]]
    url: Address
    issues: Annotated[list[Issue], About("Errors in the text: what was ignored for the position.")]
