"""Strict reading: the first error is raised."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifu_core import load
from kifu_core.errors import AmbiguousMoveError, IllegalMoveError, ParseError

DATA = Path(__file__).parents[1] / "data"
HEAD = "手合割：平手\n手数----指手--\n"


@pytest.mark.parametrize(
    "text, kind, code, line",
    [
        (HEAD + "   1 ７六歩(77)\n   2 ３四歩(88)\n   3 ７七歩(78)\n", IllegalMoveError, "wrong-side", 4),
        (HEAD + "   1 ７六歩(77)\n   2 ７六兎(33)\n", IllegalMoveError, "unreadable-move", 4),
        ("手合割：平手\n▲７八金 △３四歩 ▲５八金 △８四歩 ▲６八金\n", AmbiguousMoveError, "ambiguous", 2),
        ("手合割：五五将棋\n手数----指手--\n   1 ７六歩(77)\n", ParseError, "unknown-handicap", 1),
        ('{"moves": [{}, {"move": 3}]}', ParseError, "jkf-type", 1),
    ],
)
def test_the_first_error_is_raised_with_its_place(text, kind, code, line):
    with pytest.raises(kind) as caught:
        load(text, strict=True)
    assert (caught.value.code, caught.value.line) == (code, line)
    assert str(caught.value) not in ("", code)


def test_of_several_errors_it_is_the_first_in_the_text():
    games = "V2.2\nPI\n+\n+7776FU\n-9999FU\n/\nPI\n+\n+1122KA\n"
    with pytest.raises(IllegalMoveError) as caught:
        load(games, strict=True)
    assert caught.value.line == 5


def test_warnings_are_no_errors():
    text = HEAD + "   1 ７六歩(77)\nなんだろう\n"
    assert load(text, strict=True) == load(text)
    data = (DATA / "kif" / "even_game.kif").read_bytes()
    assert load(data, strict=True) == load(data)
