"""The shapes of what is asked and answered; nothing is looked up or decided here."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.fields import Anything, Choice, Day, Raw, Text, Whole
from archive.queries.color_names import colours_of, kind_meant, results_of
from archive.queries.games import GameFilters, GameRow
from archive.queries.keyset import ORDERS
from kifu_core.games import GAMES

RESULT_NAMES: Final = ("black", "white", "draw", "unknown")
PRESETS: Final = tuple(dict.fromkeys(preset for game in GAMES.values() for preset in game.rules.presets))
"""The starts of all kinds of games."""
MAX_PLIES: Final = 2**31 - 1
"""What the column holds; no game is as long."""


class AskedGames(serializers.Serializer[Any]):
    """Which games are meant, wherever games are looked for."""

    player = Text(required=False, max_length=200)
    black = Text(required=False, max_length=200)
    white = Text(required=False, max_length=200)
    event = Text(required=False, max_length=200)
    result = Choice(required=False, choices=RESULT_NAMES)
    handicap = Choice(required=False, choices=PRESETS)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # `from` is a word of Python, so the two days cannot be declared above.
        days = {"from": Day(required=False), "to": Day(required=False)}
        return super().get_fields() | days


class FacetsQuery(AskedGames):
    """What `GET games/facets` takes."""

    special = Text(required=False, max_length=200)
    opening = Text(required=False, max_length=200)
    min_plies = Whole(required=False, min_value=0, max_value=MAX_PLIES)
    max_plies = Whole(required=False, min_value=0, max_value=MAX_PLIES)
    kind = Choice(required=False, choices=list(GAMES))


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
    """What `POST uploads` takes: files, or a text."""

    file = Anything(required=False)
    text = Anything(required=False)
    name = Raw(required=False)


class ConvertBody(UploadBody):
    """What `POST convert` takes."""

    to = Text(required=False, allow_blank=True)


def filters_of(query: dict[str, Any]) -> GameFilters:
    """The filters of a list of games."""
    kind = kind_meant(query.get("kind"), query)
    return GameFilters(
        player=query.get("player"),
        **colours_of(kind, query),
        event=query.get("event"),
        since=query.get("from"),
        until=query.get("to"),
        handicap=query.get("handicap"),
        special=query.get("special"),
        opening=query.get("opening"),
        min_plies=query.get("min_plies"),
        max_plies=query.get("max_plies"),
        kind=kind,
    )


def day_text(day: date | None, precision: str) -> str | None:
    """A day with as much of it as is known: 2024-05-01, 2024-05, 2024, or None."""
    if day is None:
        return None
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[precision]]


def game_json(row: GameRow, request: Request) -> dict[str, Any]:
    """A game in a list."""
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
    }
