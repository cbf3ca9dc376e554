"""Text that means harm, and text that fell down the stairs."""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifu_core import KifuError, dump, load
from kifu_core.jkf import FORK_LEVELS
from kifu_core.shogi.replay import visits

DATA = Path(__file__).parents[1] / "data"
HEAD = "手合割：平手\n手数----指手--\n1 ７六歩(77)\n"
SIZE = 200_000
GOLDS = ("３二金(41)", "７八金(69)", "４一金(32)", "６九金(78)")


def to_and_fro(ply: int) -> str:
    """A row of golds that go and come back, from ply 2 on, after which everything is as before."""
    return f"{ply} {GOLDS[(ply - 2) % 4]}\n"


FILES = sorted(path for path in DATA.glob("*/*.*") if path.suffix not in (".csv", ".md"))

LONG = {
    "one line": HEAD + "あ" * SIZE,
    "blanks": HEAD + " " * SIZE,
    "blanks before a move": HEAD + "2" + " " * SIZE + "３四歩(33)",
    "a long number": HEAD + "2" * SIZE + " ３四歩(33)",
    "a long time": HEAD + "2 ３四歩(33) (" + "0:" * SIZE + ")",
    "brackets": HEAD + "2 " + "(" * SIZE,
    "colons": "手合割：平手\n" + "：" * SIZE,
    "comments": HEAD + "*a\n" * SIZE,
    "empty lines": HEAD + "\n" * SIZE,
    "unknown lines": HEAD + "x\n" * (SIZE // 4),
    "forks side by side": HEAD + "変化：1手\n1 ２六歩(27)\n" * (SIZE // 20),
    "forks inside forks": HEAD
    + to_and_fro(2)
    + "".join(f"変化：{n}手\n" + to_and_fro(n) + to_and_fro(n + 1) for n in range(2, SIZE // 40)),
    "moves to and fro": HEAD + "".join(map(to_and_fro, range(2, SIZE // 14))),
    "the same fork everywhere": HEAD
    + "".join(map(to_and_fro, range(2, 5000)))
    + "".join(f"変化：{n}手\n" + to_and_fro(n) for n in range(4999, 1, -1)),
    "hands": "先手の持駒：" + "飛二" * SIZE + "\n|" + " ・" * 9 + "|一\n",
    "ki2 marks": "▲７六歩" + "▲" * SIZE,
    "ki2 same": "▲７六歩 △３四歩 " + "▲同　銀 " * (SIZE // 5),
    "csa commas": "PI\n+\n+7776FU" + "," * SIZE,
    "csa pieces": "P+" + "00FU" * (SIZE // 4) + "\n+\n",
    "csa games": "PI\n+\n+7776FU\n/\n" * (SIZE // 100),
    "csa separators": "PI\n+\n+7776FU\n" + "/\n" * SIZE,
    "json brackets": "[" * SIZE,
    "json objects": '{"moves":' * SIZE,
    "json forks": '{"moves":[{},' + '{"forks":[[' * SIZE,
    "json numbers": '{"moves":[{},{"time":{"now":{"m":' + "9" * SIZE + ',"s":0}}}]}',
}


@pytest.mark.parametrize("name", sorted(LONG))
def test_it_is_read_or_refused_in_time_that_grows_with_its_length(name):
    began = time.process_time()
    try:
        for game in load(LONG[name]).games[:100]:
            assert game.record["moves"]
    except KifuError:
        pass
    # 200,000 characters take well under a second where nothing is quadratic; a busy machine gets its share
    assert time.process_time() - began < 10


def test_forks_are_kept_to_a_depth_and_the_rest_as_text():
    game = load(LONG["forks inside forks"]).games[0]
    depth, entries = 0, game.record["moves"]
    while forks := next((entry["forks"] for entry in entries if "forks" in entry), None):
        depth, entries = depth + 1, forks[0]
    assert depth == FORK_LEVELS
    assert game.unread.startswith(f"変化：{FORK_LEVELS + 2}手\n") and game.unread.count("変化") > 1000
    assert "variation-too-deep" in {issue.code for issue in game.issues}
    assert len(visits(game.record)) > FORK_LEVELS
    assert load(dump(game.record, "kif")).games[0].record == game.record


def test_ten_thousand_forks_side_by_side_are_fine():
    game = load(LONG["forks side by side"]).games[0]
    assert len(game.record["moves"][1]["forks"]) == 10_000


def read(data: bytes | str) -> None:
    """Read anything and write what was read; nothing but a KifuError may come out."""
    try:
        games = load(data).games
    except KifuError:
        return
    for game in games:
        visits(game.record)
        for file_format in ("kif", "ki2", "csa", "jkf"):
            assert dump(game.record, file_format)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_mutated_records_raise_nothing_else(path):
    data = path.read_bytes()
    chance = random.Random(path.name)
    for _ in range(30):
        mutant = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(mutant))
            match chance.randrange(4):
                case 0:
                    mutant[at] = chance.randrange(256)
                case 1:
                    del mutant[at : at + chance.randrange(1, 30)]
                case 2:
                    end = at + chance.randrange(1, 60)
                    mutant[at:at] = mutant[at:end]
                case 3:
                    mutant[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 4)))
            if not mutant:
                mutant = bytearray(b"\n")
        read(bytes(mutant))


KIF_WORDS = """1 2 ７六歩(77) ３四歩(33) 同　銀(31) 同 打 成 (00) (0:01/00:00:01) + 変化： 2手
    まで1手で 先手の勝ち 投了 ▲ △ ７六歩 右 * & # 手合割： 平手 その他 先手の持駒：
    飛二 | ・ v玉 一 後手番 手数---- ： : １ 手数＝3"""
OTHER_WORDS = """PI P1 -KY * P+00FU +7776FU -3334FU +0055KA T1 , %TORYO / ' $A:b
    N+x V2.2 { } "moves": [ ] {} "move": """
WORDS = st.sampled_from([*KIF_WORDS.split(), *OTHER_WORDS.split(), "\n", "\n", "\r", " ", " ", "　", "\0"])


@given(st.lists(WORDS, max_size=60).map("".join))
def test_words_in_any_order_raise_nothing_else(text):
    read(text)


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_raise_nothing_else(data):
    read(data)


KEYS = (
    """header moves move from to x y piece time now m s special forks initial preset data board hands color"""
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4)
    ),
    max_leaves=30,
)


@given(VALUES)
def test_json_of_any_shape_raises_nothing_else(value):
    read(json.dumps({"moves": value, "header": {}}))
    read(json.dumps(value))


@pytest.mark.parametrize("head", ["手合割：平手\n", HEAD + "先手：人\n"])
@pytest.mark.parametrize("line", ["*\n", "#\n"])
def test_very_many_lines_take_little_more_memory_than_their_text(head, line):
    count = 50_000
    tracemalloc.start()
    try:
        game = load((head + line * count + "1 ７六歩(77)\n").encode(), "many.kif").games[-1]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert game.record["moves"]
    assert peak < 100 * count
