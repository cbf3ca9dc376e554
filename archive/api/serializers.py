"""The shapes of what is asked and answered; nothing is looked up or decided here."""

from datetime import date
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.fields import Anything, Choice, Day, Raw, Text, Whole
from archive.queries.color_names import results_of
from archive.queries.filters import Filter, FilterPlace, filters_of
from archive.queries.games import GameRow
from archive.queries.keyset import ORDERS
from archive.queries.scope import space_name
from kifu_core.games import GAMES


class FacetsQuery(serializers.Serializer[Any]):
    """What `GET games/facets` takes: the filters, which `place` says where games are filtered."""

    place: ClassVar[FilterPlace] = "games"

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return super().get_fields() | {one.name: _field(one) for one in filters_of(self.place)}


def _field(one: Filter) -> serializers.Field[Any, Any, Any, Any]:
    """Return the field that takes a filter's values."""
    if one.value == "choice":
        return Choice(required=False, choices=list(one.choices))
    if one.value == "number":
        return Whole(required=False, min_value=one.least, max_value=one.most)
    return Text(required=False, max_length=200) if one.value == "text" else Day(required=False)


class GamesQuery(FacetsQuery):
    """What `GET games` takes."""

    order = Choice(required=False, choices=list(ORDERS), default="newest")
    cursor = Text(required=False, max_length=200)
    limit = Text(required=False)


class EntriesQuery(serializers.Serializer[Any]):
    """What `GET uploads/{id}/entries` takes."""

    format = Text(required=False)
    cursor = Text(required=False)
    limit = Text(required=False)


class PageQuery(serializers.Serializer[Any]):
    """What lists of one game take."""

    cursor = Text(required=False)
    limit = Text(required=False)


class RecordQuery(serializers.Serializer[Any]):
    """What `GET games/{id}/record.{format}` takes."""

    ply = Text(required=False)


class UploadBody(serializers.Serializer[Any]):
    """What `POST uploads` takes: files, or a text, and the space that their games go to."""

    file = Anything(required=False)
    text = Anything(required=False)
    name = Raw(required=False)
    space = Text(required=False, allow_blank=True)


class ConvertBody(UploadBody):
    """What `POST convert` takes."""

    space = None  # type: ignore[assignment]

    to = Text(required=False, allow_blank=True)


def day_text(day: date | None, precision: str) -> str | None:
    """Return a day with as much of it as is known: 2024-05-01, 2024-05, 2024, or None."""
    if day is None:
        return None
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[precision]]


def game_json(row: GameRow, request: Request) -> dict[str, Any]:
    """Return the JSON of a game in a list."""
    game = GAMES[row.kind]
    return {
        "id": row.id,
        "url": reverse("api:game", [row.id], request=request),
        "game": row.kind,
        "record_kind": row.record_kind,
        game.rules.sides[0]: row.first,
        game.rules.sides[1]: row.second,
        "event": row.event,
        "site": row.site,
        "date": day_text(row.played_from, row.precision),
        "end_date": day_text(row.played_to, row.precision),
        "handicap": row.handicap,
        "result": results_of(game)[row.result],
        "special": row.special,
        "plies": row.plies,
        "calendar": row.calendar,
        "round": row.round,
        "opening": row.opening,
        "space": space_name(request, row.space),
    }
