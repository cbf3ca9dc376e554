"""Find the first occurrence of a pattern in each game: search all files of some spaces, in threads."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from archive.columns.duck import DuckQuery
from archive.columns.first_matches import (
    FirstMatches,
    concatenated,
    find_in_lines,
    forked_candidates,
    needs_lines,
)
from archive.columns.forked import ForkedGames, find_in_forked, rows_in_any_line
from archive.columns.runs import Runs
from archive.columns.state import ColumnState
from archive.columns.variations import rows_on_one_line, stays_before_others
from kifu_core.shogi.patterns import Pattern

Slots = NDArray[np.int32]

ROWS_AT_ONCE: Final = 500_000
"""Rows of games with variations in one batch."""


def find_first_matches(
    query: DuckQuery, state: ColumnState, pattern: Pattern, slots: Collection[int] | None = None
) -> FirstMatches:
    """Return the first match of a pattern in each game of the files, except deleted ones; with `slots`, only
    in these games. Raises TimeoutError, FileNotFoundError."""
    search = _FileSearch(query, pattern, _sorted(state.deleted), None if slots is None else _sorted(slots))
    threads = min(settings.ARCHIVE_PATTERN_THREADS, len(state.files))
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            results = [*pool.map(search.search, state.files)]
    else:
        results = [*map(search.search, state.files)]
    matches = [part.matches for part in results]
    if with_variations := [part for part in results if len(part.varied)]:
        matches += _find_on_one_line(query, with_variations, pattern)
    return concatenated(matches)


_NO_SLOTS = np.zeros(0, np.int32)


class _FileMatches(NamedTuple):
    """The matches in a file, and the slots of games whose variations must be searched."""

    runs: Runs
    matches: FirstMatches
    varied: Slots


class _FileSearch(NamedTuple):
    """The search of one file: a pattern, in games that are not `deleted`; with `only`, in these slots."""

    query: DuckQuery
    pattern: Pattern
    deleted: Slots
    only: Slots | None

    def search(self, path: Path) -> _FileMatches:
        """Search a file."""
        runs = Runs(path)
        games = None if self.only is None else self._is_searched(runs.games["slot"])
        places = find_in_lines(runs, self.pattern, games, self.query.check_time)
        part = _FileMatches(runs, places.among(self._is_searched(places.slot)), _NO_SLOTS)
        return self._with_variations(part) if needs_lines(self.pattern) else part

    def _with_variations(self, part: _FileMatches) -> _FileMatches:
        varied = forked_candidates(part.runs, self.pattern)
        varied = varied[self._is_searched(varied)]
        if stays_before_others(self.pattern) or not len(varied):
            return part._replace(varied=varied)
        check = self.query.check_time
        matches = [
            find_in_forked(rows, self.pattern, partial(rows_in_any_line, rows, self.pattern, check=check))
            for rows in _batches(part.runs, varied)
        ]
        return part._replace(matches=concatenated([part.matches, *matches]))

    def _is_searched(self, slots: Slots) -> NDArray[np.bool_]:
        searched = _lacks(self.deleted, slots)
        return searched if self.only is None else searched & ~_lacks(self.only, slots)


def _sorted(slots: Collection[int]) -> Slots:
    return np.sort(np.fromiter(slots, np.int32, len(slots)))


def _lacks(listed: Slots, slots: Slots) -> NDArray[np.bool_]:
    """Return for each slot whether it is missing from a sorted list."""
    places = np.searchsorted(listed, slots)
    lacking: NDArray[np.bool_] = np.append(listed, np.int32(-1))[places] != slots
    return lacking


def _find_on_one_line(
    query: DuckQuery, parts: list[_FileMatches], pattern: Pattern
) -> Iterator[FirstMatches]:
    """Yield the first matches in games with variations, for a pattern with a step that must last before
    another one follows."""
    for part in parts:
        for rows in _batches(part.runs, part.varied):
            yield find_in_forked(rows, pattern, partial(rows_on_one_line, query, rows, pattern))


def _batches(runs: Runs, slots: Slots) -> Iterator[ForkedGames]:
    numbers = np.cumsum(runs.sizes_of(slots)) // ROWS_AT_ONCE
    for some in np.split(slots, np.flatnonzero(np.diff(numbers)) + 1):
        yield ForkedGames(runs, some)
