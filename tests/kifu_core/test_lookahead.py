"""What a line leaves open is decided by the moves that follow, at a bounded cost."""

from __future__ import annotations

import pytest

from kifu_core import dump, load
from kifu_core.errors import SOURCE_LINE_LIMIT
from kifu_core.shogi import lookahead
from kifu_core.shogi.move_resolution import Search
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine

HEAD = "手合割：平手\n\n"
ROWS = "手合割：平手\n手数----指手--\n"


def usi(text: str) -> str:
    return dump(load(text).games[0].record, "usi").partition(" moves ")[2].strip()


def codes(text: str) -> list[str]:
    result = load(text)
    return [issue.code for issue in (*result.issues, *result.games[0].issues)]


def test_the_piece_is_taken_with_which_the_game_goes_on():
    text = HEAD + "▲７六歩 △３四歩 ▲５八金 △８四歩 ▲７八金\n"
    assert usi(text) == "7g7f 3c3d 4i5h 8c8d 6i7h"
    (issue,) = load(text).games[0].issues
    assert (issue.code, issue.ply, issue.params) == ("source-inferred", 3, {"square": "49"})


@pytest.mark.parametrize("following", ["", " △８四歩", " △８四歩 ▲２六歩 △８五歩", " △８四歩 ▲５九金"])
def test_a_move_that_nothing_decides_stays_ambiguous(following):
    text = HEAD + "▲７六歩 △３四歩 ▲５八金" + following + "\n"
    assert usi(text) == "7g7f 3c3d"
    assert codes(text) == ["ambiguous"]


def test_a_move_in_a_variation_is_decided_too():
    text = HEAD + "▲７六歩 △３四歩\n\n変化：1手\n▲５八金 △８四歩 ▲７八金\n"
    (fork,) = load(text).games[0].record["moves"][1]["forks"]
    assert fork[0]["move"]["from"] == {"x": 4, "y": 9}


def test_a_variation_that_cannot_be_played_in_the_one_above_branches_off_the_main_line():
    rows = "1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 ８四歩(83)\n"
    forks = "変化：1手\n1 ２六歩(27)\n2 ３四歩(33)\n3 ２五歩(26)\n"
    forks += "変化：3手\n3 ６六歩(67)\n4 ５四歩(53)\n5 ７七角(88)\n"
    record = load(ROWS + rows + forks).games[0].record
    assert ["forks" in entry for entry in record["moves"]] == [False, True, False, True, False]
    assert not any("forks" in entry for entry in record["moves"][1]["forks"][0])


def test_a_variation_that_can_be_played_in_the_one_above_is_one_of_that():
    forks = "変化：1手\n1 ２六歩(27)\n2 ３四歩(33)\n3 ２五歩(26)\n変化：3手\n3 ６六歩(67)\n"
    record = load(ROWS + "1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n" + forks).games[0].record
    assert "forks" in record["moves"][1]["forks"][0][2]


def test_what_is_played_to_decide_is_bounded_by_the_moves_there_are(monkeypatch):
    played: list[int] = []

    def counted(steps, position: Position, last: int) -> int:
        played.append(len(steps))
        return len(steps)

    monkeypatch.setattr(lookahead, "count_playable", counted)
    undecided = [Search(49, 5, False, "")] * 400
    looker = lookahead.Lookahead(len(undecided))
    for index, step in enumerate(undecided):
        assert looker.only_way(step, undecided[index + 1 :], Position.initial(), -1) is None
    assert sum(played) <= lookahead.STEPS_PER_STEP * len(undecided)


def test_a_line_without_variations_is_left_alone():
    assert not lookahead.reattach_forks(RawLine(), Position.initial())


@pytest.mark.parametrize(
    "text", [ROWS + "1 ７六歩(77)\n{}\n", HEAD + "▲７六歩\n{}\n", "PI\n+\n+7776FU\n{}\n"]
)
def test_a_long_line_that_means_nothing_is_kept(text):
    line = "なんだろう" * SOURCE_LINE_LIMIT
    game = load(text.format(line)).games[0]
    assert line in game.unread
    assert [issue.code for issue in game.issues] == ["unknown-line"]


@pytest.mark.parametrize("wrap", ['"{}"', "「{}」", "<br>"], ids=["quotation", "brackets", "br"])
def test_signs_about_a_text_are_no_part_of_it(wrap):
    rows = ROWS + "1 ７六歩(77)\n*読み\n2 投了"
    text = wrap.format(rows) if "<br>" not in wrap else rows.replace("\n", "<br>\n") + "<br>"
    assert load(text).games[0].record == load(rows).games[0].record


def test_markup_in_a_comment_stays():
    rows = ROWS + "1 ７六歩(77)\n*a<br>b &nbsp; &#12345; c\n2 投了\n"
    assert load(rows).games[0].record["moves"][1]["comments"] == ["a<br>b &nbsp; &#12345; c"]
