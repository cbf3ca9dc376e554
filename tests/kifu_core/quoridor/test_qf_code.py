"""qf_code: the format's worked examples, its test vectors, strictness, canonical forms, random games."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifu_core.errors import DecodeError, KifuError, ParseError
from kifu_core.messages import message
from kifu_core.quoridor import qf_code
from kifu_core.quoridor.board import name, read_name
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfCode, QfState, decode, encode, normalized
from kifu_core.quoridor.qf_object import as_object, check_object, from_object
from tests.cases import each
from tests.kifu_core.quoridor.games import jumps, random_game
from tests.shared import GOLDEN

OWN = Path(__file__).parent / "data" / "codes.jsonl"
LONG = os.environ.get("QUORIDOR_LONG") == "1"
GAMES = 10_000 if LONG else 100
STRINGS = 1_000_000 if LONG else 3_000
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
NAMES = {
    "empty", "too-long", "bad-char", "no-content", "truncated", "pawn-range", "pawn-overlap", "wall-count",
    "wall-conflict", "last-move-wall", "off-board", "illegal-move", "trailing-chars", "nonzero-padding",
}  # fmt: skip
GAME = (
    "e2 e8 e3 e7 e4 e6 d3h e6h f3h c6h h3h e4v e5 d6 e6 d5 c5v d5h f5h a3h h6h d4 f6 c4 g6 c3 b2h d3 d2h e3 "
    "e2v d3 g7 g7h f7v h8h h7 c3 i7 b3 i8 a3 h8 a2 g8 a1"
)
MOVES = {
    "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk": GAME,
    "yzoAAIBQMBJSskqrh5dHVBA": "e4 e6 e3h e6h c3h c6h b5v f5v b3v f3v e5 e4",
    "1DEAGwOwCQBE": "f6",
    "1DEAGwOwCQBc": "d6",
    "1DEAAICQBA": "e7",
    "QBA": "e2",
    "QA": "",
}
REFUSED = [
    ("", "empty"),
    (" =\n", "empty"),
    ("A" * 713, "too-long"),
    ("A", "no-content"),
    ("AAAAAAA", "no-content"),
    ("gkw", "truncated"),
    ("j7oklAHMe1IC", "truncated"),
    ("QTBAQEBAtGqpPsldTasr", "truncated"),
    ("j7oklAHMe1ICgA", "trailing-chars"),
    ("j7oklAHMe1ICh", "nonzero-padding"),
    ("j7ok-_HMe1ICg", "bad-char"),
    ("j7ok=lAHMe1ICg", "bad-char"),
    ("將棋", "bad-char"),
    ("////////////", "pawn-range"),
    ("qMwAAIAQ", "pawn-range"),
    ("lCgAAIAQ", "pawn-overlap"),
    ("gkwVBUAIBQ", "wall-conflict"),
    ("gkwVAFUIBQ", "wall-conflict"),
    ("gkwVAFQIBQ", "wall-conflict"),
    ("gkywAhBkElFoIpAAIMg", "wall-count"),
    ("gkwVAAFUAg", "last-move-wall"),
    ("QBE", "illegal-move"),
    ("QBQ", "off-board"),
]
NOTED = {
    "gkwAAAAQ": ["start-snapshot"],
    "gkwAAIAQ": [],
    "gkwAAIAg": ["parity"],
    "j7olEgHMe1ICg": ["unsorted"],
    "j7oklAHMewAA": [],
}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def fault_of(text: str) -> str | None:
    try:
        decode(text)
    except DecodeError as error:
        return error.code
    return None


def agree(row: dict[str, Any]) -> None:
    """Everything that a vector says: values, the code back, the object back."""
    code = decode(row["qfcode"])
    found = as_object(code)
    assert {field: row[field] for field in found} == found
    assert encode(code) == row["qfcode"]
    again = from_object(row)
    assert encode(again) == row["qfcode"]
    check_object(again, row)


def test_the_worked_examples_and_some_games_read_and_write_as_they_should():
    codes = [row["qfcode"] for row in rows(OWN)]
    assert len(codes) == len(set(codes)) >= 25
    for row in rows(OWN):
        agree(row)


@pytest.mark.parametrize(("text", "moves"), MOVES.items())
def test_the_moves_of_the_worked_examples(text, moves):
    assert " ".join(map(name, decode(text).moves or ())) == moves


@each(("text", "fault"), REFUSED)
def test_a_code_that_is_not_strictly_valid_is_refused_by_name(text, fault):
    assert fault_of(text) == fault


@pytest.mark.parametrize(("text", "codes"), NOTED.items())
def test_what_is_odd_is_noted(text, codes):
    assert [issue.code for issue in decode(text).issues] == codes


def test_every_name_is_tried_and_has_texts():
    assert {fault for _, fault in REFUSED} == NAMES
    for fault in NAMES:
        assert message(fault, language="en") != fault != message(fault)


def test_a_bad_character_is_pointed_at_in_the_text_as_it_was_pasted():
    with pytest.raises(DecodeError) as error:
        decode(" j7 ok-lA")
    assert (error.value.column, error.value.params["char"]) == (7, "-")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("A", 1),
        ("gkw", 3),
        ("j7oklAHMe1ICgA", 14),
        ("j7oklAHMe1ICgAB", 14),
        ("j7oklAHMe1ICh", 13),
        ("j7okl AHMe1 ICh ==", 15),
        ("qMwAAIAQ", 3),
        ("gkwVBUAIBQ", 8),
        ("", None),
    ],
)
def test_the_place_of_a_fault_is_reported(text, column):
    with pytest.raises(DecodeError) as error:
        decode(text)
    assert error.value.column == column


def test_an_error_in_a_record_names_the_ply():
    moves = [read_name(text) for text in ["e2", "e8", "e3h"]]
    text = encode(QfCode(None, tuple(moves)))
    with pytest.raises(DecodeError) as error:
        decode(text[:4])
    assert (error.value.code, error.value.ply, error.value.column) == ("truncated", 3, 4)
    assert encode(QfCode(None, ())) == "QA"


def test_pasted_text_may_have_white_space_and_padding_and_nothing_else():
    assert decode("\t j7okl AHMe\r\n1ICg ==\n") == decode("j7oklAHMe1ICg")
    with pytest.raises(DecodeError) as error:
        decode("j7oklAHMe1ICg=", pasted=False)
    assert error.value.code == "bad-char"
    assert fault_of("j7oklAHMe1ICg\u3000") == "bad-char"
    assert qf_code.drop_strange(" >j7okl\u3000AHM_e1ICg.\n") == ("j7oklAHMe1ICg", 4)


def test_moves_after_a_win_and_walls_that_close_the_last_path_are_noted_once():
    won = QuoridorPosition.of([read_name("e8") & 127, read_name("a5") & 127], [[], []], 0)
    code = QfCode(QfState(won, None, 1), tuple(map(read_name, ["e9", "a4", "d9", "a3"])))
    assert [(issue.code, issue.ply) for issue in decode(encode(code)).issues] == [("after-win", 2)]
    closed = QuoridorPosition.of([4, 76], [[read_name("d1v")], [read_name("e1v")]], 0)
    code = QfCode(QfState(closed, None, 3), tuple(map(read_name, ["d2h", "a5h", "c5h"])))
    assert [(issue.code, issue.ply) for issue in decode(encode(code)).issues] == [("no-path", 1)]


def test_a_snapshot_of_the_start_has_white_to_move_unless_a_record_follows():
    snapshot = normalized(decode("gkwAAAAQ"))
    assert encode(snapshot) == "gkwAAIAQ"
    assert [issue.code for issue in snapshot.issues] == ["start-snapshot"]
    literal = QfCode(QfState(QuoridorPosition([4, 76], [0, 0], [0, 0], 1)), (read_name("e8"),))
    assert normalized(decode(encode(literal))).start().position.turn == 1


def test_a_record_from_the_start_keeps_no_state():
    code = QfCode(QfState(QuoridorPosition.initial()), (read_name("e2"),))
    assert encode(code) != "QBA"
    assert encode(normalized(decode(encode(code)))) == "QBA"
    later = QfCode(QfState(QuoridorPosition.initial(), None, 3), (read_name("e2"),))
    assert normalized(later) == later


def test_an_unsorted_list_is_written_sorted():
    assert encode(decode("j7olEgHMe1ICg")) == "j7oklAHMe1ICg"


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (QfCode(None, None), "no-content"),
        (QfCode(QfState(QuoridorPosition.initial(), None, 1024), None), "turn-range"),
        (QfCode(QfState(QuoridorPosition.initial(), None, -1), None), "turn-range"),
        (QfCode(QfState(QuoridorPosition([4, 81], [0, 0], [0, 0], 0)), None), "pawn-range"),
        (QfCode(QfState(QuoridorPosition([4, 4], [0, 0], [0, 0], 0)), None), "pawn-overlap"),
        (QfCode(QfState(QuoridorPosition([4, 76], [255 | 255 << 10, 0], [0, 0], 0)), None), "wall-count"),
        (QfCode(QfState(QuoridorPosition([4, 76], [1, 0], [0, 1], 0)), None), "wall-conflict"),
        (QfCode(QfState(QuoridorPosition.initial(), 5), None), "last-move-wall"),
        (QfCode(None, (read_name("e3"),)), "illegal-move"),
        (QfCode(None, (read_name("e3h"), read_name("e3v"))), "wall-conflict"),
        (QfCode(None, tuple(map(read_name, ["e2", "e8", "e1", "e9"])) * 256), "too-many-plies"),
    ],
)
def test_what_no_code_can_say_is_refused(code, fault):
    with pytest.raises(KifuError) as error:
        encode(code)
    assert error.value.code == fault


def test_the_longest_code_is_as_long_as_stated():
    position, plies = QuoridorPosition.initial(), tuple(map(read_name, ["e2", "e8", "e1", "e9"])) * 256
    for row in (3, 5):
        for column in "aceg":
            for color, high in ((0, 0), (1, 1)):
                wall = read_name(f"{column}{row + high}h")
                position.side(wall)[color] |= 1 << 10 * (row + high - 1) + "abcdefgh".index(column)
    for color, text in ((0, "h3v"), (1, "h5v"), (0, "a1v"), (1, "a7v")):
        position.vertical[color] |= 1 << 10 * (int(text[1]) - 1) + "abcdefgh".index(text[0])
    assert [position.walls_left(color) for color in (0, 1)] == [0, 0]
    state = QfState(position, read_name("h5v") & 63, 1)
    text = encode(QfCode(state, plies[:1023]))
    assert len(text) == qf_code.LONGEST
    assert decode(text).moves == plies[:1023]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"has_state": 1}, "jkf-type"),
        ({"state": None}, "jkf-type"),
        ({"state": {"white": 4, "black": 76, "to_move": "green", "turn_number": 1}}, "jkf-value"),
        ({"state": {"white": 4, "black": 76, "to_move": "white"}}, "jkf-missing"),
        ({"state": {"white": 4, "to_move": "white", "turn_number": 1}}, "jkf-missing"),
        ({"moves": [{"kind": "pawn", "to": 99}]}, "jkf-value"),
        ({"moves": [{"kind": "wall", "orient": "x", "place": 1}]}, "jkf-value"),
        ({"moves": [{"kind": "wall", "orient": "h", "place": 64}]}, "jkf-value"),
        ({"moves": [{"kind": "jump", "orient": "h", "place": 1}]}, "jkf-value"),
        ({"moves": [{}] * 1024}, "too-many-plies"),
        ({"moves": 5}, "jkf-type"),
    ],
)
def test_an_object_of_another_shape_is_refused(change, fault):
    row = as_object(decode("yzoAAIBQMBJSskqrh5dHVBA")) | change
    with pytest.raises(KifuError) as error:
        encode(from_object(row))
    assert error.value.code == fault


@pytest.mark.parametrize("path", [("moves", 0, "dir"), ("moves", 3, "by"), ("state", "to_move")])
def test_an_object_that_contradicts_itself_is_refused(path):
    row = as_object(decode("yzoAAIBQMBJSskqrh5dHVBA"))
    code, part = from_object(row), row
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = {"dir": 3, "by": "white", "to_move": "black"}[path[-1]]
    with pytest.raises(ParseError):
        check_object(code, row)


def test_random_legal_games_come_back_from_their_codes():
    far = 0
    for seed in range(GAMES):
        game = random_game(seed)
        text = encode(QfCode(None, tuple(game)))
        assert decode(text) == QfCode(None, tuple(game))
        cut = Random(seed).randrange(len(game))
        position, last = QuoridorPosition.initial(), None
        for move in game[:cut]:
            last = None if move & 256 else move & 63
            position.do_move(move)
        code = QfCode(QfState(position, last, cut + 1), tuple(game[cut:]))
        assert decode(encode(code)) == code
        far += jumps(game)
    assert far > GAMES // 4


def damaged(random: Random, codes: list[str]) -> str:
    """A text of the alphabet, or a code with some characters changed, gone or too many."""
    if random.random() < 0.3:
        return "".join(random.choices(ALPHABET, k=random.randrange(40)))
    text = list(random.choice(codes))
    for _ in range(random.randrange(1, 4)):
        place = random.randrange(len(text) + 1)
        text[place : place + random.randrange(3)] = random.choices(ALPHABET + "-_= ", k=random.randrange(3))
    return "".join(text)


def test_no_text_brings_anything_but_a_code_or_a_named_error():
    random = Random(7)
    codes = [row["qfcode"] for row in rows(OWN)] + [
        encode(QfCode(None, tuple(random_game(seed, 40)))) for seed in range(10)
    ]
    found = dict.fromkeys([*NAMES, None], 0)
    for _ in range(STRINGS):
        text = damaged(random, codes)
        fault = fault_of(text)
        found[fault] += 1
        if fault is None:
            code = decode(text)
            again = encode(code)
            assert len(again) == len(qf_code.clean(text))
            assert decode(again).start() == code.start() and decode(again).moves == code.moves
    assert min(count for fault, count in found.items() if fault not in ("too-long", "empty")) > 0, found


@given(st.text(max_size=60))
def test_any_text_is_refused_by_name_or_read(text):
    assert fault_of(text) in NAMES | {None}


@pytest.mark.shared
def test_all_published_vectors():
    count = 0
    for row in rows(GOLDEN / "qf" / "vectors.jsonl"):
        agree(row)
        count += 1
    assert count > 3000


@pytest.mark.shared
def test_all_published_invalid_codes():
    for row in rows(GOLDEN / "qf" / "invalid.jsonl"):
        assert fault_of(row["qfcode"]) == row["error"], row


@pytest.mark.shared
def test_all_published_pairs():
    pairs = json.loads((GOLDEN / "qf" / "published-pairs.json").read_text(encoding="utf-8"))
    for pair in pairs:
        if pair["kind"].startswith("invalid"):
            assert fault_of(pair["code"]) == "no-content"
            continue
        code = decode(pair["code"])
        assert encode(code) == pair["code"]
        if "moves" in pair:
            assert ",".join(map(name, code.moves or ())) == pair["moves"]
        state = pair.get("state", {})
        walls = sorted(wall for field, wall in state.items() if "_" in field for wall in wall)
        placed = [name(wall)[:2] for color in (0, 1) for wall in code.start().position.walls(color)]
        assert not state or walls == sorted(placed)
