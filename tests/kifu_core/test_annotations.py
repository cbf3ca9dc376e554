"""Marks of moves, circles and arrows are read from comments and written into them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifu_core.games import SHOGI
from kifu_core.shogi.annotations import BRUSHES, MARKS, SHAPES, Shape, read, write
from kifu_core.shogi.squares import USI
from tests.cases import each

GOOD, DARING, BAD = MARKS[1], MARKS[2], MARKS[4]
CIRCLE, ARROW = Shape("G", "5e"), Shape("R", "7g", "7f")

READ = {
    "as ShogiHome writes a mark": (["2手目", "【疑問手】", "先手有望"], (BAD, (), ["2手目", "先手有望"])),
    "a sign as the first line": (["！？", "in time trouble"], (DARING, (), ["in time trouble"])),
    "a sign that is not the first line": (["why", "?"], (None, (), ["why", "?"])),
    "a question": (["? この手は"], (None, (), ["? この手は"])),
    "a second mark": (["【好手】", "【悪手】"], (GOOD, (), ["【悪手】"])),
    "as lishogi writes shapes": (
        ["The pawn goes. [%csl G5e][%cal R7g7f]"],
        (None, (CIRCLE, ARROW), ["The pawn goes."]),
    ),
    "a line of shapes alone": (
        ["[%cal R7g7f,R7g7f, G5e5a]", ""],
        (None, (ARROW, Shape("G", "5e", "5a")), [""]),
    ),
    "a square that is none": (["[%csl G5e,G0a]"], (None, (), ["[%csl G5e,G0a]"])),
    "an arrow among circles": (["[%csl G5e,R7g7f]"], (None, (), ["[%csl G5e,R7g7f]"])),
    "another colour": (["[%csl X5e]"], (None, (), ["[%csl X5e]"])),
    "a clock of PGN": (["[%clk 0:10:00]"], (None, (), ["[%clk 0:10:00]"])),
}


@each("comments, expected", [pytest.param(*case, id=name) for name, case in READ.items()])
def test_annotations_are_read_and_unknown_forms_remain_text(comments, expected):
    assert read(comments) == expected


shapes = st.builds(
    Shape, st.sampled_from(BRUSHES), st.sampled_from(USI), st.one_of(st.just(""), st.sampled_from(USI))
)
texts = st.text(st.characters(exclude_characters="[\n", exclude_categories=["Cs", "Cc"]), min_size=1)


@given(
    st.one_of(st.none(), st.sampled_from(MARKS)),
    st.lists(shapes, max_size=SHAPES, unique=True),
    st.lists(texts),
)
def test_what_is_written_is_read_again(mark, drawn, lines):
    lines = [line for line in lines if read([line]).mark is None]
    circles_first = sorted(drawn, key=lambda shape: bool(shape.target))
    assert read(write(mark, drawn, lines)) == (mark, tuple(circles_first), lines)


def test_a_group_beyond_the_limit_remains_text():
    every = [Shape(brush, square) for brush in "GR" for square in USI]
    result = read(write(None, every, []))
    assert len(result.shapes) == SHAPES
    assert result.lines == write(None, every[SHAPES:], [])


@pytest.mark.parametrize("name", ["kif", "kifu", "ki2", "csa", "jkf"])
def test_annotations_survive_every_format_with_comments(name):
    record = SHOGI.formats.load("position startpos moves 7g7f 3c3d").games[0].record
    record["moves"][1]["comments"] = write(GOOD, [CIRCLE, ARROW], ["角道を開ける。"])
    text = SHOGI.formats.dump(record, name)
    again = SHOGI.formats.load(text).games[0].record
    assert read(again["moves"][1]["comments"]) == (GOOD, (CIRCLE, ARROW), ["角道を開ける。"])
