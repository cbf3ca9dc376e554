"""Which way a filtered question about a position is answered: chosen from numbers alone; `counting` has the
SQL that finds them and the SQL of each way.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

# --- the table of constants: measured 2026-11-20 with `benchmarks.index --games 1000000` on both engines ----

# Rows of a position that an exact answer reads at most, and the newest that are read where it has more.
EXACT_ROWS: Final = 200_000
SAMPLE_ROWS: Final = 20_000
# Rows, or games of a list, that a page looks at: then it ends, however short it is.
PAGE_ROWS: Final = 20_000
# Rows for which ratings are looked up at most.
RATED_ROWS: Final = 20_000
# Rows that are read without looking for a shorter way.
FEW_ROWS: Final = 200
# In the time in which one game's ratings are looked up, those of so many are read in a row.
RATINGS_A_PROBE: Final = 5
# In the time in which one of its games is found in the index, so many rows are looked up in a list at hand.
ROWS_A_LOOKUP: Final = 6
# In the time in which one row's game is probed, so many slots of a list are brought to hand.
SLOTS_A_PROBE: Final = 10


@dataclass(frozen=True, slots=True)
class Sample:
    """An answer from some games only: the newest `read` of `of` that reach the position, played from `since`
    to `until` (None: without a day)."""

    read: int
    of: int
    since: date | None
    until: date | None


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """How filtered rows are read: driven by a list (its number) or row by row, with a list `at_hand` or
    without; from `cut` on, the day and slot where a sample begins; with the mover's ratings or without;
    asking for a rating by one look at all of them or row by row. `most` is how many rows, or games of the
    driving list, are looked at under a key at most, where that is known."""

    driver: int | None = None
    at_hand: int | None = None
    most: int | None = None
    rated: bool = True
    ratings_at_once: bool = False
    cut: tuple[int, int] | None = None
    sample: Sample | None = None


class Numbers(Protocol):
    """What a choice goes by: the rows under the asked keys, as far as they are counted, and whether days and
    ratings are asked for. The others cost a look at the database, and are asked for where they decide."""

    rows: int
    dated: bool
    rating: bool

    def shortest_list(self, limit: int) -> tuple[int, int] | None:
        """Return the number and the length of the shortest list that is shorter than the limit."""

    def rows_within_days(self) -> int:
        """Return how many rows have a day that is asked for, `EXACT_ROWS` and one more at most."""

    def games_in_all(self) -> int:
        """Return about how many games there are."""


def way_to_all(numbers: Numbers) -> ReadingPlan | None:
    """Return the shortest way to all games; None where they are too many, and a sample has to do."""
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


def way_to_next(numbers: Numbers) -> ReadingPlan:
    """Return the shorter way to the next of these games."""
    listed = _by_list(numbers) if numbers.rows > FEW_ROWS else None
    return ReadingPlan() if listed is None else listed


def _by_list(numbers: Numbers) -> ReadingPlan | None:
    """Return how to read by the shortest list, if that is shorter than to probe all rows."""
    rows = numbers.rows
    best = numbers.shortest_list(min(rows * SLOTS_A_PROBE, EXACT_ROWS) + 1)
    if best is None:
        return None
    number, length = best
    if rows <= min(length * ROWS_A_LOOKUP, EXACT_ROWS):
        return ReadingPlan(at_hand=number, rated=min(rows, length) <= RATED_ROWS, most=rows)
    return ReadingPlan(driver=number, rated=length <= RATED_ROWS, most=length) if length < rows else None
