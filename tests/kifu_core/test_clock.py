"""Used times along a record and what is left of the limit."""

from __future__ import annotations

import pytest

import kifu_core
from kifu_core.shogi.clock import Tick, TimeLimit, ticks

ROWS = (
    "７六歩(77)", "３四歩(33)", "２六歩(27)", "８四歩(83)", "２五歩(26)",
    "８五歩(84)", "７八金(69)", "３二金(41)",
)  # fmt: skip


def timed(*used: int | None, ending: str = "投了", header: str = "手合割：平手"):
    """A record of so many moves with these seconds; the last is the ending's time."""
    rows = [header]
    for number, (text, seconds) in enumerate(zip((*ROWS[: len(used) - 1], ending), used, strict=True), 1):
        clock = "" if seconds is None else f"( {seconds // 60}:{seconds % 60:02d}/00:00:00)"
        rows.append(f"{number:4d} {text}   {clock}")
    return kifu_core.load("\n".join(rows) + "\n").games[0].record


def left(record, limit: TimeLimit) -> list[float | None]:
    return [tick.remaining for tick in ticks(record, (limit, limit))]


def test_every_move_has_its_time_and_its_sides_total():
    assert ticks(timed(10, 5, 20, 7, 1), (None, None)) == [
        Tick(1, 0, 10, 10),
        Tick(2, 1, 5, 5),
        Tick(3, 0, 20, 30),
        Tick(4, 1, 7, 12),
        Tick(5, 0, 1, 31, ending=True),
    ]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (TimeLimit(100), [90, 95, 20, 85, 20]),
        (TimeLimit(60), [50, 55, 0, 45, 0]),
        (TimeLimit(60, byoyomi=30), [50, 55, 0, 45, 0]),
        (TimeLimit(100, increment=10), [100, 105, 40, 105, 40]),
        (TimeLimit(0, byoyomi=30), [0, 0, 0, 0, 0]),
    ],
)
def test_what_is_left_follows_from_the_limit(limit, expected):
    assert left(timed(10, 5, 70, 10, 0), limit) == expected


def test_minutes_of_consideration_are_used_up_beyond_byoyomi():
    found = ticks(timed(50, 5, 30, 5, 91, 5, 20, 0), (TimeLimit(60, 30, 0, 2),) * 2)
    assert [(tick.remaining, tick.periods) for tick in found if tick.color == 0] == [
        (10, 2), (0, 2), (0, 0), (0, 0),
    ]  # fmt: skip


def test_a_move_without_a_time_makes_what_is_left_unknown():
    assert left(timed(10, 5, None, 7, 1), TimeLimit(100)) == [90, 95, 88, None]


def test_sides_may_have_different_limits():
    found = ticks(timed(10, 5, 20, 7, 1), (TimeLimit(100), None))
    assert [tick.remaining for tick in found] == [90, None, 70, None, 69]


def test_times_that_are_all_zero_say_nothing():
    assert ticks(timed(0, 0, 0), (TimeLimit(100), TimeLimit(100))) == []
    assert ticks(timed(None, None, None), (None, None)) == []


def test_fractions_of_seconds_count():
    found = ticks(timed(10, 5, 20, 7, 1), (TimeLimit(100), TimeLimit(100)), {1: "5", 3: "25", 4: "x"})
    assert [(tick.used, tick.total, tick.remaining) for tick in found if tick.color == 0] == [
        (10.5, 10.5, 89.5), (20.25, 30.75, 69.25), (1, 31.75, 68.25),
    ]  # fmt: skip


def test_white_moves_first_in_handicap_games():
    assert [tick.color for tick in ticks(timed(7, header="手合割：香落ち"), (None, None))] == [1]
