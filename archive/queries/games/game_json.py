"""A game in lists: the one definition of its members in JSON and of its columns in tables.

The API, exports, dumps and webhooks send `GameInfo`, built from a row of `archive.queries.games.listing`.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final, Self

import orjson

from archive.derive.text import FEATURES
from archive.queries.games.color_names import results_of
from archive.queries.games.listing import GameRow
from archive.shapes.common import (
    About,
    Address,
    GameName,
    JSONObject,
    Number,
    Outcome,
    RecordKind,
    SpaceName,
)
from kifu_core.games import GAMES
from kifu_core.shogi.clock import TimeLimit

DayText = Annotated[
    str | None, About("As precise as is known.", pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$", examples=["1709-10"])
]
Calendar = Annotated[
    str, About("Empty without a day.", title="Calendar", enum=["gregorian", "lunisolar", ""])
]
Feature = Annotated[str, About(enum=[*FEATURES])]
TimeControl = Annotated[
    str,
    About(
        "Main time, byoyomi and increment in seconds, and minutes of 考慮時間 if there are any; of Black and "
        "White with a slash between them if these differ. Empty if unknown.",
        pattern=r"^(\d+(\+\d+){2,3})?(/(\d+(\+\d+){2,3})?)?$",
        examples=["14400+60+0"],
    ),
]


class GameInfo(JSONObject):
    """A game in a list."""

    id: Number
    url: Address
    game: GameName
    record_kind: RecordKind
    black: str
    white: str
    event: str
    site: str
    date: DayText
    end_date: DayText
    handicap: Annotated[str, About("A preset's name, or `OTHER`.")]
    result: Outcome
    special: Annotated[str, About("JKF's name of the ending.")]
    plies: Number
    calendar: Calendar
    round: str
    opening: str
    space: SpaceName
    black_rating: int | None
    white_rating: int | None
    time_control: TimeControl
    has: Annotated[list[Feature], About("What its record has beside moves, as in the parameter `has`.")]
    arrived: Annotated[datetime | None, About("When its first upload arrived here, or it was moved here.")]
    changed: Annotated[
        datetime | None, About("When another edition or reading last changed it, or it arrived.")
    ]

    @classmethod
    def from_row(cls, row: GameRow, url: str, space: str, **members: Any) -> Self:
        """Return the game of a row, at an address and in a space of that name.

        `members` are those that a subclass has in addition.
        """
        game = GAMES[row.kind]
        players = dict(zip(game.rules.sides, (row.first, row.second), strict=True))
        ratings = dict(zip(game.rules.sides, (row.first_rating, row.second_rating), strict=True))
        return cls(
            id=row.id,
            url=url,
            game=row.kind,
            record_kind=row.record_kind,
            black=players["black"],
            white=players["white"],
            event=row.event,
            site=row.site,
            date=day_text(row.played_from, row.precision),
            end_date=day_text(row.played_to, row.precision),
            handicap=row.handicap,
            result=results_of(game)[row.result],
            special=row.special,
            plies=row.plies,
            calendar=row.calendar,
            round=row.round,
            opening=row.opening,
            space=space,
            black_rating=ratings["black"],
            white_rating=ratings["white"],
            time_control=time_control(row.time_limits),
            has=[name for name, bit in FEATURES.items() if row.features & bit],
            arrived=_in_seconds(row.arrived),
            changed=_in_seconds(max(filter(None, (row.arrived, row.changed)), default=None)),
            **members,
        )


ToGameInfo = Callable[[GameRow], GameInfo]
"""Builds the game of a row; where it is used decides on its address and the name of its space."""

_LEADING: Final = (
    "id", "url", "game", "record_kind", "date", "end_date", "black", "white", "event", "round", "site",
    "handicap", "opening",
)  # fmt: skip
COLUMNS: Final = tuple(dict.fromkeys((*_LEADING, *GameInfo.__struct_fields__)))
"""The members of `GameInfo` in the order of tables."""


def day_text(day: date | None, precision: str) -> str | None:
    """Return a day with as much of it as is known: 2024-05-01, 2024-05, 2024, or None."""
    if day is None:
        return None
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[precision]]


def moment_text(moment: datetime) -> str:
    """Return a moment in RFC 3339, in UTC and to the second: 2024-05-01T10:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _in_seconds(moment: datetime | None) -> datetime | None:
    return moment and moment.astimezone(UTC).replace(microsecond=0)


def time_control(limits: str | None) -> str:
    """Return time limits in seconds as CSA files do, 600+30+0; of sides that differ 600+0+0/300+0+0."""
    sides = orjson.loads(limits) if limits else []
    sides = sides if isinstance(sides, list) else [sides]
    return "/".join(_limit_text(TimeLimit(**side)) if side else "" for side in sides)


def _limit_text(limit: TimeLimit) -> str:
    text = f"{limit.main}+{limit.byoyomi}+{limit.increment}"
    return f"{text}+{limit.periods}" if limit.periods else text
