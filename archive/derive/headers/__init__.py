"""The headers of a record as data: players, event, day, times, opening, problem.

The record keeps its headers as they were written. The values here become columns and `header_data` (JSON).
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from archive.derive.headers.dates import (
    BEGINNINGS,
    ENDS,
    GAME_ID,
    NO_DAY,
    Day,
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
from archive.names.character_forms import folded
from archive.names.kana_readings import reading, row_of
from kifu_core.shogi.clock import TimeLimit as TimeLimit

__all__ = [
    "BEGINNINGS", "ENDS", "EVENTS", "GAME_ID", "LIMITS", "NO_DAY", "OPENINGS", "PLAYERS", "SITES",
    "TEXT_LIMIT", "EventName", "Header", "HeaderParts", "TimeLimit", "event", "folded", "header_data",
    "header_parts", "is_opening", "limits", "opening", "people", "plain", "played", "player_key",
    "player_keys", "player_name", "players", "ratings", "read_day", "read_event", "read_limit",
    "read_opening", "read_player", "read_used", "reading", "row_of", "site", "unknown_days",
    "wars_players",
]  # fmt: skip


class HeaderParts(NamedTuple):
    """Parsed parts of a header, for several functions that would otherwise parse them again."""

    people: tuple[Person, Person]
    day: Day
    event: EventName

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of colours 0 and 1; empty if unknown."""
        black, white = self.people
        return black.name, white.name


def header_parts(header: Header) -> HeaderParts:
    """Parse the players, the day and the event of a header."""
    return HeaderParts(people(header), played(header), event(header))


def header_data(
    header: Header, remarks: Iterable[str] = (), parts: HeaderParts | None = None
) -> dict[str, Any]:
    """Return the facts in headers that have no column, as JSON without empty values.

    `players` (of colours 0 and 1: `titles`, `rank`, `handicap`, `place`), `day` if the columns cannot hold
    it, `time` (of day), `leap_month`, `edition`, `title`, `openings` and `castles` of each side, `time_limit`
    or `time_limits`, `time_used`, `problem`. `parts` are those of this header, if the caller has them.
    """
    persons, day, event = parts or header_parts(header)
    data: dict[str, Any] = {
        "players": _players_data(persons),
        "day": day.text if day.precision == "month" and len(day.text) == 10 else "",
        "time": day.time,
        "leap_month": day.leap_month,
        "problem": problem_data(header),
        **event_data(header, event),
        **times_data(header, remarks),
    }
    return {name: value for name, value in data.items() if value}


def _players_data(persons: Iterable[Person]) -> list[dict[str, Any]]:
    """Return titles, rank, handicap and place of both players; nothing if neither has any."""
    players = [_person_data(person) for person in persons]
    return players if any(players) else []


def _person_data(person: Person) -> dict[str, Any]:
    data = {name: getattr(person, name) for name in ("titles", "rank", "handicap", "place")}
    return {name: [*value] if name == "titles" else value for name, value in data.items() if value}
