"""Moves, times and numbers in the words of both languages."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from archive.web.wording import ending_text, entry_text, handicap_text, number_text, time_text
from kifu_core.jkf import SPECIALS, Move
from kifu_core.shogi.handicaps import PRESETS

PUSH: Move = {"color": 0, "from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"}
SAME: Move = {
    "color": 1, "from": {"x": 3, "y": 1}, "to": {"x": 2, "y": 2}, "piece": "GI",
    "same": True, "capture": "UM",
}  # fmt: skip
GOLD: Move = {"color": 0, "from": {"x": 4, "y": 9}, "to": {"x": 5, "y": 8}, "piece": "KI", "relative": "R"}
DROP: Move = {"color": 1, "to": {"x": 5, "y": 5}, "piece": "FU", "relative": "H"}
PROMOTE: Move = {
    "color": 0, "from": {"x": 8, "y": 8}, "to": {"x": 2, "y": 2}, "piece": "KA",
    "capture": "KA", "promote": True,
}  # fmt: skip
STAY: Move = {
    "color": 0, "from": {"x": 2, "y": 4}, "to": {"x": 2, "y": 3}, "piece": "GI", "promote": False,
    "relative": "LU",
}  # fmt: skip
PROMOTED: Move = {"color": 1, "from": {"x": 9, "y": 9}, "to": {"x": 9, "y": 8}, "piece": "NY"}


@pytest.mark.parametrize(
    ("move", "japanese", "english"),
    [
        (PUSH, "▲７六歩", "▲P-7f"),
        (SAME, "△同　銀", "△Sx2b"),
        (GOLD, "▲５八金右", "▲G4i-5h"),
        (DROP, "△５五歩打", "△P*5e"),
        (PROMOTE, "▲２二角成", "▲Bx2b+"),
        (STAY, "▲２三銀左上不成", "▲S2d-2c="),
        (PROMOTED, "△９八成香", "△+L-9h"),
    ],
)
def test_it_writes_moves_as_players_of_each_language_do(move: Move, japanese: str, english: str) -> None:
    with override("ja"):
        assert entry_text("shogi", {"move": move}) == japanese
    with override("en"):
        assert entry_text("shogi", {"move": move}) == english


def test_every_ending_and_handicap_of_jkf_has_words_in_japanese() -> None:
    with override("ja"):
        for special in SPECIALS:
            assert not ending_text(special).isascii()
        for preset in PRESETS:
            assert not handicap_text("shogi", preset).isascii()


def test_an_ending_that_is_not_known_is_shown_as_it_is() -> None:
    assert ending_text("不戦敗") == "不戦敗"


def test_times_without_hours_and_with_them() -> None:
    assert time_text({"m": 3, "s": 5}) == "3:05"
    assert time_text({"h": 2, "m": 0, "s": 9}) == "2:00:09"
    assert time_text({"m": 75, "s": 0}) == "1:15:00"


def test_numbers_have_commas() -> None:
    assert number_text(0) == "0"
    assert number_text(999) == "999"
    assert number_text(1234567) == "1,234,567"
