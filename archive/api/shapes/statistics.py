"""Totals of the archive."""

from typing import Annotated

from archive.api.shapes.games import (
    EndingGames,
    KindGames,
    OpeningGames,
    RecordKindGames,
    ResultGames,
    YearGames,
)
from archive.queries.games.statistics import MOST_TIMED
from archive.shapes.common import About, Address, GameName, JSONObject, NextUrl, Number, TotalInfo


class LengthGames(JSONObject):
    """The number of games with `first` to `last` moves."""

    first: Number
    last: Number
    games: Number


class DurationGames(JSONObject):
    """The number of games that took both sides from `first` seconds to less than `below`."""

    first: Number
    below: Annotated[int | None, About("Null for the longest.", minimum=0)]
    games: Number


class ArchiveTotals(JSONObject):
    """Numbers of records of all games, and of their positions in the index; if not `exact`, there are at
    least that many."""

    exact: bool
    records: Number
    positions: Number
    record_kinds: list[RecordKindGames]


class StatisticsInfo(JSONObject):
    """Totals of the games of a kind; problems, opening trees and positions are not games. If they are not
    `exact`, games that came in the last minutes may be missing."""

    game: GameName
    exact: bool
    games: Number
    undated: Annotated[int, About("Games without a day.", minimum=0)]
    years: Annotated[list[YearGames], About("From the first to the last, including those without games.")]
    results: list[ResultGames]
    lengths: list[LengthGames]
    durations: Annotated[list[DurationGames], About(f"Of the newest {MOST_TIMED} games with times.")]
    endings: Annotated[list[EndingGames], About("The most frequent.")]
    openings: Annotated[list[OpeningGames], About("The most frequent; `GET openings` has more.")]
    by_game: Annotated[list[KindGames], About("Games of each kind.")]
    holdings: ArchiveTotals
    start_url: Annotated[str, About("The usual start, and what was played from it.", format="uri")]


class OpeningListed(OpeningGames):
    """An opening as spelled in records."""

    games_url: Address


class OpeningsPage(JSONObject):
    """A page of the openings of a kind of game, the most frequent first."""

    game: GameName
    total: TotalInfo
    results: list[OpeningListed]
    next_url: NextUrl
