"""Texts that harm readers of records, and any others."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kifu_core import games
from kifu_core.decoding import MAX_ISSUES
from kifu_core.errors import UnknownFormatError
from kifu_core.messages import message
from kifu_core.quoridor import formats
from tests.kifu_core.quoridor.reading import SEED, moves_of, one


@pytest.mark.parametrize(
    "text",
    [
        "1. e2 e8 " + "(" * 20_000,
        "1. e2 " + "(1. d1 " * 300 + ")" * 300 + " e8",
        "1. e2 {" * 20_000,
        "1. e2 e8\n" + "x " * 10_000,
        "1. e2 e8 " + "[" * 50_000,
        "e2 e8 e3\n" + " " * 100_000 + "\n",
        "e2 e8 e3\n" * 500,
        "1. e2 " + "*" * 50_000,
        "QBAQEBA\n" * 1_000,
        SEED[:20] + "\n" + "QBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ\n" * 500,
        "A" * 100_000 + "_",
        "gkwAAAAQ " + "a" * 100_000 + "_ ",
        'data-qfcode="' * 3_000,
        '{"game":"quoridor","version":1,"moves":' + "[" * 20_000,
        '{"game":"quoridor","version":1,"moves":[{"move":{"to":"e2"},"forks":'
        + "[[" * 150
        + "]]" * 150
        + "}]}",
        '{"game":"quoridor","version":1' + "0" * 5_000 + "}",
    ],
)
def test_no_text_takes_long_or_brings_more_than_its_issues(text):
    result = games.QUORIDOR.formats.load_source(*games.open_source(text, "a.qf"))
    for found in (result, *result.games):
        assert len(found.issues) <= MAX_ISSUES + 1
        assert all("?" not in message(issue) for issue in found.issues)


WORDS = [
    "e2",
    "e8",
    "e3",
    "e7",
    "d3h",
    "e6h",
    "vd3",
    "1.",
    "2.",
    "(",
    ")",
    "{",
    "}",
    ";",
    "*",
    "X",
    "1-0",
    "[",
    "]",
    "\n",
    "\t",
    "#",
    "j7oklAHMe1ICg",
    "QA",
    "c-d5",
    "a1",
    "!?",
    "5",
    "x",
]


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=30))
@example(["e2", "e8", "[", "{", "0\t", "e2"])
@example(["e2", "e2", "[", "{", "\u00e0"])
@example(["e2", "e2", "0", "(", ")"])
def test_whatever_is_read_can_be_written_and_read_again(words):
    try:
        result = formats.load(" ".join(words), "x.qf")
    except UnknownFormatError:
        return
    for game in result.games:
        for file_format in formats.FORMATS:
            again = formats.load(formats.dump(game.record, file_format), "x.qf").games
            assert moves_of(again[0]) == moves_of(game) if again else moves_of(game) == ""
        assert one(formats.dump(game.record, "json")).record == game.record
