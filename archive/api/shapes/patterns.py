"""Patterns, and the games in which they occur."""

from typing import Annotated, get_args

from archive.api.shapes.games import YearGames
from archive.api.shapes.names import PlayerTally
from archive.queries.games.game_json import GameInfo
from archive.shapes.common import About, JSONObject, NextUrl, Number, Side, TotalInfo
from kifu_core.shogi.patterns.impossible import Reason


class PatternResults(JSONObject):
    """Games by result: won by the side whose pieces are own, won by the other side, or neither."""

    own: Number
    enemy: Number
    draw: Number
    unknown: Annotated[int, About("Games without a known result, and records that are not games.", minimum=0)]


class PlySpanGames(JSONObject):
    """The number of games that first have a pattern after `first` to `last` half-moves."""

    first: Number
    last: Number
    games: Number


class PatternMove(JSONObject):
    """A move played where a pattern first occurs."""

    move: Annotated[
        str, About("As in USI, on a board on which own is Black and the pattern is not mirrored.")
    ]
    text: Annotated[str, About("In Japanese, with the side that plays it on that board: ▲ is own.")]
    english: str
    own: Annotated[bool, About("Whether the side whose pieces are own plays the move.")]
    games: Number
    outcomes: PatternResults


class GameWithPattern(GameInfo):
    """A game with a pattern, and the place where it first occurs."""

    ply: Number
    own: Side
    mirrored: bool
    fork: Annotated[bool, About("Whether that is in a variation.")]
    path: Annotated[str, About("That variation, as in `fork` of pages; empty for the main line.")]
    squares: Annotated[list[str], About("The squares of its first step, as they lie in this game.")]
    move: Annotated[str | None, About("The move played there, as in USI; null at the end.")]


class PatternHint(JSONObject):
    """Why no game can have a pattern. `message` is in the language of `Accept-Language`."""

    code: Annotated[str, About("Stable.", enum=[*get_args(Reason)])]
    step: Annotated[int, About("The impossible step; the first is 1.", minimum=1)]
    message: str


class PatternInfo(JSONObject):
    """A page of the games with a pattern, and totals of all of them."""

    pattern: Annotated[str, About("The pattern in its canonical spelling.")]
    total: TotalInfo
    waiting: Annotated[
        int,
        About("Games that have not been searched yet; if there are any, `total` is not exact.", minimum=0),
    ]
    hints: Annotated[
        list[PatternHint],
        About("Why no game can have it, if none does: it breaks the rules or has too many pieces."),
    ]
    outcomes: PatternResults
    years: list[YearGames]
    undated: Annotated[int, About("Games without a day.", minimum=0)]
    plies: list[PlySpanGames]
    moves: Annotated[list[PatternMove], About("The most frequent.")]
    players: Annotated[
        list[PlayerTally], About("The players who have it most often, in the newest `players_of` games.")
    ]
    players_of: Number
    results: list[GameWithPattern]
    next_url: NextUrl
