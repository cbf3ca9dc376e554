"""Patterns, and the games in which they stand."""

from typing import Annotated, TypedDict

from archive.api.shapes.common import Length, Next, Number, Side
from archive.api.shapes.games import GameTold, YearGames
from archive.api.shapes.names import PlayerFared
from archive.api.telling import About


class PatternResults(TypedDict):
    """Games by result: won by the side whose pieces are own, by the other, and neither."""

    own: Number
    enemy: Number
    draw: Number
    unknown: Annotated[int, About("Not known, or no games.", minimum=0)]


class PlySpanGames(TypedDict):
    """In so many games a pattern stands first after `first` to `last` half-moves."""

    first: Number
    last: Number
    games: Number


class PatternMove(TypedDict):
    """A move played where a pattern stands first."""

    move: Annotated[str, About("By USI, on a board on which own is Black and the pattern is not mirrored.")]
    text: Annotated[str, About("In Japanese, as the side that plays it on that board: ▲ is own.")]
    english: str
    own: Annotated[bool, About("Whether the side whose pieces are own plays it.")]
    games: Number
    outcomes: PatternResults


class GameWithPattern(GameTold):
    """A game with a pattern, and where it stands first."""

    ply: Number
    own: Side
    mirrored: bool
    fork: Annotated[bool, About("Whether that is in a variation.")]
    path: Annotated[str, About("Of that variation, as pages have it in `fork`; empty of the main line.")]
    squares: Annotated[list[str], About("The squares of its first step, as they lie in this game.")]
    move: Annotated[str | None, About("What is played there, by USI; null at the end.")]


class PatternTold(TypedDict):
    """What is known of a pattern, and a page of the games in which it stands."""

    pattern: Annotated[str, About("As it is printed.")]
    total: Length
    waiting: Annotated[
        int, About("Games that are not looked through yet; then `total` is not exact.", minimum=0)
    ]
    outcomes: PatternResults
    years: list[YearGames]
    undated: Annotated[int, About("Games without a day.", minimum=0)]
    plies: list[PlySpanGames]
    moves: Annotated[list[PatternMove], About("The most frequent.")]
    players: Annotated[
        list[PlayerFared], About("Those who have it most often, of the newest `players_of` games.")
    ]
    players_of: Number
    results: list[GameWithPattern]
    next: Next
