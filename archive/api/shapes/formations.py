"""Castles and openings."""

from typing import Annotated

from archive.api.shapes.games import CountedGames, FormationName, FormationNames, YearGames
from archive.api.shapes.names import PlayerTally, TallyInfo
from archive.shapes.common import About, Address, JSONObject, Number, Side


class WorkInfo(JSONObject):
    """A book or a web page that shows or names a castle or an opening."""

    title: str
    author: str | None
    publisher: Annotated[str, About("Or the site.")]
    year: int | None
    isbn: str | None
    url: Annotated[str | None, About("Of a page of another site.", format="uri")]


class FormationListed(FormationNames):
    """A castle or an opening, the number of its games, and their results for the side that has it."""

    parents: Annotated[
        list[FormationName],
        About("The more general ones of which it is a form: games that have it have these, too."),
    ]
    patterns: Annotated[list[str], About("Its pieces on the board, as its owner sees it.")]
    until: Annotated[int, About("The last ply at which it can arise.", minimum=1)]
    sources: Annotated[list[WorkInfo], About("Works that confirm its shape or name; none if only games do.")]
    games: Annotated[int, About("A game in which both sides have it counts once.", minimum=0)]
    sides: Annotated[TallyInfo, About("For the sides that have it: if both have it, both count.")]
    url: Address
    games_url: Address


class FormationsInfo(JSONObject):
    """All castles and openings, in the order of the library, including those that no game has."""

    version: Annotated[
        int, About("Of the library of castles and openings; increased with every change.", minimum=1)
    ]
    results: list[FormationListed]


class OpposingFormation(FormationNames):
    """A castle or an opening of the opponent, with the results of the side that has this one against it."""

    tally: TallyInfo


class FormationSide(TallyInfo):
    """The results of a side that had it."""

    side: Side


class PlyGames(JSONObject):
    """The number of games that first had it from ply `first` to ply `last`."""

    first: Number
    last: Number
    games: Number


class FormationMove(JSONObject):
    """A move that the owner played next. If White has it, the board is turned, so that the move is
    Black's."""

    text: Annotated[str, About("In Japanese.")]
    english: str
    games: Number


class FormationInfo(FormationListed):
    """One castle or opening, over all sides that have it. Lists have the most frequent members only."""

    counted: CountedGames
    by_side: list[FormationSide]
    years: Annotated[list[YearGames], About("From the first to the last, including those without games.")]
    plies: list[PlyGames]
    against: list[OpposingFormation]
    players: list[PlayerTally]
    moves: Annotated[list[FormationMove], About("In the games stored last.")]


class OpeningAtPosition(FormationNames):
    """The opening that most of the newest games through a position have."""

    games: Number
    counted: Annotated[int, About("The number of games examined.", minimum=1)]


class OpeningInfo(JSONObject):
    """The opening of a position; null if most of its games have none in common."""

    opening: OpeningAtPosition | None
