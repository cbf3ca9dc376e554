"""Castles and openings."""

from typing import Annotated, TypedDict

from archive.api.shapes.common import Address, Number, Side
from archive.api.shapes.games import Counted, FormationName, FormationNamed, YearGames
from archive.api.shapes.names import Fared, PlayerFared
from archive.api.telling import About


class WorkTold(TypedDict):
    """A book or a page that shows or names a castle or an opening."""

    title: str
    author: str | None
    publisher: Annotated[str, About("Or the site.")]
    year: int | None
    isbn: str | None
    url: Annotated[str | None, About("Of a page of another site.", format="uri")]


class FormationListed(FormationNamed):
    """A castle or an opening, how many games have it, and how they ended for the side that does."""

    parents: Annotated[list[FormationName], About("What it is a form of: games that have it have these.")]
    patterns: Annotated[list[str], About("What has to stand on the board, as its owner sees it.")]
    until: Annotated[int, About("The last ply at which it can begin to stand.", minimum=1)]
    sources: Annotated[list[WorkTold], About("What confirms its shape or name; none where only games do.")]
    games: Annotated[int, About("A game in which both sides have it counts once.", minimum=0)]
    sides: Annotated[Fared, About("Of the sides that have it: where both do, both count.")]
    url: Address
    games_url: Address


class FormationsTold(TypedDict):
    """All castles and openings, in the order of the library; those that no game has, too."""

    version: Annotated[int, About("Of the library; it goes up with every change.", minimum=1)]
    results: list[FormationListed]


class FormationFaced(FormationNamed):
    """What the other side had, and how the owner of the castle or opening that is told of fared."""

    fared: Fared


class SideHad(Fared):
    """How a side fared that had it."""

    side: Side


class PlyGames(TypedDict):
    """In so many games it first stood from ply `first` to ply `last`."""

    first: Number
    last: Number
    games: Number


class NextMove(TypedDict):
    """A move that the owner made next, as Black on a board that is turned where White has it."""

    text: Annotated[str, About("In Japanese.")]
    english: str
    games: Number


class FormationTold(FormationListed):
    """One castle or opening over the sides that have it; the most frequent of the rest."""

    counted: Counted
    by_side: list[SideHad]
    years: Annotated[list[YearGames], About("From the first to the last, also those without games.")]
    plies: list[PlyGames]
    against: list[FormationFaced]
    players: list[PlayerFared]
    moves: Annotated[list[NextMove], About("In the games stored last.")]


class OpeningHere(FormationNamed):
    """What most of the newest games through a position have."""

    games: Number
    counted: Annotated[int, About("The games that were looked at.", minimum=1)]


class OpeningTold(TypedDict):
    """The opening that a position belongs to; null where most of its games have none in common."""

    opening: OpeningHere | None
