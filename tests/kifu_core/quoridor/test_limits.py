"""Long texts of Quoridor: work that grows with the length alone, at the speed of the rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from kifu_core import KifuError
from kifu_core.games import QUORIDOR, last_position, load
from kifu_core.quoridor.board import read_name
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.rules import fault
from tests.kifu_core.effort import lines_run, seconds

TO_AND_FRO = ("e2", "e8", "e1", "e9")
WALLS = "e3h d6h a3v h6v b1h g8h c3h c6h d4v e4v"


def numbered(count: int) -> str:
    """A game of so many half-moves with numbers: pawns that go and come back."""
    return "".join(
        (f"{ply // 2 + 1}. " if ply % 2 == 0 else "") + TO_AND_FRO[ply % 4] + " " for ply in range(count)
    )


def entries(count: int) -> list[dict[str, Any]]:
    return [{}, *({"move": {"to": TO_AND_FRO[ply % 4]}} for ply in range(count))]


CODE = QUORIDOR.formats.dump(load("1. e2 e8 2. e3h e7")[1].games[0].record, "qf")

TEXTS: dict[str, Callable[[int], str]] = {
    "one game": numbered,
    "one game without numbers": lambda n: " ".join(TO_AND_FRO[ply % 4] for ply in range(n)),
    "walls first": lambda n: f"{WALLS} {numbered(n)}",
    "a move that cannot be played": lambda n: "e2 e8 e9 " + numbered(n),
    "a line of moves each": lambda n: "\n".join(numbered(n).split(" ")),
    "games": lambda n: "1. e2 e8 2. e3h e7\n" * (n // 4),
    "lines that are games": lambda n: "e2 e8 e3 e7\n" * (n // 4),
    "walls alone": lambda n: "e3h d6h c1v " * (n // 3),
    "comments": lambda n: "1. e2 " + "{a} " * n,
    "marks": lambda n: "1. e2 " + "! " * n,
    "forks": lambda n: "1. e2 e8 " + "(e7) " * n,
    "forks in forks": lambda n: "1. e2 " + "(d1 (f1 " * n,
    "words": lambda n: "1. e2 e8 " + "x1 " * n,
    "endings": lambda n: "1. e2 e8\n" + "x\n" * n,
    "unknown lines": lambda n: "1. e2 e8\n" + "q\n" * n,
    "labels": lambda n: "a\te2 e8\n" * (n // 2),
    "tags": lambda n: '[White "A"]\n' * n + "1. e2 e8",
    "codes": lambda n: CODE * n,
    "words of six letters": lambda n: "AwgYgA\n" * n,
    "words like codes": lambda n: "aB3dE6gH " * n,
    "json": lambda n: json.dumps({"game": "quoridor", "version": 1, "moves": entries(n)}),
    "json records": lambda n: json.dumps([{"game": "quoridor", "version": 1, "moves": entries(2)}] * n),
}


def read(text: str) -> None:
    try:
        load(text)
    except KifuError as error:
        assert error.code


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_work_grows_no_faster_than_the_text(name):
    short, long = (lines_run(lambda count=count: read(TEXTS[name](count))) for count in (200, 1600))
    assert long < 10 * short


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_time_grows_no_faster_than_the_text(name):
    # Of loops inside built-in functions only time tells: linear it is sixteen times, quadratic 256 times.
    short, long = (partial(read, TEXTS[name](count)) for count in (500, 8000))
    most = max(60 * seconds(short, 5), 0.05)
    assert seconds(long, 1) < most or seconds(long, 1) < most


@pytest.mark.parametrize("name", ["one game", "one game without numbers"])
def test_a_ply_is_read_with_little_more_work_than_the_rules_take(name):
    text, plies = TEXTS[name](2000), 2000
    (game,) = load(text)[1].games
    assert last_position(game.record)[0] == plies

    def by_the_rules() -> None:
        position = QuoridorPosition.initial()
        for ply in range(plies):
            move = read_name(TO_AND_FRO[ply % 4])
            assert fault(position, move) is None
            position.do_move(move)

    # Finding out which moves are legal at all, as playing a move once asked for, took as much again.
    assert lines_run(lambda: load(text)) < 4 * lines_run(by_the_rules)


def test_a_game_of_hundreds_of_thousands_of_plies_is_one_game():
    _, result = load(numbered(150_000))
    (game,) = result.games
    assert last_position(game.record)[0] == 150_000
    assert game.issues == ()


def test_the_same_moves_of_a_game_are_the_same_objects():
    _, result = load(numbered(40))
    moves = [entry["move"] for entry in result.games[0].record["moves"] if "move" in entry]
    assert len({id(move) for move in moves}) == 4


def test_faults_late_in_a_row_of_moves_have_the_right_place():
    text = f'[White "A"]\n1. e2, e8 2. e1 e9 {"e2 e8 , e1  e9 " * 20}e5 e8'
    _, result = load(text)
    (issue,) = result.games[0].issues
    assert (issue.code, issue.line, issue.ply) == ("illegal-move", 2, 85)
    assert issue.column == text.split("\n")[1].index("e5") + 1


@pytest.mark.parametrize("letter", ["ı", "İ"])
def test_letters_that_are_only_like_an_i_are_no_squares(letter):
    _, result = load(f"1. e2 e8 2. {letter}2 e7")
    assert [issue.code for issue in result.games[0].issues] == ["unreadable-move"]
