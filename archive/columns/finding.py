"""Where a pattern stands first in each game: asked of all files of some spaces, by several threads."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from archive.columns.duck import Asked
from archive.columns.forked import Forked, first_in_forked, in_any_line
from archive.columns.places import (
    Places,
    first_in,
    needs_lines,
    slots_with_variations,
    together,
)
from archive.columns.runs import Runs
from archive.columns.state import State
from archive.columns.variations import on_one_line, stays_before_others
from kifu_core.shogi.patterns import Pattern

Slots = NDArray[np.int32]

ROWS_AT_ONCE: Final = 500_000
"""Rows of games with variations that are looked at together."""


def places_of(question: Asked, state: State, pattern: Pattern, few: Collection[int] | None = None) -> Places:
    """Return the first place of a pattern in each game that is in the files and not gone; with `few`, of
    those in these slots only. Raises TimeoutError, FileNotFoundError."""
    search = _Search(question, pattern, _sorted(state.gone), None if few is None else _sorted(few))
    threads = min(settings.ARCHIVE_PATTERN_THREADS, len(state.files))
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            parts = [*pool.map(search.look, state.files)]
    else:
        parts = [*map(search.look, state.files)]
    found = [part.places for part in parts]
    if varied := [part for part in parts if len(part.varied)]:
        found += _on_one_line(question, varied, pattern)
    return together(found)


_NO_SLOTS = np.zeros(0, np.int32)


class _Part(NamedTuple):
    """What a file has: places, and the slots of the games that are to be asked line by line."""

    runs: Runs
    places: Places
    varied: Slots


class _Search(NamedTuple):
    """What is asked of each file: a pattern, in games that are not `gone`, and where `few` are told only in
    these."""

    question: Asked
    pattern: Pattern
    gone: Slots
    few: Slots | None

    def look(self, path: Path) -> _Part:
        """Look through a file."""
        runs = Runs(path)
        games = None if self.few is None else self._hold(runs.games["slot"])
        places = first_in(runs, self.pattern, games, self.question.check_time)
        part = _Part(runs, places.among(self._hold(places.slot)), _NO_SLOTS)
        return self._with_variations(part) if needs_lines(self.pattern) else part

    def _with_variations(self, part: _Part) -> _Part:
        varied = slots_with_variations(part.runs, self.pattern)
        varied = varied[self._hold(varied)]
        if stays_before_others(self.pattern) or not len(varied):
            return part._replace(varied=varied)
        check = self.question.check_time
        found = [
            first_in_forked(rows, self.pattern, partial(in_any_line, rows, self.pattern, check=check))
            for rows in _together(part.runs, varied)
        ]
        return part._replace(places=together([part.places, *found]))

    def _hold(self, slots: Slots) -> NDArray[np.bool_]:
        """Tell for each slot whether it is asked."""
        held = _lacks(self.gone, slots)
        return held if self.few is None else held & ~_lacks(self.few, slots)


def _sorted(slots: Collection[int]) -> Slots:
    return np.sort(np.fromiter(slots, np.int32, len(slots)))


def _lacks(known: Slots, slots: Slots) -> NDArray[np.bool_]:
    """Tell for each slot whether it is not among the known ones, which are in order."""
    where = np.searchsorted(known, slots)
    lacking: NDArray[np.bool_] = np.append(known, np.int32(-1))[where] != slots
    return lacking


def _on_one_line(question: Asked, parts: list[_Part], pattern: Pattern) -> Iterator[Places]:
    """Yield the first places in the games with variations of each of some files, where a step has to stay
    before another follows."""
    for part in parts:
        for rows in _together(part.runs, part.varied):
            yield first_in_forked(rows, pattern, partial(on_one_line, question, rows, pattern))


def _together(runs: Runs, slots: Slots) -> Iterator[Forked]:
    """Yield the rows of games that are asked at once: as many as have few rows altogether."""
    numbers = np.cumsum(runs.sizes_of(slots)) // ROWS_AT_ONCE
    for some in np.split(slots, np.flatnonzero(np.diff(numbers)) + 1):
        yield Forked(runs, some)
