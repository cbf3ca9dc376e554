"""Collections of games."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET

from archive.models import Collection
from archive.queries.games.game_json import GameInfo
from archive.shapes.common import About, Address, JSONObject, NextUrl, Number, Omittable, SpaceName
from archive.tournaments.standings import KINDS

ACTIONS = ("edit", "own", "publish", "hide")
Visibility = Annotated[str, About("Who may read it.", title="Visibility", enum=Collection.Visibility.values)]


class PartInfo(JSONObject):
    """A part of a collection."""

    id: Number
    url: Address
    title: str
    games: Number


class CollectionInfo(JSONObject):
    """A collection. `games` is the number of those that the visitor may read, each once, with those of the
    parts."""

    id: Number
    url: Address
    page_url: Annotated[str, About("Its page.", format="uri")]
    games_url: Address
    title: str
    description: str
    visibility: Visibility
    space: SpaceName
    games: Number
    created: datetime
    changed: datetime


class CollectionDetail(CollectionInfo, kw_only=True):
    """A collection with its parts, and what the visitor may do with it."""

    parent_id: Annotated[int | None, About("The collection of which it is a part.")]
    parts: list[PartInfo]
    may: Annotated[
        list[Annotated[str, About("An action.", title="CollectionAction", enum=[*ACTIONS])]],
        About("What the visitor may do: edit it; share and delete it; publish it; hide it from the public."),
    ]
    search: Annotated[
        str | None,
        About("For those who may edit it: the parameters of the search whose new games are added, encoded."),
    ]
    link_url: Omittable[
        Annotated[str, About("For the visibility `link`: shown here and never again.", format="uri")]
    ] = UNSET


class CollectionsPage(JSONObject):
    """Collections, the last changed first."""

    results: list[CollectionInfo]
    next_url: NextUrl


class CollectedGame(GameInfo, kw_only=True):
    """A game of a collection."""

    note: str
    ply: Annotated[int, About("The ply that is shown first.", minimum=0)]


class CollectedPage(JSONObject):
    """Games in the order of the collection, without those of its parts."""

    results: list[CollectedGame]
    next_url: NextUrl


class CollectedChange(JSONObject):
    """How many games were added or removed."""

    changed: Number


class PlayedInfo(JSONObject):
    """A game of a player: the opponent by rank, and the points, null for an unknown result."""

    round: Annotated[int | None, About("The place of the round in `rounds`, from 0.")]
    opponent: Number
    points: float | None
    side: Annotated[int, About("0 for the side that began, 1 for the other one.", minimum=0, maximum=1)]
    game_id: Number


class StandingInfo(JSONObject):
    """A player with the tie-breaks `sos` (Buchholz) and `sodos` (Sonneborn-Berger)."""

    rank: Annotated[int, About(minimum=1)]
    name: str
    points: float
    wins: Number
    draws: Number
    losses: Number
    sos: float
    sodos: float
    scores: list[PlayedInfo]


class MatchInfo(JSONObject):
    """The games of two players in a round, the players by rank."""

    players: list[Number]
    points: list[float]
    winner: int | None
    games: list[Number]


class RoundInfo(JSONObject):
    """A round, as headers name it, with its matches."""

    name: str
    matches: list[MatchInfo]


class StandingsInfo(JSONObject):
    """The standings of the games of a collection, and the likely kind of tournament."""

    kind: Annotated[str, About("The likely kind.", title="TournamentKind", enum=[*KINDS])]
    players: list[StandingInfo]
    rounds: list[RoundInfo]
    complete: Annotated[bool, About("False if the collection has more games than a table takes.")]
