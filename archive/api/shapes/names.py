"""Players, events and places."""

from typing import Annotated

from archive.api.serializers import OTHERS
from archive.api.shapes.games import CountedGames, OpeningGames, YearGames
from archive.names.kana_readings import LATIN, ROWS
from archive.shapes.common import About, Address, GameName, JSONObject, NextUrl, Number, Side, TotalInfo

Row = Annotated[
    str,
    About("The row of kana in which a name is listed by reading.", title="Row", enum=[*ROWS, LATIN, OTHERS]),
]


Latin = Annotated[str, About("The name in Latin letters; empty if none was entered.")]
DayOfLife = Annotated[
    str, About("A year, a month or a day; empty if unknown.", pattern=r"^(\d{4}(-\d{2}(-\d{2})?)?)?$")
]


class NameListed(JSONObject):
    """A player, an event or a place in a list."""

    id: Number
    url: Address
    name: str
    latin: Latin
    total: Annotated[TotalInfo, About("Of its games.")]


class PlayerListed(NameListed):
    """A player in a list."""

    row: Row | None


SimilarNames = Annotated[
    list[str], About("If no name matches, names that are spelt similarly, nearest first.")
]


class NamesPage(JSONObject):
    """A page of events or places. `cut` says that those with fewer games are left out after the end of the
    list."""

    total: TotalInfo
    results: list[NameListed]
    cut: bool
    next_url: NextUrl
    similar: SimilarNames


class PlayersPage(JSONObject):
    """A page of players. `cut` says that players with fewer games are left out after the end of the list."""

    total: TotalInfo
    results: list[PlayerListed]
    cut: bool
    next_url: NextUrl
    similar: SimilarNames


class TallyInfo(JSONObject):
    """Games by result for one side."""

    games: Number
    won: Number
    lost: Number
    drawn: Number
    unknown: Number


class SideTally(TallyInfo):
    """The results of one side of a kind of game."""

    game: GameName
    side: Side


class PlayerTally(TallyInfo):
    """The results of the games with a player: for that player in an event, for the other side if the player
    is an opponent.
    """

    id: Number
    url: Address
    name: str


class SpellingInfo(JSONObject):
    """A row that was merged into another one, directly or not."""

    id: Number
    name: str
    merged_into: Number


class TitleInfo(JSONObject):
    """A title or a grade (段位) and the years, months or days from which and to which somebody has it."""

    title: Annotated[str | None, About("Null for a grade.")]
    grade: Annotated[str | None, About("Null for a title.")]
    since: DayOfLife
    until: DayOfLife


class NameInfo(JSONObject):
    """Totals of the games of a player, an event or a place."""

    id: Number
    url: Address
    name: str
    names: Annotated[list[str], About("Other names that records have.")]
    spellings: Annotated[list[SpellingInfo], About("The merged rows of other names.")]
    kana: Annotated[str, About("The reading.")]
    latin: Latin
    note: str
    source: Annotated[str, About("Where the facts are from.")]
    set_by: Annotated[
        dict[str, str], About("Who set a field: `authority` or `curator`. Others are from records.")
    ]
    game_filter: Annotated[str, About("The value that finds its games in filters.")]
    counted: CountedGames
    sides: list[SideTally]
    years: Annotated[list[YearGames], About("From the first to the last, including those without games.")]
    openings: list[OpeningGames]
    games_url: Address


class SamePlayer(JSONObject):
    """A player who may be the same person as another one."""

    id: Number
    url: Address
    name: str
    kana: str
    latin: Latin


class SamePair(JSONObject):
    """Two players who may be the same person. `one`, the later row, would be merged into `other`."""

    one: SamePlayer
    other: SamePlayer
    score: Annotated[int, About("Up to 100.")]
    reasons: Annotated[
        list[str],
        About("What is equal or alike: reading, latin, spelling, titles; careers that overlap: years."),
    ]


class SamePersons(JSONObject):
    """Pairs of players who may be the same person, the likeliest first."""

    count: Number
    results: list[SamePair]


class AuthorityOutcome(JSONObject):
    """The numbers of rows of an authority table by outcome."""

    set: Annotated[int, About("Whose facts were set.")]
    same: Annotated[int, About("Whose facts stay as they are.")]
    unknown: Annotated[int, About("Whose name nobody has.")]
    ambiguous: Annotated[int, About("Whose name several players have.")]
    refused: Annotated[int, About("With an invalid value.")]


class PlayerInfo(NameInfo):
    """Totals of the games of a player, with the most frequent opponents and openings."""

    titles: list[TitleInfo]
    born: DayOfLife
    died: DayOfLife
    namesakes: Annotated[list[int], About("The numbers of others who have the same name.")]
    opponents: list[PlayerTally]


class PlaceInfo(NameInfo):
    """Totals of the games of a place, with the most frequent players and openings."""

    players: list[PlayerTally]


class EventInfo(PlaceInfo):
    """Totals of the games of an event, with the most frequent players and openings."""

    place: str
    parent: Annotated[int | None, About("The number of the series that it belongs to.")]
