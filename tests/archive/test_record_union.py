"""The union of editions."""

from __future__ import annotations

import json
from random import Random

import pytest

from archive.derive.game import index_rows
from kifu_core.jkf import FORK_LEVELS, Record
from kifu_core.shogi.evaluations import is_evaluation
from kifu_core.shogi.position import Position
from kifu_core.shogi.record_union import depth, fits, unite
from kifu_core.shogi.replay import packed_move
from tests.archive.builders import Forks, random_forks, random_line, record

GAME = "7g7f 3c3d 2g2f 8c8d 2f2e"


def copy(made: Record) -> Record:
    return json.loads(json.dumps(made))


def nodes(made: Record) -> set[tuple[int, int]]:
    """Every (position, move) of a record, forks included, without the ends of lines."""
    return {(row.key, row.move) for row in index_rows(made)[0] if row.move}


def united(*editions: Record) -> Record:
    first, *others = (copy(edition) for edition in editions)
    for other in others:
        unite(first, other, packed_move)
    return first


def record_with(forks: Forks | None = None) -> Record:
    return record(GAME, forks)


def test_new_forks_are_added_and_old_ones_are_not_doubled():
    one, two = record_with({3: [["6g6f"]]}), record_with({3: [["6g6f"], ["5g5f"]], 4: [["4c4d"]]})
    union = united(one, two)
    assert union == united(union, one) == united(union, two)
    assert nodes(union) == nodes(one) | nodes(two)
    assert len(union["moves"][3]["forks"]) == 2


def test_a_longer_fork_goes_on_where_the_shorter_one_ends():
    union = united(record_with({3: [["6g6f"]]}), record_with({3: [["6g6f", "8c8d", "7i6h"]]}))
    assert [len(fork) for fork in union["moves"][3]["forks"]] == [3]


def test_forks_that_part_later_branch_where_they_part():
    union = united(record_with({3: [["6g6f", "8c8d"]]}), record_with({3: [["6g6f", "4c4d", "7i6h"]]}))
    (fork,) = union["moves"][3]["forks"]
    assert len(fork) == 2 and len(fork[1]["forks"][0]) == 2


def test_a_fork_that_plays_the_main_move_is_part_of_the_main_line():
    union = united(record_with(), record_with({3: [["2g2f", "4c4d"]]}))
    assert "forks" not in union["moves"][3]
    assert len(union["moves"][4]["forks"]) == 1


def test_a_fork_at_the_ending_stays_at_the_ending():
    ended = record_with()
    ended["moves"][-1]["forks"] = [record(GAME + " 8d8e")["moves"][6:7]]
    union = united(record_with(), ended)
    assert union["moves"][6]["special"] == "TORYO" and len(union["moves"][6]["forks"]) == 1
    assert nodes(united(record(GAME, special=None), ended)) == nodes(ended)


def test_comments_of_both_are_kept_and_none_is_doubled():
    one, two = record_with({3: [["6g6f"]]}), record_with({3: [["6g6f"]]})
    one["moves"][1]["comments"] = ["mine"]
    for entry in (two["moves"][0], two["moves"][1], two["moves"][3]["forks"][0][0]):
        entry["comments"] = ["theirs"]
    union = united(one, two)
    assert [union["moves"][ply].get("comments") for ply in (0, 1)] == [["theirs"], ["mine", "theirs"]]
    assert united(union, two) == united(union, one) == union
    assert union["moves"][3]["forks"][0][0]["comments"] == ["theirs"]


def test_nothing_new_is_told():
    one = record_with({3: [["6g6f", "8c8d"]]})
    assert not unite(copy(one), record_with(), packed_move)
    assert not unite(copy(one), record_with({3: [["6g6f"]]}), packed_move)
    assert not unite(copy(one), copy(one), packed_move)
    assert unite(record_with(), copy(one), packed_move)


@pytest.mark.parametrize("seed", range(60))
def test_the_union_has_the_nodes_of_all_editions_and_no_others(seed):
    random = Random(seed)
    position = Position.initial()
    played = random_line(position, random, 8, 3)
    editions = [record(played, nested(position, played, random)) for _ in range(3)]
    union = united(*editions)
    assert nodes(union) == set().union(*map(nodes, editions))
    for edition in editions:
        again = copy(union)
        unite(again, copy(edition), packed_move)
        assert nodes(again) == nodes(union)


def nested(position: Position, played: list[str], random: Random) -> Forks:
    return random_forks(position, played, random, 3)


def test_depth_is_counted_without_recursion():
    deep = record_with()
    entries = deep["moves"]
    for _ in range(FORK_LEVELS + 1):
        assert fits(deep)
        fork = [dict(entries[-1])]
        entries[-1]["forks"] = [fork]
        entries = fork
    assert depth(deep) == FORK_LEVELS + 1 and not fits(deep)


def commented(*comments: str) -> Record:
    entry = record_with()
    entry["moves"][1]["comments"] = list(comments)
    return entry


def comments_of(*editions: Record) -> list[str]:
    return united(*editions)["moves"][1]["comments"]


@pytest.mark.parametrize(
    "other",
    [
        "*藤井―増田戦を 中継する。", "**藤井−増田戦を中継する。", " 藤井－増田戦を中継する。　",
        "＊藤井—増田戦を中継する。", "藤井?増田戦を中継する。", "*藤井?増田戦を中継する。",
    ],
)  # fmt: skip
def test_a_comment_of_another_edition_is_the_same_whatever_a_converter_made_of_it(other):
    text = "藤井−増田戦を中継する。"
    assert comments_of(commented(text), commented(other)) == [text]
    assert len(comments_of(commented(other), commented(text))) == 1
    assert not unite(commented(text), commented(other), packed_move)


def test_a_comment_that_lost_characters_makes_room_for_the_whole_one():
    whole, lossy = commented("▲藤井−△増田", "𠮷田記者"), commented("*▲藤井?△増田", "?田記者")
    assert comments_of(lossy, whole) == comments_of(whole, lossy) == ["▲藤井−△増田", "𠮷田記者"]
    assert united(lossy, whole) == united(lossy, whole, lossy)


def test_comments_in_other_lines_are_the_same():
    assert comments_of(commented("一行目", "二行目"), commented("一行目\n二行目")) == ["一行目", "二行目"]
    assert comments_of(commented("一行目\n二行目"), commented("*二行目")) == ["一行目\n二行目"]
    assert comments_of(commented("一行目二", "行目"), commented("一行", "目二行目")) == ["一行目二", "行目"]


def test_comments_that_differ_are_both_kept():
    assert comments_of(commented("好手"), commented("*好手か")) == ["好手", "*好手か"]
    assert comments_of(commented("好手"), commented("好手？")) == ["好手", "好手？"]
    assert comments_of(commented("***"), commented("**")) == ["***", "**"]
    assert comments_of(commented("2 三段"), commented("*23段")) == ["2 三段", "*23段"]


@pytest.mark.parametrize("other", ["* 1704 +8594OU", "1704 +8594OU", "** 1704 +8594OU"])
def test_an_evaluation_is_one_in_all_editions_and_stays_one(other):
    raw = commented("** 1704 +8594OU")
    for editions in ((raw, commented(other)), (commented(other), raw)):
        (line,) = comments_of(*editions)
        assert is_evaluation(line)
