"""What is told of a game in a list, in every JSON."""

from __future__ import annotations

from datetime import date
from typing import Any

from archive.queries.color_names import results_of
from archive.queries.games import GameRow
from kifu_core.games import GAMES


def day_text(day: date | None, precision: str) -> str | None:
    """Return a day with as much of it as is known: 2024-05-01, 2024-05, 2024, or None."""
    if day is None:
        return None
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[precision]]


def row_json(row: GameRow, url: str, space: str) -> dict[str, Any]:
    """Return the JSON of a game at an address, in a space that is called so."""
    game = GAMES[row.kind]
    return {
        "id": row.id,
        "url": url,
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
        "space": space,
    }
