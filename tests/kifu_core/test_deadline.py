"""The limit on time that holds in any thread: wherever it is over, reading and writing end soon after.

The clock of these tests counts the lines of code that are run, so they see the same on every machine.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from kifu_core import KifuError
from kifu_core.deadline import PIECE, TooSlowError, check_time, time_limit, watched
from kifu_core.games import last_position, load
from tests.kifu_core.quoridor.test_limits import TEXTS
from tests.kifu_core.test_limits import PIECES, text_of

SIZE = 16_000
MOST = 5
"""Games of a text that are written, each in every format."""
SOON = 75_000
"""Lines of code, some hundredths of a second; a megabyte's reading runs tens of millions."""


class LineClock:
    """A clock that counts the lines run by its thread, and when it was looked at; it never moves."""

    def __init__(self) -> None:
        self.lines = 0
        self.looks = [0]

    def __call__(self) -> float:
        self.looks.append(self.lines)
        return 0

    @contextmanager
    def running(self) -> Iterator[None]:
        def trace(frame: FrameType, event: str, argument: object) -> Any:
            self.lines += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            yield
        finally:
            sys.settrace(before)


def looked_at(text: str) -> None:
    """What `check` and `convert` do with a text."""
    try:
        kind, result = load(text)
    except KifuError:
        return
    for game in result.games[:MOST]:
        last_position(game.record)
        kind.replay.findings(game)
        for name in kind.formats.names:
            try:
                kind.formats.dump(game.record, name)
            except KifuError as error:
                assert error.code
            kind.formats.losses(game, name)


def example_text(name: str) -> str:
    if name in PIECES:
        return text_of(name, SIZE)
    return TEXTS[name](SIZE * 400 // len(TEXTS[name](400)))


@pytest.mark.parametrize("name", sorted({*PIECES, *TEXTS}))
def test_wherever_the_time_is_over_the_clock_is_looked_at_soon_after(name):
    text, clock = example_text(name), LineClock()
    with time_limit(1, clock), clock.running():
        looked_at(text)
    looks = [*clock.looks, clock.lines]
    assert max(later - before for before, later in pairwise(looks)) < SOON


def test_a_single_row_of_very_many_moves_is_watched_too():
    text, clock = "e2 e8 e1 e9 " * (SOON // 3), LineClock()
    with time_limit(1, clock), clock.running():
        load(text)
    looks = [*clock.looks, clock.lines]
    assert max(later - before for before, later in pairwise(looks)) < SOON


@pytest.mark.parametrize("name", ["usi moves and words", "kif moves", "one game", "usen forks"])
def test_a_limit_that_is_long_enough_changes_nothing(name):
    text = example_text(name)
    free = load(text)[1]
    with time_limit(3600):
        assert load(text)[1] == free


def test_a_limit_is_that_of_its_thread():
    ended: list[str] = []
    inside, over = threading.Event(), threading.Event()

    def other() -> None:
        with time_limit(3600):
            inside.set()
            over.wait(60)
            check_time()
            ended.append("other")

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(60)
    with pytest.raises(TooSlowError), time_limit(-1):
        over.set()
        thread.join(60)
        check_time()
    assert ended == ["other"]


def test_nothing_is_left_of_a_limit_that_ended():
    with pytest.raises(TooSlowError), time_limit(-1):
        check_time()
    check_time()
    items = list(range(3 * PIECE))
    assert watched(items) is items


def test_what_is_watched_comes_whole_and_in_order():
    items = list(range(3 * PIECE + 1))
    with time_limit(3600):
        assert list(watched(items)) == list(watched(iter(items))) == items
        assert list(watched([])) == []


def test_readers_that_note_errors_of_ours_let_it_through():
    assert not issubclass(TooSlowError, Exception)
    for name in ("jkf records", "json records", "codes", "sfen positions"):
        with pytest.raises(TooSlowError), time_limit(-1):
            load(example_text(name))
