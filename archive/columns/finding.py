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
    first_in,
    needs_lines,
    slots_with_variations,
    together,
)
from archive.columns.forked import Forked, first_in_forked, in_any_line
from archive.columns.runs import Runs
from archive.columns.state import ColumnState
from archive.columns.variations import on_one_line, stays_before_others
from kifu_core.shogi.patterns import Pattern

Slots = NDArray[np.int32]

ROWS_AT_ONCE: Final = 500_000
"""Rows of games with variations that are searched together."""


def find_first_matches(
    query: DuckQuery, state: ColumnState, pattern: Pattern, few: Collection[int] | None = None
) -> FirstMatches:
    """Return the first place of a pattern in each game of the files, but for removed ones; with `few`, in
    games of these slots only. Raises TimeoutError, FileNotFoundError."""
    search = _FileSearch(query, pattern, _sorted(state.deleted), None if few is None else _sorted(few))
    threads = min(settings.ARCHIVE_PATTERN_THREADS, len(state.files))
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            parts = [*pool.map(search.look, state.files)]
    else:
        parts = [*map(search.look, state.files)]
    found = [part.places for part in parts]
    if varied := [part for part in parts if len(part.varied)]:
        found += _on_one_line(query, varied, pattern)
    return together(found)


_NO_SLOTS = np.zeros(0, np.int32)


class _FilePlaces(NamedTuple):
    """The places in a file, and the slots of games whose lines must be searched one by one."""

    runs: Runs
    places: FirstMatches
    varied: Slots


class _FileSearch(NamedTuple):
    """The search of one file: a pattern, in games that are not `gone`; with `few`, in these only."""

    query: DuckQuery
    pattern: Pattern
    gone: Slots
    few: Slots | None

    def look(self, path: Path) -> _FilePlaces:
        """Search a file."""
        runs = Runs(path)
        games = None if self.few is None else self._hold(runs.games["slot"])
        places = first_in(runs, self.pattern, games, self.query.check_time)
        part = _FilePlaces(runs, places.among(self._hold(places.slot)), _NO_SLOTS)
        return self._with_variations(part) if needs_lines(self.pattern) else part

    def _with_variations(self, part: _FilePlaces) -> _FilePlaces:
        varied = slots_with_variations(part.runs, self.pattern)
        varied = varied[self._hold(varied)]
        if stays_before_others(self.pattern) or not len(varied):
            return part._replace(varied=varied)
        check = self.query.check_time
        found = [
            first_in_forked(rows, self.pattern, partial(in_any_line, rows, self.pattern, check=check))
            for rows in _together(part.runs, varied)
        ]
        return part._replace(places=together([part.places, *found]))

    def _hold(self, slots: Slots) -> NDArray[np.bool_]:
        """Return for each slot whether it is searched."""
        held = _lacks(self.gone, slots)
        return held if self.few is None else held & ~_lacks(self.few, slots)


def _sorted(slots: Collection[int]) -> Slots:
    return np.sort(np.fromiter(slots, np.int32, len(slots)))


def _lacks(listed: Slots, slots: Slots) -> NDArray[np.bool_]:
    """Return for each slot whether it is missing from a sorted list."""
    where = np.searchsorted(listed, slots)
    lacking: NDArray[np.bool_] = np.append(listed, np.int32(-1))[where] != slots
    return lacking


def _on_one_line(query: DuckQuery, parts: list[_FilePlaces], pattern: Pattern) -> Iterator[FirstMatches]:
    """Yield the first places in the games with variations of each of some files, where a step has to stay
    before another follows."""
    for part in parts:
        for rows in _together(part.runs, part.varied):
            yield first_in_forked(rows, pattern, partial(on_one_line, query, rows, pattern))


def _together(runs: Runs, slots: Slots) -> Iterator[Forked]:
    """Yield the rows of games in groups of about `ROWS_AT_ONCE` rows."""
    numbers = np.cumsum(runs.sizes_of(slots)) // ROWS_AT_ONCE
    for some in np.split(slots, np.flatnonzero(np.diff(numbers)) + 1):
        yield Forked(runs, some)
