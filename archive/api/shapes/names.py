"""Players and events."""

from typing import Annotated, TypedDict

from archive.api.serializers import OTHERS
from archive.api.shapes.common import Address, Length, Next, Number, Side, Which
from archive.api.shapes.games import Counted, OpeningGames, YearGames
from archive.api.telling import About
from archive.names.kana_readings import LATIN, ROWS

Row = Annotated[
    str,
    About("The row of kana in which a name is listed by reading.", title="Row", enum=[*ROWS, LATIN, OTHERS]),
]


class NameListed(TypedDict):
    """A player or an event in a list."""

    id: Number
    url: Address
    name: str
    games: Number
    exact: Annotated[bool, About("Whether `games` is the exact number; otherwise it is the least.")]


class PlayerListed(NameListed):
    """A player in a list."""

    row: Row | None


Likely = Annotated[list[str], About("If no name matches, names that are spelt similarly, nearest first.")]


class EventsPage(TypedDict):
    """A page of events. `cut` says that events with fewer games are left out after the end of the list."""

    total: Length
    results: list[NameListed]
    cut: bool
    next: Next
    likely: Likely


class PlayersPage(TypedDict):
    """A page of players. `cut` says that players with fewer games are left out after the end of the list."""

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
    """How the games with a player ended: in an event, for that player; with an opponent, for the
    other one.
    """

    id: Number
    url: Address
    name: str


class NameTold(TypedDict):
    """Totals over the games of a player or of an event."""

    id: Number
    url: Address
    name: str
    names: Annotated[list[str], About("Other names that records have.")]
    counted: Counted
    sides: list[SideFared]
    years: Annotated[list[YearGames], About("From the first to the last, including those without games.")]
    openings: list[OpeningGames]
    games_url: Address


class PlayerTold(NameTold):
    """Totals over the games of a player, with the most frequent opponents and openings."""

    opponents: list[PlayerFared]


class EventTold(NameTold):
    """Totals over the games of an event, with the most frequent players and openings."""

    players: list[PlayerFared]
