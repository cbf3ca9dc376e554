"""Games as JSON."""

from typing import Any, TypeVar

from django.http import Http404
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.models import Game
from archive.queries.games.game_json import GameInfo
from archive.queries.games.listing import GameRow
from archive.queries.games.taken_down import game_called, game_shown
from archive.queries.scope import space_name

Info = TypeVar("Info", bound=GameInfo)


def game_info(kind: type[Info], row: GameRow, request: Request, **members: Any) -> Info:
    """Return a game as an object of `GameInfo` or of a subclass with more members."""
    url = reverse("api:game", [row.id], request=request)
    return kind.from_row(row, url, space_name(request, row.space), **members)


def existing_game(request: Request, pk: int) -> Game:
    """Return the game with an id, which the request may read. Raises Http404 also for a former id."""
    game = game_shown(request, pk)
    if game is None:
        game_called(request, pk)
        raise Http404
    return game
