"""Results of players and sides as JSON."""

from typing import Any, TypeVar

from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.shapes.names import PlayerTally, TallyInfo
from archive.queries.names.people import NamedCount, ResultCounts

Tally = TypeVar("Tally", bound=TallyInfo)


def tally_info(kind: type[Tally], counts: ResultCounts, **members: Any) -> Tally:
    """Return results as an object of `TallyInfo` or of a subclass with more members."""
    return kind(
        games=counts.games,
        won=counts.wins,
        lost=counts.losses,
        drawn=counts.draws,
        unknown=counts.unknown,
        **members,
    )


def player_tally(player: NamedCount, counts: ResultCounts, request: Request) -> PlayerTally:
    """Return a player with the results of one side."""
    url = reverse("api:player", [player.id], request=request)
    return tally_info(PlayerTally, counts, id=player.id, url=url, name=player.name)
