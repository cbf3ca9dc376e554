"""What is told of a game in a list, in every JSON."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import orjson

from archive.derive.text import FEATURES
from archive.queries.games.color_names import results_of
from archive.queries.games.listing import GameRow
from kifu_core.games import GAMES
from kifu_core.shogi.clock import TimeLimit


def day_text(day: date | None, precision: str) -> str | None:
    """Return a day with as much of it as is known: 2024-05-01, 2024-05, 2024, or None."""
    if day is None:
        return None
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[precision]]


def row_json(row: GameRow, url: str, space: str) -> dict[str, Any]:
    """Return the JSON of a game at an address, in a space that is called so."""
    game = GAMES[row.kind]
    first, second = game.rules.sides
    changed = max(filter(None, (row.arrived, row.changed)), default=None)
    return {
        "id": row.id,
        "url": url,
        "game": row.kind,
        "record_kind": row.record_kind,
        first: row.first,
        second: row.second,
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
        f"{first}_rating": row.first_rating,
        f"{second}_rating": row.second_rating,
        "time_control": _time_control(row.time_limits),
        "has": [name for name, bit in FEATURES.items() if row.features & bit],
        "arrived": row.arrived and moment_text(row.arrived),
        "changed": moment_text(changed) if changed else None,
    }


def moment_text(moment: datetime) -> str:
    """Return a moment in RFC 3339, in UTC and to the second: 2024-05-01T10:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _time_control(limits: str | None) -> str:
    """Return time limits in seconds as CSA files do, 600+30+0; of sides that differ 600+0+0/300+0+0."""
    found = orjson.loads(limits) if limits else ()
    sides = found if isinstance(found, list) else [found] if found else []
    return "/".join(_limit_text(TimeLimit(**side)) if side else "" for side in sides)


def _limit_text(limit: TimeLimit) -> str:
    text = f"{limit.main}+{limit.byoyomi}+{limit.increment}"
    return f"{text}+{limit.periods}" if limit.periods else text
