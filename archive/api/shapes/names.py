"""Players and events."""

from typing import Annotated, TypedDict

from archive.api.serializers import OTHERS
from archive.api.shapes.common import Address, Length, Next, Number, Side, Which
from archive.api.shapes.games import Counted, OpeningGames, YearGames
from archive.api.telling import About
from archive.kana_readings import LATIN, ROWS

Row = Annotated[str, About("Where a name stands by reading.", title="Row", enum=[*ROWS, LATIN, OTHERS])]


class NameListed(TypedDict):
    """A player or an event in a list."""

    id: Number
    url: Address
    name: str
    games: Number
    exact: Annotated[bool, About("Whether there are no more games than that.")]


class PlayerListed(NameListed):
    """A player in a list."""

    row: Row | None


Likely = Annotated[list[str], About("Names that are spelt nearly so, nearest first, where none has the one.")]


class EventsPage(TypedDict):
    """A page of events. `cut` tells that the list ends where others have fewer games."""

    total: Length
    results: list[NameListed]
    cut: bool
    next: Next
    likely: Likely


class PlayersPage(TypedDict):
    """A page of players. `cut` tells that the list ends where others have fewer games."""

    total: Length
    results: list[PlayerListed]
    cut: bool
    next: Next
    likely: Likely


class Fared(TypedDict):
    """Games by how they ended for one side."""

    games: Number
    won: Number
    lost: Number
    drawn: Number
    unknown: Number


class SideFared(Fared):
    """How a side of a kind of game fared."""

    game: Which
    side: Side


class PlayerFared(Fared):
    """How the games with a player ended: for that player of an event, for the other one of an opponent."""

    id: Number
    url: Address
    name: str


class NameTold(TypedDict):
    """What the games of a player or of an event add up to."""

    id: Number
    url: Address
    name: str
    names: Annotated[list[str], About("Other names that records have.")]
    counted: Counted
    sides: list[SideFared]
    years: Annotated[list[YearGames], About("From the first to the last, also those without games.")]
    openings: list[OpeningGames]
    games_url: Address


class PlayerTold(NameTold):
    """What the games of a player add up to; the most frequent opponents and openings."""

    opponents: list[PlayerFared]


class EventTold(NameTold):
    """What the games of an event add up to; the most frequent players and openings."""

    players: list[PlayerFared]
