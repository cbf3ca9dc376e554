"""The headers of a record as data: players, event, day, times, opening, problem.

Headers stay in the record as they were written; here are the values that games are found by (columns), and
what else can be told from them (`header_data`, JSON).
"""

from collections.abc import Iterable
from typing import Any

from archive.character_forms import folded
from archive.derive.headers.dates import (
    BEGINNINGS,
    ENDS,
    GAME_ID,
    NO_DAY,
    played,
    read_day,
    unknown_days,
    wars_players,
)
from archive.derive.headers.events import (
    EVENTS,
    OPENINGS,
    EventName,
    event,
    event_data,
    is_opening,
    opening,
    problem_data,
    read_event,
    read_opening,
    site,
)
from archive.derive.headers.people import (
    PLAYERS,
    Person,
    people,
    player_key,
    player_keys,
    player_name,
    players,
    ratings,
    read_player,
)
from archive.derive.headers.text import SITES, TEXT_LIMIT, Header, plain
from archive.derive.headers.times import LIMITS, limits, read_limit, read_used, times_data
from archive.kana_readings import reading, row_of
from kifu_core.shogi.clock import Limit as TimeLimit

__all__ = [
    "BEGINNINGS",
    "ENDS",
    "EVENTS",
    "GAME_ID",
    "LIMITS",
    "NO_DAY",
    "OPENINGS",
    "PLAYERS",
    "SITES",
    "TEXT_LIMIT",
    "EventName",
    "Header",
    "TimeLimit",
    "event",
    "folded",
    "header_data",
    "is_opening",
    "limits",
    "opening",
    "people",
    "plain",
    "played",
    "player_key",
    "player_keys",
    "player_name",
    "players",
    "ratings",
    "read_day",
    "read_event",
    "read_limit",
    "read_opening",
    "read_player",
    "read_used",
    "reading",
    "row_of",
    "site",
    "unknown_days",
    "wars_players",
]


def header_data(header: Header, remarks: Iterable[str] = ()) -> dict[str, Any]:
    """Return what the headers tell beside the columns of a game, as JSON; only what there is.

    `players` (of colours 0 and 1: `titles`, `rank`, `handicap`, `place`), `day` where the columns cannot hold
    it, `time` (of day), `leap_month`, `edition`, `title`, `openings` and `castles` of each side, `time_limit`
    or `time_limits`, `time_used`, `problem`.
    """
    day = played(header)
    data: dict[str, Any] = {
        "players": _players_data(header),
        "day": day.text if day.precision == "month" and len(day.text) == 10 else "",
        "time": day.time,
        "leap_month": day.leap_month,
        "problem": problem_data(header),
        **event_data(header),
        **times_data(header, remarks),
    }
    return {name: value for name, value in data.items() if value}


def _players_data(header: Header) -> list[dict[str, Any]]:
    """Return what was split off the players' names; nothing where nothing was."""
    found = [_person_data(person) for person in people(header)]
    return found if any(found) else []


def _person_data(person: Person) -> dict[str, Any]:
    said = {
        "titles": list(person.titles),
        "rank": person.rank,
        "handicap": person.handicap,
        "place": person.place,
    }
    return {name: value for name, value in said.items() if value}
