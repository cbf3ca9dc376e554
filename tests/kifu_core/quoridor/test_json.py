"""Quoridor's own JSON: what it may leave out, what is refused."""

from __future__ import annotations

import json

import pytest

from kifu_core import games
from kifu_core.quoridor import formats
from kifu_core.quoridor.formats import losses
from tests.cases import each
from tests.kifu_core.quoridor.reading import codes, one


def test_a_record_may_leave_out_what_replaying_finds():
    raw = {"game": "quoridor", "version": 1, "moves": [{"move": {"to": "e2"}}, {"move": {"wall": "e3h"}}, {}]}
    game = one(json.dumps(raw))
    assert game.record["moves"] == [
        {},
        {"move": {"color": 0, "from": "e1", "to": "e2"}},
        {"move": {"color": 1, "wall": "e3h"}},
    ]
    assert (game.record["header"], game.record["initial"]) == ({}, {"preset": "START"})


def test_json_from_before_the_first_release_calls_its_game_kind():
    game = one('{"kind": "quoridor", "version": 1, "moves": [{}, {"move": {"to": "e2"}}]}')
    assert game.record["game"] == "quoridor" and "kind" not in game.record


@each(
    ("change", "code", "path"),
    [
        ({"game": "chess"}, "jkf-value", "$.game"),
        ({"version": 2}, "jkf-value", "$.version"),
        ({"moves": None}, "jkf-missing", "$.moves"),
        ({"moves": [{"move": {}}]}, "jkf-missing", "$.moves[0].move.to"),
        ({"moves": [{"move": {"to": "e10"}}]}, "jkf-value", "$.moves[0].move.to"),
        ({"moves": [{"move": {"to": "e3h"}}]}, "jkf-value", "$.moves[0].move.to"),
        ({"moves": [{"move": {"wall": "e3"}}]}, "jkf-value", "$.moves[0].move.wall"),
        ({"moves": [{"move": {"wall": "e3h", "to": "e2"}}]}, "jkf-missing", "$.moves[0].move.to"),
        ({"moves": [{"move": {"to": "e2", "color": 2}}]}, "jkf-value", "$.moves[0].move.color"),
        ({"initial": {"preset": "HIRATE"}}, "jkf-value", "$.initial.preset"),
        ({"initial": {"preset": "OTHER"}}, "jkf-missing", "$.initial.data"),
        ({"initial": {"preset": "OTHER", "data": {"pawns": ["e1"]}}}, "jkf-value", "$.initial.data.pawns"),
    ],
)
def test_json_of_another_shape_is_refused_with_its_path(change, code, path):
    record = {"game": "quoridor", "version": 1, "moves": [{}]} | change
    result = games.QUORIDOR.formats.load_source(
        *games.open_source(json.dumps([record, {"game": "quoridor"}]))
    )
    assert result.games == ()
    assert (result.issues[0].code, result.issues[0].params["path"]) == (code, path)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"pawns": ["e1", "e1"]}, "pawn-overlap"),
        ({"pawns": ["e1", "e3h"]}, "bad-quoridor-move"),
        ({"walls": [["e3h", "e3v"], []]}, "wall-conflict"),
        ({"walls": [["e3"], []]}, "bad-quoridor-move"),
        ({"walls": [[f"{x}{y}h" for x in "aceg" for y in "123"], []]}, "wall-count"),
        ({"last": "e3h"}, "last-move-wall"),
        ({"turn": 1024}, "turn-range"),
    ],
)
def test_a_start_that_cannot_be_is_refused_by_name(change, code):
    data = {"color": 0, "pawns": ["e1", "e9"], "walls": [[], []], "turn": 1} | change
    record = {"game": "quoridor", "version": 1, "moves": [{}], "initial": {"preset": "OTHER", "data": data}}
    result = formats.load(json.dumps(record))
    assert result.games == () and codes(result) == [code]


def test_moves_that_contradict_the_board_are_noted():
    moves = [
        {},
        {"move": {"color": 1, "from": "d1", "to": "e2"}, "time": {"now": {"m": 0, "s": 5}}},
        {"special": "SOMETHING"},
    ]
    game = one(json.dumps({"game": "quoridor", "version": 1, "moves": moves}))
    assert codes(game) == ["side-mark", "from-mismatch", "unknown-ending"]
    assert game.record["moves"][1]["time"] == {"now": {"m": 0, "s": 5}}
    assert (game.ending.word, game.ending.special) == ("SOMETHING", None)
    assert [issue.code for issue in losses(game, "json")] == ["lost-ending"]
