"""Choose the plan for reading the filtered rows of a position, from sizes alone.

`counting` has the SQL for these sizes and for each plan.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

# --- constants, measured 2026-11-20 with `benchmarks.index --games 1000000` on both engines -----------------

# Rows of a position that an exact count reads at most, and the newest rows to read if there are more.
EXACT_ROWS: Final = 200_000
SAMPLE_ROWS: Final = 20_000
# Rows, or games of a list, that a page reads at most, even if it is short then.
PAGE_ROWS: Final = 20_000
# Rows for which ratings are looked up at most.
RATED_ROWS: Final = 20_000
# Rows that are read without searching for a better plan.
FEW_ROWS: Final = 200
# Ratings that are scanned in the time of looking up those of one game.
RATINGS_A_PROBE: Final = 5
# Rows that are compared with a loaded list in the time of looking up one of its games in the index.
ROWS_A_LOOKUP: Final = 6
# Slots of a list that are loaded in the time of looking up the game of one row.
SLOTS_A_PROBE: Final = 10


@dataclass(frozen=True, slots=True)
class Sample:
    """The newest games that reach the position."""

    read: int
    """The number of games in the sample."""
    of: int
    """The number of all games that reach the position."""
    since: date | None
    """The day of the oldest game in the sample; None if it is unknown."""
    until: date | None
    """The day of the newest game in the sample; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """How to read the rows of a key with filters."""

    driver: int | None = None
    """The number of a list: its games are looked up under the key. Without one, all rows are read."""
    at_hand: int | None = None
    """The number of a list that is loaded first, and then compared with the rows."""
    most: int | None = None
    """The maximum of rows, or of games of the driving list, that are read for a key. None if it is not
    known."""
    rated: bool = True
    """Whether to read the ratings of the side to move."""
    ratings_at_once: bool = False
    """Whether a filter by ratings loads all ratings up front, instead of looking them up row by row."""
    cut: tuple[int, int] | None = None
    """The day and the slot with which a sample begins."""
    sample: Sample | None = None


class QuerySize(Protocol):
    """The sizes that decide on a plan: the rows of the queried keys by their counters, and whether there are
    filters on days and on ratings. Each method reads the database, so it is called only if necessary."""

    rows: int
    dated: bool
    rating: bool

    def shortest_list(self, limit: int) -> tuple[int, int] | None:
        """Return the number and the length of the shortest list if it is shorter than the limit; else
        None."""

    def rows_within_days(self) -> int:
        """Return the number of rows on the days of the filters, at most `EXACT_ROWS` and one more."""

    def games_in_all(self) -> int:
        """Return the approximate number of games in the archive."""


def plan_for_all(size: QuerySize) -> ReadingPlan | None:
    """Return the shortest plan for all games; None if there are too many, so that a sample is needed."""
    rows = size.rows
    if rows <= FEW_ROWS:
        return ReadingPlan()
    if (by_list := _plan_by_list(size)) is not None:
        return by_list
    if rows > EXACT_ROWS and size.dated:
        rows = size.rows_within_days()
    if rows > EXACT_ROWS:
        return None
    at_once = size.rating and rows * RATINGS_A_PROBE > size.games_in_all()
    return ReadingPlan(rated=rows <= RATED_ROWS, ratings_at_once=at_once)


def plan_for_page(size: QuerySize) -> ReadingPlan:
    """Return the shorter plan for the next of these games."""
    return (_plan_by_list(size) if size.rows > FEW_ROWS else None) or ReadingPlan()


def _plan_by_list(size: QuerySize) -> ReadingPlan | None:
    """Return the plan with the shortest list if it is shorter than checking all rows; else None."""
    rows = size.rows
    best = size.shortest_list(min(rows * SLOTS_A_PROBE, EXACT_ROWS) + 1)
    if best is None:
        return None
    number, length = best
    if rows <= min(length * ROWS_A_LOOKUP, EXACT_ROWS):
        return ReadingPlan(at_hand=number, rated=min(rows, length) <= RATED_ROWS, most=rows)
    return ReadingPlan(driver=number, rated=length <= RATED_ROWS, most=length) if length < rows else None
