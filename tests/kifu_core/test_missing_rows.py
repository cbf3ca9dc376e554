"""Rows that a KIF text has lost: their numbers tell, and the count of the まで line does."""

from __future__ import annotations

import pytest

from kifu_core import load

HEAD = "手合割：平手\n手数----指手---------消費時間--\n"
MOVES = ("７六歩(77)", "３四歩(33)", "２六歩(27)", "８四歩(83)", "２五歩(26)", "８五歩(84)")


def row(number: int, text: str) -> str:
    return f"{number:4d} {text}   ( 0:01/00:00:00)\n"


def rows(*numbers: int) -> str:
    """The first moves of a game with these numbers."""
    return "".join(row(number, text) for number, text in zip(numbers, MOVES, strict=False))


def reported_rows(text: str) -> list[tuple[str, int | None, dict[str, str | int]]]:
    issues = [*(result := load(text)).issues, *(issue for game in result.games for issue in game.issues)]
    codes = ("rows-missing", "other-move-count")
    return [(issue.code, issue.line, dict(issue.params)) for issue in issues if issue.code in codes]


def plies(text: str) -> int:
    return sum("move" in entry for entry in load(text).games[0].record["moves"])


def test_missing_rows_are_reported_where_the_numbers_jump():
    text = HEAD + rows(1, 2, 9) + row(10, "投了") + "まで9手で先手の勝ち\n"
    assert reported_rows(text) == [("rows-missing", 5, {"first": 3, "last": 8})]
    assert plies(text) == 3  # nothing else is played than before


def test_rows_between_comments_are_counted_too():
    text = HEAD + rows(1) + "*よい手\n" + row(3, MOVES[1]) + "*次の手\n"
    assert reported_rows(text) == [("rows-missing", 5, {"first": 2, "last": 2})]


def test_every_gap_is_reported_once():
    found = reported_rows(HEAD + rows(1, 4, 5, 9))
    assert [params for _, _, params in found] == [{"first": 2, "last": 3}, {"first": 6, "last": 8}]


def test_a_missing_row_before_the_ending_is_reported():
    text = HEAD + rows(1, 2) + row(4, "投了")
    assert reported_rows(text) == [("rows-missing", 5, {"first": 3, "last": 3})]


def test_the_first_rows_are_missing_where_no_board_is_drawn():
    assert reported_rows(HEAD + rows(5, 6)) == [("rows-missing", 3, {"first": 1, "last": 4})]


def test_a_game_from_a_drawn_board_may_begin_with_any_number():
    board = "|" + " ・" * 8 + "v玉|一\n" + ("|" + " ・" * 9 + "|\n") * 7 + "|" + " ・" * 8 + " 玉|九\n"
    text = (
        board + "先手番\n手数----指手--\n" + row(7, "１八玉(19)") + row(8, "１二玉(11)") + "まで8手で中断\n"
    )
    assert reported_rows(text) == []


def test_a_gap_in_a_variation_is_reported():
    text = HEAD + rows(1, 2, 3) + "変化：2手\n" + row(2, "８四歩(83)") + row(5, "２六歩(27)")
    assert reported_rows(text) == [("rows-missing", 8, {"first": 3, "last": 4})]


@pytest.mark.parametrize("number", [1, 2])
def test_a_variation_may_count_anew(number):
    text = HEAD + rows(1, 2, 3) + "変化：2手\n" + row(number, "８四歩(83)") + row(number + 1, "２六歩(27)")
    assert reported_rows(text) == []


@pytest.mark.parametrize(
    "text",
    [
        rows(0, 1, 2) + "まで3手で中断\n",
        rows(0, 1, 2) + "まで2手で中断\n",
        rows(1, 2, 3) + "まで3手で先手の勝ち\n",
        rows(1, 2, 3) + row(4, "投了") + "まで3手で先手の勝ち\n",
        rows(1, 2, 3) + row(4, "投了") + "まで4手で先手の勝ち\n",
        rows(1, 2, 3) + row(4, "投了") + row(4, "投了") + "まで3手で先手の勝ち\n",
        rows(1, 2, 2, 3) + "まで4手で中断\n",
        rows(1, 2, 3) + "まで0手で中断\n",
        rows(1, 2, 3) + "まで、先手の勝ち\n",
        rows(1, 2, 3)
        + "まで3手で中断\n変化：2手\n"
        + row(2, "８四歩(83)")
        + row(3, "投了")
        + "まで2手で後手の勝ち\n",
    ],
)
def test_correct_counts_are_not_reported(text):
    assert reported_rows(HEAD + text) == []


def test_a_handicap_game_counts_from_one_too():
    text = (
        "手合割：香落ち\n手数----指手--\n" + row(1, "３四歩(33)") + row(2, "投了") + "まで1手で上手の勝ち\n"
    )
    assert reported_rows(text) == []


def test_a_count_that_the_rows_do_not_reach_is_reported():
    text = HEAD + rows(1, 2, 3) + "まで120手で先手の勝ち\n"
    assert reported_rows(text) == [("other-move-count", 6, {"said": 120, "count": 3})]


def test_a_wrong_count_is_reported_in_ki2_too():
    text = "手合割：平手\n▲７六歩 △３四歩\nまで9手で先手の勝ち\n"
    assert reported_rows(text) == [("other-move-count", 3, {"said": 9, "count": 2})]


def test_numbers_that_jump_at_every_row_fill_no_list_without_end():
    text = HEAD + "".join(row(ply, "投了") for ply in range(1, 20_001, 2))
    assert len(load(text).games[0].issues) <= 1001
