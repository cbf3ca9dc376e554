"""Four small JKF records, of the kinds that the format's introduction shows, in and out of every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kifu_core import dump, load, normalize
from kifu_core.shogi.formats import FORMATS, losses
from kifu_core.shogi.replay import start
from tests.cases import each

FOLDER = Path(__file__).parents[1] / "data" / "jkf"
EXAMPLES = ("plain", "variation", "handicap", "own_start")


def text(name: str) -> str:
    return (FOLDER / f"example_{name}.jkf").read_text(encoding="utf-8")


def moves(record) -> list[tuple]:
    """What is played, main line and variations, and how it ends."""
    return [
        (entry.get("move"), entry.get("special"), [moves({"moves": fork}) for fork in entry.get("forks", [])])
        for entry in record["moves"]
        if entry.keys() - {"comments", "time"}
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_complete_already_or_is_completed(name):
    raw = json.loads(text(name))
    game = load(text(name)).games[0]
    assert game.issues == ()
    assert game.record == normalize(raw)
    assert normalize(game.record) == game.record


@each("file_format", FORMATS)
@each("name", EXAMPLES)
def test_an_example_survives_every_format_up_to_what_it_loses(name, file_format):
    game = load(text(name)).games[0]
    lost = {issue.code for issue in losses(game, file_format)}
    again = load(dump(game.record, file_format), f"x.{file_format}").games[0].record
    assert start(again) == start(game.record)
    if not lost & {"lost-forks", "lost-moves", "lost-ending"}:
        assert moves(again) == moves(game.record)
    if "lost-headers" not in lost:
        assert game.record["header"].items() <= again["header"].items()


def test_the_plain_example_fills_in_what_is_left_out():
    record = load(text("plain")).games[0].record
    assert record["moves"][3]["move"]["capture"] == "KA"
    assert record["moves"][3]["move"]["promote"] is True
    assert record["moves"][4]["move"]["same"] is True


def test_the_variation_hangs_on_the_move_it_replaces():
    record = load(text("variation")).games[0].record
    assert [len(fork) for fork in record["moves"][3]["forks"]] == [3]
    assert record["moves"][2]["comments"] == ["ここから二つの道がある", "角を換えるのが変化"]


def test_in_the_handicap_example_white_begins():
    record = load(text("handicap")).games[0].record
    assert [entry["move"]["color"] for entry in record["moves"][1:]] == [1, 0, 1]


def test_the_own_start_lacks_a_pawn():
    record = load(text("own_start")).games[0].record
    assert start(record).sfen() == "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPP1P/1B5R1/LNSGKGSNL b - 1"
