"""Moves as people type them: without marks, with numbers, with words after them. The texts are our own."""

from __future__ import annotations

import pytest

from kifu_core import ParsedGame, dump, load
from kifu_core.errors import KifuError
from tests.cases import each

FOUR = "7g7f 3c3d 2g2f 4c4d"


def only(text: str, name: str = "") -> ParsedGame:
    (game,) = load(text, name).games
    return game


def line(game: ParsedGame) -> str:
    """The moves of the main line as USI writes them."""
    return dump(game.record, "usi").strip().partition(" moves ")[2]


def comments(game: ParsedGame) -> dict[int, list[str]]:
    return {ply: entry["comments"] for ply, entry in enumerate(game.record["moves"]) if "comments" in entry}


@each(
    "text",
    [
        "76歩 34歩 26歩 44歩", "76歩34歩26歩44歩", "７六歩、３四歩、２六歩、４四歩",
        "７六歩\n３四歩\n２六歩\n４四歩\n", "　７六歩　３四歩\n　２六歩　４四歩\n",
        "７六歩・３四歩・２六歩・４四歩", "1. ７六歩 2. ３四歩 3. ２六歩 4. ４四歩",
        "1手目 ７六歩\n2手目 ３四歩\n3手目 ２六歩\n4手目 ４四歩\n",
        "先手：甲\n後手：乙\n\n76歩 34歩\n26歩 44歩\n",
        "1手目▲７六歩\n2手目△３四歩\n3手目▲２六歩\n4手目△４四歩\n",
        "1 ▲７六歩 2 △３四歩 3 ▲２六歩 4 △４四歩", "1.▲７六歩 2.△３四歩 3.▲２六歩 4.△４四歩",
        "▲７六歩・△３四歩・▲２六歩・△４四歩", "▲ ７六歩 △ ３四歩 ▲ ２六歩 △ ４四歩",
        "▲７六歩 ３四歩 ▲２六歩 ４四歩", "▲７六歩(0:01) ３四歩\n▲２六歩 ４四歩",
    ],
)  # fmt: skip
def test_moves_are_read_without_marks_and_with_numbers(text: str) -> None:
    game = only(text)
    assert line(game) == FOUR
    assert game.issues == ()
    assert comments(game) == {}


@pytest.mark.parametrize("text", ["76歩 34歩 22角成 同銀 45角", "▲76歩 34歩 22角成 同銀 45角打"])
def test_moves_without_marks_capture_and_drop(text: str) -> None:
    assert line(only(text)) == "7g7f 3c3d 8h2b+ 3a2b B*4e"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("▲７六歩 △３四歩! ▲２六歩!? △４四歩??", {2: ["!"], 3: ["!?"], 4: ["??"]}),
        ("▲７六歩\n△３四歩  ←角道を開ける\n▲２六歩\n△４四歩", {2: ["←角道を開ける"]}),
        ("▲７六歩 △３四歩 ここまでは定跡で、先手は居飛車も振り飛車もある。とても長い説明\n▲２六歩 △４四歩",
         {2: ["ここまでは定跡で、先手は居飛車も振り飛車もある。とても長い説明"]}),
        ("▲７六歩 角道を開ける △３四歩 ▲２六歩 △４四歩", {1: ["角道を開ける"]}),
        ("▲７六歩 △３四歩 ←ここで△８四歩もある\n▲２六歩 △４四歩", {2: ["←ここで△８四歩もある"]}),
        ("▲７六歩（角道を開ける）△３四歩 ▲２六歩(飛車先) △４四歩", {1: ["角道を開ける"], 3: ["飛車先"]}),
        ("▲７六歩(12秒) いい手 △３四歩(3秒) ▲２六歩 △４四歩", {1: ["いい手"]}),
    ],
)  # fmt: skip
def test_words_behind_a_move_are_its_comment(text: str, told: dict[int, list[str]]) -> None:
    game = only(text)
    assert line(game) == FOUR
    assert comments(game) == told
    assert game.issues == ()


@pytest.mark.parametrize(
    ("text", "special", "winner"),
    [
        ("▲７六歩 △３四歩 投了", "TORYO", 1), ("▲７六歩 △３四歩\n投了\n", "TORYO", 1),
        ("76歩 34歩 投了", "TORYO", 1), ("▲７六歩 △３四歩 中断", "CHUDAN", None),
        ("76歩\n34歩\n千日手\n", "SENNICHITE", None),

    ],
)  # fmt: skip
def test_an_ending_needs_no_mark(text: str, special: str, winner: int | None) -> None:
    game = only(text)
    assert line(game) == "7g7f 3c3d"
    assert game.ending is not None
    assert (game.ending.special, game.ending.winner) == (special, winner)
    assert game.issues == ()


@pytest.mark.parametrize(
    "text",
    [
        "先手 山田太郎\n後手 佐藤花子\n\n▲７六歩 △３四歩 ▲２六歩 △４四歩\n",
        "▲山田太郎\n△佐藤花子\n\n▲７六歩 △３四歩 ▲２六歩 △４四歩\n",
        "☗山田太郎 ☖佐藤花子\n☗７六歩 ☖３四歩 ☗２六歩 ☖４四歩\n",
        "▲山田太郎\n△佐藤花子\n1 ▲７六歩(77)\n2 △３四歩(33)\n3 ▲２六歩(27)\n4 △４四歩(43)\n",
        "先手　山田太郎\n後手　佐藤花子\n 1 ７六歩(77)\n 2 ３四歩(33)\n 3 ２六歩(27)\n 4 ４四歩(43)\n",
    ],
)
def test_players_need_no_colon(text: str) -> None:
    game = only(text)
    assert line(game) == FOUR
    assert (game.record["header"]["先手"], game.record["header"]["後手"]) == ("山田太郎", "佐藤花子")
    assert game.issues == ()


def test_a_handicap_may_stand_by_itself() -> None:
    game = only("二枚落ち\n☖６二銀 ☗７六歩 ☖５四歩\n")
    assert game.record["initial"] == {"preset": "2"}
    assert line(game) == "7a6b 7g7f 5c5d"
    assert game.issues == ()


@pytest.mark.parametrize(
    "text",
    [
        "７六歩３四歩と進んだ。", "先手の７六歩 ３四歩に対して", "76歩", "今日は76歩 34歩",
        "２０２４年 一局",
    ],
)  # fmt: skip
def test_prose_is_no_record(text: str) -> None:
    with pytest.raises(KifuError, match="unknown-format"):
        load(text)


def test_what_follows_a_sentence_about_a_move_is_not_taken_for_moves() -> None:
    game = only("▲２六歩 △８四歩 ▲７六歩と突いて△３四歩\n")
    assert line(game) == "2g2f 8c8d"
    assert [issue.code for issue in game.issues] == ["unreadable-move"]


@pytest.mark.parametrize(
    "text",
    [
        "1. P-7f P-3d 2. P-2f P-4d", "1. P-7f P-3d\n2. P-2f P-4d\n", "▲P-7f △P-3d ▲P-2f △P-4d",
        "1\n▲P-7f\n2\n△P-3d\n3\n▲P-2f\n4\n△P-4d\n", "P-7f P-3d P-2f P-4d", "1.P-7f, 2.P-3d, 3.P-2f, 4.P-4d",
    ],
)  # fmt: skip
def test_western_moves_are_read_as_pages_and_books_write_them(text: str) -> None:
    game = only(text)
    assert line(game) == FOUR
    assert game.issues == ()


def test_western_moves_capture_drop_and_name_their_source() -> None:
    game = only("▲P-7f △P-3d ▲Bx2b+ △Sx2b ▲B*4e △G4a-5b ▲Bx3d")
    assert line(game) == "7g7f 3c3d 8h2b+ 3a2b B*4e 4a5b 4e3d"
    assert game.issues == ()


@pytest.mark.parametrize("text", ["1. e4 e5 2. Nf3 Nc6", "1. d4 Nf6 2. c4 e6", "P-A-R-T-Y", "B-52 S-400"])
def test_chess_and_words_are_no_western_shogi(text: str) -> None:
    with pytest.raises(KifuError, match="unknown-format"):
        load(text)
