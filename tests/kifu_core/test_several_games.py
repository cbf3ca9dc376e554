"""Texts into which several games were copied one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifu_core import dump, load
from tests.kifu_core.random_games import random_record

DATA = Path(__file__).parents[1] / "data"
KIF = (DATA / "kif" / "even_game.kif").read_bytes().decode("cp932")
VARIATIONS = (DATA / "kif" / "variations.kifu").read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("blank", ["", "\n", "\n\n"])
def test_every_kif_game_of_a_text_is_read(blank):
    alone = [load(text).games[0] for text in (KIF, VARIATIONS, KIF)]
    games = load(blank.join((KIF, VARIATIONS, KIF))).games
    assert [game.record for game in games] == [game.record for game in alone]
    assert [game.ending for game in games] == [game.ending for game in alone]
    assert [game.index for game in games] == [0, 1, 2]
    assert games[1].first_line == KIF.replace("\r\n", "\n").count("\n") + len(blank) + 1


@pytest.mark.parametrize("file_format", ["kif", "ki2", "csa"])
def test_random_games_come_back_from_one_text(file_format):
    records = [random_record(seed, plies=20) for seed in range(8)]
    separator = "/\n" if file_format == "csa" else "\n"
    texts = [dump({**one, "header": {"先手": "甲", "後手": "乙"}}, file_format) for one in records]
    found = load(separator.join(texts), f"x.{file_format}").games
    assert [game.record for game in found] == [
        load(text, f"x.{file_format}").games[0].record for text in texts
    ]


@pytest.mark.parametrize("begins", ["V2.2\nN+{}\nN-乙\n", "V2.2,\nPI\n+\n", "N+{}\nN-乙\nPI\n+\n", "N-{}\n"])
@pytest.mark.parametrize("ends", ["%TORYO\n", ""])
def test_csa_games_without_a_line_between_them_are_as_many(begins, ends):
    texts = [begins.format(name) + f"+7776FU\n-3334FU\n'読み\n{ends}" for name in "甲丙丁"]
    alone = [load(text, "x.csa").games[0] for text in texts]
    result = load("".join(texts), "x.csa")
    assert [game.record for game in result.games] == [game.record for game in alone]
    assert [game.first_line for game in result.games] == [1 + n * texts[0].count("\n") for n in range(3)]
    assert not result.issues and not any(game.issues for game in result.games)


def test_a_broken_game_does_not_harm_the_next():
    broken = "手合割：五五将棋\n手数----指手--\n   1 ７六歩(77)\n"
    result = load(broken + KIF)
    assert [game.record for game in result.games] == [load(KIF).games[0].record]
    assert [issue.code for issue in result.issues] == ["unknown-handicap"]


def test_a_game_of_two_lines_is_a_game():
    games = load("先手：甲\n▲７六歩 △３四歩\n先手：乙\n▲２六歩\n", "x.ki2").games
    assert [game.record["header"]["先手"] for game in games] == ["甲", "乙"]


@pytest.mark.parametrize(
    "behind",
    [
        "備考：長い一日\n",
        "先手：甲\n",
        "先手：甲\n変化：1手\n   1 ２六歩(27)\n",
        "&しおり\n*手合割：平手\n   3 ２六歩(27)\n",
    ],
)
def test_headers_behind_the_moves_alone_begin_no_game(behind):
    text = "手合割：平手\n手数----指手--\n   1 ７六歩(77)\n   2 ３四歩(33)\n" + behind
    assert len(load(text).games) == 1
