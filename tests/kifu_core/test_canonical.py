"""Classes and keys: the golden file, its independent derivation, and what a class is."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifu_core import classes
from kifu_core.errors import DecodeError
from kifu_core.shogi.keys import canonical as keys
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.kifu_core.plain_keys import (
    folded,
    members,
    plain_canonical,
    plain_encode,
    plain_key,
    random_positions,
    scattered,
)

FILE = Path(__file__).parents[1] / "data" / "stable_keys.csv"
ROWS = list(csv.DictReader(FILE.read_text("ascii").splitlines()))

POSITIONS = st.one_of(
    st.integers(0, 2**32).map(scattered),
    st.integers(0, 50).flatmap(lambda seed: st.sampled_from(list(random_positions(seed)))),
)


def test_the_golden_file_pins_all_orientations_and_symmetric_positions():
    assert len(ROWS) > 300
    assert {row["orientation"] for row in ROWS} == {"0", "1", "2", "3"}
    assert sum(shogi64.decode(row["code"]) == shogi64.decode(row["code"]).mirrored() for row in ROWS) > 10


def test_codes_and_keys_are_those_of_the_golden_file():
    for row in ROWS:
        position = Position.from_sfen(row["sfen"])
        found = keys.canonical(position)
        assert shogi64.encode(position) == row["code"]
        assert (found.code, found.orientation) == (row["canonical"], int(row["orientation"]))
        assert classes.key(found.code, found.orientation, "shogi") == int(row["key"])


def test_the_golden_file_says_what_the_description_says():
    for row in ROWS:
        position = Position.from_sfen(row["sfen"])
        code, orientation = plain_canonical(position)
        assert plain_encode(position) == row["code"]
        assert (code, orientation) == (row["canonical"], int(row["orientation"]))
        assert plain_key(code, orientation) == int(row["key"])


def test_a_key_says_which_version_of_the_golden_file_it_belongs_to():
    assert classes.KEY_VERSION == 1


@given(POSITIONS)
def test_the_members_of_a_class_share_its_code(position):
    found = keys.canonical(position)
    for member in members(position):
        assert keys.canonical(member).code == found.code
        assert keys.canonical(member).symmetric == found.symmetric


@given(POSITIONS)
def test_the_representative_in_its_orientation_is_the_position(position):
    found = keys.canonical(position)
    representative = shogi64.decode(found.code)
    assert representative.turn == 0
    assert representative.oriented(found.orientation) == position
    assert (found.code, found.orientation) == plain_canonical(position)


@given(POSITIONS)
def test_a_symmetric_position_has_no_mirror_bit(position):
    found = keys.canonical(folded(position))
    assert found.symmetric
    assert found.orientation & 1 == 0
    assert keys.canonical(position).symmetric == (position == position.mirrored())


@given(POSITIONS)
def test_a_follower_gives_the_class_of_the_position(position):
    assert keys.canonical_of(shogi64.Encoder(position)) == keys.canonical(position)


@given(POSITIONS, st.integers(0, 2**40), st.sampled_from(["shogi", "quoridor"]))
def test_keys_are_signed_64_bit_numbers_that_end_in_the_orientation(position, space, kind):
    found = keys.canonical(position)
    number = classes.key(found.code, found.orientation, kind, space)
    assert -(2**63) <= number < 2**63
    assert number & 3 == found.orientation
    assert number == plain_key(found.code, found.orientation, kind, space)


def test_kinds_spaces_and_codes_have_keys_of_their_own():
    numbers = [
        classes.key("A", 0, "shogi"),
        classes.key("A", 0, "quoridor"),
        classes.key("A", 0, "shogi", space=1),
        classes.key("B", 0, "shogi"),
        classes.key("A", 0, "shogi", space=11),
        classes.key("1A", 0, "shogi"),
    ]
    assert len({number >> 2 for number in numbers}) == len(numbers)


@pytest.mark.parametrize(
    ("match", "orientations"),
    [("exact", (0,)), ("mirror", (0, 1)), ("color", (0, 2)), ("any", (0, 1, 2, 3))],
)
def test_a_match_asks_for_the_keys_of_the_members_it_names(match, orientations):
    position = Position.from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -")
    expected = []
    for way in orientations:
        found = keys.canonical(position.oriented(way))
        expected.append(classes.key(found.code, found.orientation, "shogi"))
    assert list(keys.same_class_keys(position, match)) == expected
    assert list(keys.same_class_keys(shogi64.encode(position), match)) == expected
    assert len(set(expected)) == len(orientations)


@pytest.mark.parametrize(("match", "count"), [("exact", 1), ("mirror", 1), ("color", 2), ("any", 2)])
def test_a_symmetric_position_is_its_own_mirror_image(match, count):
    found = keys.same_class_keys(Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 b -"), match)
    assert len(set(found)) == len(found) == count


def test_keys_of_another_kind_or_space_differ():
    position = Position.initial()
    assert not set(keys.same_class_keys(position, "any")) & set(
        keys.same_class_keys(position, "any", space=7)
    )


def test_a_code_that_is_not_strictly_valid_has_no_keys():
    with pytest.raises(DecodeError):
        keys.same_class_keys("poUAACMaqtYhwHgAAAAPQdTnd3vMgAB", "any")
