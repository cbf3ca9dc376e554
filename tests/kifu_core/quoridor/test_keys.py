"""Codes, classes and keys of positions: the worked examples, and what must hold of every position."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from kifu_core import classes
from kifu_core.errors import DecodeError
from kifu_core.quoridor import keys, qf_code
from kifu_core.quoridor.board import name, orient
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.rules import legal_moves
from tests.kifu_core.quoridor.games import positions, random_game

EXAMPLE = "j7oklAHMe1ICg"
SAMPLE = [position for seed in range(12) for position in Random(seed).sample(list(positions(seed)), 6)]


def position_of(code: str) -> QuoridorPosition:
    """The last position of any code."""
    found = qf_code.decode(code)
    position = found.start().position.copy()
    for move in found.moves or ():
        position.do_move(move)
    return position


def oriented(position: QuoridorPosition, orientation: int) -> QuoridorPosition:
    """The position mirrored (bit 0) and with the colours swapped (bit 1), built wall by wall."""
    swapped = orientation >> 1
    pawns = [orient(256 + square, orientation) & 127 for square in position.pawns]
    walls = [[orient(wall, orientation) for wall in position.walls(color)] for color in (0, 1)]
    turn = position.turn ^ swapped
    return (
        QuoridorPosition.of(pawns[::-1], walls[::-1], turn)
        if swapped
        else QuoridorPosition.of(pawns, walls, turn)
    )


def test_the_worked_examples():
    position = position_of(EXAMPLE)
    assert keys.display_key(position) == keys.rule_key(position) == "j7oklAHMewAA"
    assert keys.rule_key(oriented(position, 1)) == "j7ok1QHQfAAA"
    assert keys.rule_key(oriented(position, 2)) == "izEjKwG0RIAA"
    final = position_of("QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk")
    assert keys.display_key(final) == "ooByS01V5bzMi1ZCOqzb8XIAA"
    assert keys.rule_key(final) == "ooCiS0E1V45arAO/b9DHItYAA"


def test_who_placed_a_wall_counts_for_the_display_and_not_for_the_rules():
    one, other = position_of("QA"), position_of("QA")
    for position, order in ((one, ["e3h", "e6h"]), (other, ["e6h", "e3h"])):
        for text in order:
            position.do_move(next(move for move in legal_moves(position) if name(move) == text))
    assert keys.rule_key(one) == keys.rule_key(other)
    assert keys.display_key(one) != keys.display_key(other)
    one.do_move(legal_moves(one)[0])
    assert keys.rule_key(one) != keys.rule_key(other)


def test_both_keys_are_codes_of_the_position():
    for position in SAMPLE:
        assert keys.decode(keys.display_key(position)) == position
        read = keys.decode(keys.rule_key(position))
        assert keys.rule_key(read) == keys.rule_key(position)
        assert legal_moves(read) == legal_moves(position)
        assert [read.walls_left(color) for color in (0, 1)] == [
            position.walls_left(color) for color in (0, 1)
        ]


def test_a_class_has_one_code_and_its_members_lie_as_they_say():
    for position in SAMPLE:
        found = keys.canonical(position)
        members = [oriented(position, orientation) for orientation in range(4)]
        assert {keys.canonical(member).code for member in members} == {found.code}
        upright = [keys.rule_key(member) for member in members if member.turn == 0]
        assert found.code == min(upright)
        assert keys.rule_key(oriented(position, found.orientation)) == found.code
        assert found.symmetric == (upright[0] == upright[1])


def test_the_start_is_its_own_mirror_image():
    assert keys.canonical(QuoridorPosition.initial()) == (keys.rule_key(QuoridorPosition.initial()), 0, True)
    assert len(keys.same_class_keys(QuoridorPosition.initial(), "any")) == 2


@pytest.mark.parametrize("match", ["exact", "mirror", "color", "any"])
def test_a_search_asks_for_the_keys_of_the_members_it_allows(match):
    turns = {"exact": (0,), "mirror": (0, 1), "color": (0, 2), "any": (0, 1, 2, 3)}[match]
    for position in SAMPLE[::5]:
        members = {keys.rule_key(oriented(position, turn)): oriented(position, turn) for turn in turns}
        found = keys.same_class_keys(keys.display_key(position), match)
        expected = [keys.canonical(member) for member in members.values()]
        keys_expected = (classes.key(each.code, each.orientation, "quoridor") for each in expected)
        assert sorted(found) == sorted(keys_expected)
        assert found[0] == classes.key(*keys.canonical(position)[:2], "quoridor")


def test_a_code_has_another_key_in_each_kind_of_game():
    code = keys.rule_key(QuoridorPosition.initial())
    assert classes.key(code, 0, "quoridor") != classes.key(code, 0, "shogi")


PINNED = {
    "gkwAAIAA": ("gkwAAIAA", 5540771855448924308),
    "j7oklAHMewAA": ("izEi6gGwQ4AA", -635807032172615957),
    "ooByS01V5bzMi1ZCOqzb8XIAA": ("oIijDkElF4pKKwO3HhC25coAA", 2394265691337887661),
}


@pytest.mark.parametrize(("code", "expected"), PINNED.items())
def test_keys_that_archives_hold_never_change(code, expected):
    found = keys.canonical(keys.decode(code))
    assert (found.code, keys.same_class_keys(code)[0]) == expected


def test_different_positions_have_different_keys():
    found = {}
    for position in itertools.chain.from_iterable(map(positions, range(10))):
        key = keys.same_class_keys(position)[0]
        assert found.setdefault(key, keys.rule_key(position)) == keys.rule_key(position)
    assert len(found) > 200


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("QBA", "not-a-position"),
        ("yzoAAIBQMBJSskqrh5dHVBA", "not-a-position"),
        ("j7oklAHMe1ICg=", "bad-char"),
        ("j7okl AHMe1ICg", "bad-char"),
        ("gkw", "truncated"),
        ("", "empty"),
    ],
)
def test_only_the_code_of_a_position_is_one(code, fault):
    with pytest.raises(DecodeError) as error:
        keys.decode(code)
    assert error.value.code == fault


def test_a_position_that_no_code_can_say_has_no_key():
    for position, fault in [
        (QuoridorPosition([4, 4], [0, 0], [0, 0], 0), "pawn-overlap"),
        (QuoridorPosition([4, 90], [0, 0], [0, 0], 0), "pawn-range"),
        (QuoridorPosition([4, 76], [0, 255 | 255 << 10], [0, 0], 0), "wall-count"),
    ]:
        for make in (keys.display_key, keys.rule_key, keys.canonical):
            with pytest.raises(DecodeError) as error:
                make(position)
            assert error.value.code == fault


def test_the_replayed_game_of_the_examples_reaches_classes_of_both_colours():
    game = random_game(3)
    position = QuoridorPosition.initial()
    for move in game:
        assert keys.canonical(position).orientation >> 1 == position.turn
        position.do_move(move)
