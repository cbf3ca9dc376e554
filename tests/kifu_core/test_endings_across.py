"""Endings in every format that has a word for them: the same winner when written and read again."""

from __future__ import annotations

import pytest

from kifu_core import dump, load
from kifu_core.formats.losses import losses
from kifu_core.specials import ENDINGS, ending

WORDS = [kind.word for kind in ENDINGS if kind.word]
FORMATS = ("kif", "kifu", "ki2", "ki2u", "csa", "jkf", "usen")


def game(word, turn):
    rows = ["1 ７六歩(77)"][:turn]
    text = "\n".join(["手合割：平手", "手数----指手--", *rows, f"{turn + 1} {word}", ""])
    return load(text).games[0]


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("word", [*WORDS, "なぞの終局"])
def test_an_ending_keeps_its_winner_or_is_said_to_be_lost(word, turn, file_format):
    before = game(word, turn)
    assert before.ending is not None
    if "lost-ending" in {issue.code for issue in losses(before, file_format)}:
        return
    options = {"ending": before.ending} if file_format[:2] in ("ki", "cs") else {}
    after = load(dump(before.record, file_format, **options), f"x.{file_format}").games[0].ending
    assert after is not None
    assert (after.winner, after.draw, after.ply) == (before.ending.winner, before.ending.draw, turn)


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("word", ["なぞの終局", "XYZZY", "終了", "勝", "負", "WIN"])
def test_an_unknown_ending_never_has_a_winner(word, turn):
    assert ending(word, None, turn, turn).winner is None
    assert game(word, turn).ending.winner is None
    moves = "+7776FU\n" * turn
    found = load(f"PI\n+\n{moves}%XYZZY\n").games[0].ending
    assert (found.word, found.winner, found.draw) == ("XYZZY", None, False)
