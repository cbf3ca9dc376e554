"""Requests for analyses, and the work of volunteers."""

from datetime import datetime
from typing import Annotated

from archive.models import AnalysisRequest
from archive.shapes.common import About, Address, JSONObject, Number, SpaceName


class AnalysisRequestInfo(JSONObject):
    """A request for an analysis of a game, of the games of a search, or of new games."""

    id: Number
    url: Address
    title: Annotated[str, About("Its game by number, or the search in words; empty for new games.")]
    space: SpaceName
    user: Annotated[str | None, About("The account that made it, if it is the visitor's or a curator asks.")]
    engine: Annotated[str, About("The engine by the name in the settings.")]
    nodes: Annotated[Number, About("Nodes of each position.")]
    lines: Annotated[Number, About("Lines of play of each position.")]
    state: Annotated[str, About("How far it is.", enum=AnalysisRequest.State.values)]
    urgency: Annotated[str, About("What comes first.", enum=["person", "list", "rule"])]
    games: Annotated[Number, About("Games that are listed so far.")]
    games_done: Number
    complete: Annotated[bool, About("Whether all of its games are listed.")]
    remaining: Annotated[Number, About("Positions of open games that need work, as far as is known.")]
    ahead: Annotated[Number | None, About("Open games that come first; null if it is not open.")]
    may_cancel: bool
    made: datetime
    finished: datetime | None


class AnalysisRequests(JSONObject):
    """The latest requests, open ones first."""

    results: list[AnalysisRequestInfo]


class WorkEngine(JSONObject):
    """The engine that is needed for some work. Its name, version, network and options are its identity."""

    name: str
    version: str
    network: str
    options: Annotated[dict[str, str | int | bool], About("Options to set.")]
    hash_mb: Number
    threads: Number


class AnalysisWork(JSONObject):
    """Positions of one game that a volunteer has claimed. They are given to others if none of them is sent
    back for `seconds`."""

    id: Annotated[str, About("The claim.", pattern="^[0-9a-f]{32}$")]
    engine: WorkEngine
    position: Annotated[str, About("The first position of the game as SFEN.")]
    moves: Annotated[list[str], About("The moves of the game in USI.")]
    plies: Annotated[list[int], About("The positions to analyse, by the number of moves before them.")]
    nodes: Annotated[Number, About("Nodes to search in each position, beginning with an empty hash.")]
    lines: Annotated[Number, About("Lines of play, or as many as there are legal moves.")]
    seconds: Number


class StoredAnalysis(JSONObject):
    """What became of verdicts that a volunteer sent."""

    stored: Annotated[Number, About("Verdicts that were stored.")]
    work: Annotated[AnalysisWork | None, About("The next work, if the request wants any.")]
