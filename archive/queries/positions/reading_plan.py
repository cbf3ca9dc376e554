"""Choose the way in which a filtered question about a position is answered, from numbers alone.

`counting` has the SQL that finds these numbers, and the SQL for each way.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

# --- the table of constants: measured 2026-11-20 with `benchmarks.index --games 1000000` on both engines ----

# The most rows of a position that an exact answer reads, and how many of the newest if there are more.
EXACT_ROWS: Final = 200_000
SAMPLE_ROWS: Final = 20_000
# Rows, or games of a list, that a page looks at before it ends, however short it is then.
PAGE_ROWS: Final = 20_000
# The most rows for which ratings are looked up.
RATED_ROWS: Final = 20_000
# Rows that are read without looking for a shorter way.
FEW_ROWS: Final = 200
# How many games' ratings can be read in a row while those of one game are looked up.
RATINGS_A_PROBE: Final = 5
# How many rows can be looked up in a list at hand while one of its games is found in the index.
ROWS_A_LOOKUP: Final = 6
# How many slots of a list can be brought to hand while the game of one row is probed.
SLOTS_A_PROBE: Final = 10


@dataclass(frozen=True, slots=True)
class Sample:
    """Says that an answer is made from a part of the games only.

    It counts the newest `read` of the `of` games that reach the position, played from `since` to `until`
    (None: of unknown day).
    """

    read: int
    of: int
    since: date | None
    until: date | None


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """How filtered rows are read.

    With a `driver` (the number of a list), that list's games are looked up under the key; without, all rows
    are read. With `at_hand` (the number of a list), rows are compared with that list. `rated` says that the
    mover's ratings are read; `ratings_at_once`, that a rating asked for is checked by reading all ratings at
    once instead of row by row. `cut` is the day and slot where a sample begins. `most` is how many rows, or
    games of the driving list, are read under a key at most, if that is known.
    """

    driver: int | None = None
    at_hand: int | None = None
    most: int | None = None
    rated: bool = True
    ratings_at_once: bool = False
    cut: tuple[int, int] | None = None
    sample: Sample | None = None


class QuerySize(Protocol):
    """What the choice depends on: the rows under the asked keys, as far as counters know them, and whether
    days and ratings are asked for.

    Each method costs a look at the database, so it is called only if the choice depends on it.
    """

    rows: int
    dated: bool
    rating: bool

    def shortest_list(self, limit: int) -> tuple[int, int] | None:
        """Return the number and the length of the shortest list, if it is shorter than the limit;
        else None.
        """

    def rows_within_days(self) -> int:
        """Return how many rows lie within the days asked for, at most `EXACT_ROWS` and one more."""

    def games_in_all(self) -> int:
        """Return about how many games there are."""


def plan_for_all(numbers: QuerySize) -> ReadingPlan | None:
    """Return the shortest way to all games; None if there are too many, so that a sample is needed."""
    rows = numbers.rows
    if rows <= FEW_ROWS:
        return ReadingPlan()
    if (listed := _by_list(numbers)) is not None:
        return listed
    if rows > EXACT_ROWS and numbers.dated:
        rows = numbers.rows_within_days()
    if rows > EXACT_ROWS:
        return None
    at_once = numbers.rating and rows * RATINGS_A_PROBE > numbers.games_in_all()
    return ReadingPlan(rated=rows <= RATED_ROWS, ratings_at_once=at_once)


def plan_for_page(numbers: QuerySize) -> ReadingPlan:
    """Return the shorter way to the next of these games."""
    listed = _by_list(numbers) if numbers.rows > FEW_ROWS else None
    return ReadingPlan() if listed is None else listed


def _by_list(numbers: QuerySize) -> ReadingPlan | None:
    """Return how to read by the shortest list, if that is shorter than probing all rows; else None."""
    rows = numbers.rows
    best = numbers.shortest_list(min(rows * SLOTS_A_PROBE, EXACT_ROWS) + 1)
    if best is None:
        return None
    number, length = best
    if rows <= min(length * ROWS_A_LOOKUP, EXACT_ROWS):
        return ReadingPlan(at_hand=number, rated=min(rows, length) <= RATED_ROWS, most=rows)
    return ReadingPlan(driver=number, rated=length <= RATED_ROWS, most=length) if length < rows else None
