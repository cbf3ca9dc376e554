"""The words that tell pieces apart: our own cases, and the answers of json-kifu-format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kifu_core.shogi import moves, rules
from kifu_core.shogi.handicaps import by_preset
from kifu_core.shogi.pieces import BY_CODE, signed
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import BY_USI, square
from tests.cases import each
from tests.shared import GOLDEN


def placed(pieces: str, turn: int = 0) -> Position:
    """A position with Black's pieces given as `G9c S7h`, or White's likewise on the turned board."""
    position = Position([0] * 81, [[0] * 8, [0] * 8], 0)
    letters = {"G": 5, "S": 4, "T": 9, "R": 7, "B": 6, "D": 14, "H": 13, "N": 3, "L": 2}
    for text in pieces.split():
        position.board[BY_USI[text[1:]]] = letters[text[0]]
    return position.turned() if turn else position


# The pieces, where they go, and the word of each piece in the order given. Federation's page on notation.
CASES = [
    ("G9c G7b", "8b", "U M"),
    ("G4c G3a", "3b", "U D"),
    ("G5f G4e", "5e", "U M"),
    ("S8i S7g", "8h", "U D"),
    ("G9b G7b", "8a", "L R"),
    ("S3i S2i", "3h", "C R"),
    ("G6c G5c G4c", "5b", "L C R"),
    ("T7i T8i T9i T9h T8g", "8h", "R C LU M D"),
    ("S2i S1g S3i S3g", "2h", "C R LU LD"),
    ("D9a D8d", "8b", "D U"),
    ("D5e D1e", "3e", "L R"),
    ("D9i D8i", "8h", "L R"),
    ("D2h D1i", "1g", "L R"),
    ("H9i H5i", "7g", "L R"),
    ("H6c H9e", "8e", "D M"),
    ("N4i N6i", "5g", "R L"),
    ("R5a R5i", "5e", "D U"),
    ("R9e R5i", "5e", "M U"),
]


@each("turn", [0, 1])
@each(("pieces", "to", "words"), CASES)
def test_the_fewest_words_are_used_and_understood(pieces, to, words, turn):
    position = placed(pieces, turn)
    target = 80 - BY_USI[to] if turn else BY_USI[to]
    for text, word in zip(pieces.split(), words.split(), strict=True):
        origin = 80 - BY_USI[text[1:]] if turn else BY_USI[text[1:]]
        assert rules.relative(position, moves.pack(origin, target)) == word
        assert rules.resolve(position, abs(position.board[origin]), target, word) == [origin]


def test_a_drop_is_named_only_where_a_piece_could_have_come():
    position = Position.from_sfen("9/9/9/9/9/4G4/9/9/9 b G")
    assert rules.relative(position, moves.from_usi("G*5e")) == "H"
    assert rules.relative(position, moves.from_usi("G*1a")) == ""
    assert rules.resolve(position, 5, BY_USI["5e"], "H") == [moves.DROP + 5]
    assert rules.resolve(position, 5, BY_USI["5e"], "") == [BY_USI["5f"]]
    assert rules.resolve(position, 5, BY_USI["1a"], "") == [moves.DROP + 5]


def test_a_text_that_no_piece_can_play_has_no_source():
    position = Position.from_sfen("9/9/9/9/9/4G4/9/9/9 b -")
    assert rules.resolve(position, 5, BY_USI["1a"], "") == []
    assert rules.resolve(position, 5, BY_USI["5e"], "H") == []
    assert rules.resolve(position, 5, BY_USI["5e"], "D") == []
    assert rules.resolve(position, 14, BY_USI["5e"], "") == []


def test_a_text_without_the_needed_words_is_ambiguous():
    position = placed("G6f G4f")
    assert sorted(rules.resolve(position, 5, BY_USI["5e"], "")) == [BY_USI["6f"], BY_USI["4f"]]
    assert rules.resolve(position, 5, BY_USI["5e"], "M") == []


def test_a_pinned_piece_is_not_meant_where_another_can_move():
    position = Position.from_sfen("4r4/9/9/9/9/9/4G1G2/9/4K4 b -")
    assert rules.resolve(position, 5, BY_USI["4g"], "") == [BY_USI["3g"]]
    assert rules.relative(position, moves.from_usi("3g4g")) == "R"


def golden(name: str) -> list[dict[str, Any]]:
    path = GOLDEN / "jkf" / name
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def from_state(state: dict[str, Any]) -> Position:
    """A JKF state as a position."""
    position = Position([0] * 81, [[0] * 8, [0] * 8], state["color"])
    for file, column in enumerate(state["board"], start=1):
        for rank, cell in enumerate(column, start=1):
            if cell.get("kind"):
                position.board[square(file, rank)] = signed(cell["color"], BY_CODE[cell["kind"]])
    for color in (0, 1):
        for code, count in state["hands"][color].items():
            if code != "undefined":  # the reference's reading of "なし" in KI2
                position.hands[color][BY_CODE[code]] = count
    return position


def packed(move: dict[str, Any]) -> int:
    """A JKF move as a packed one."""
    origin = moves.DROP + BY_CODE[move["piece"]]
    if move.get("from"):
        origin = square(move["from"]["x"], move["from"]["y"])
    return moves.pack(origin, square(move["to"]["x"], move["to"]["y"]), bool(move.get("promote")))


@pytest.mark.shared
def test_the_words_are_those_of_the_reference():
    cases = [case for case in golden("cases.jsonl") if case["format"] == "relative"]
    assert len(cases) >= 50
    for case in cases:
        position, move = from_state(case["input"]["state"]), packed(case["input"]["move"])
        assert rules.relative(position, move) == case["expected"].get("relative", ""), case["name"]


@pytest.mark.shared
def test_the_words_choose_what_the_reference_chooses():
    cases = [case for case in golden("cases.jsonl") if case["format"] == "filter-relative"]
    assert len(cases) >= 50
    for case in cases:
        given = case["input"]
        places = [square(move["from"]["x"], move["from"]["y"]) for move in given["moves"]]
        expected = [square(move["from"]["x"], move["from"]["y"]) for move in case["expected"]]
        to = square(given["moves"][0]["to"]["x"], given["moves"][0]["to"]["y"])
        assert rules.matching(places, to, given["color"], given["relative"]) == expected, case["name"]


def lines(record: dict[str, Any]) -> Iterator[tuple[Position, dict[str, Any]]]:
    """Every position of the main line of a normalized record with the move played in it."""
    initial = record.get("initial") or {"preset": "HIRATE"}
    if initial["preset"] == "OTHER":
        position = from_state(initial["data"])
    else:
        position = Position.from_sfen(by_preset(initial["preset"]).sfen)
    for entry in record["moves"]:
        if "move" in entry:
            yield position, entry["move"]
            position.do_move(packed(entry["move"]))


def records() -> Iterator[tuple[str, dict[str, Any]]]:
    for name in ("random.jsonl", "xformat.jsonl"):
        for row in golden(name):
            for key in ("jkf_kif", "jkf_ki2", "jkf_csa"):
                if isinstance(row.get(key), dict):
                    yield f"{row['name']} {key}", row[key]


@pytest.mark.shared
def test_every_move_of_the_golden_games_has_the_references_word_and_is_found_by_it():
    count = 0
    for name, record in records():
        for position, move in lines(record):
            mover = packed(move)
            assert rules.relative(position, mover) == move.get("relative", ""), (name, position.sfen(), move)
            found = rules.resolve(
                position, BY_CODE[move["piece"]], moves.target(mover), move.get("relative", "")
            )
            assert found == [moves.source(mover)], (name, position.sfen(), move)
            assert rules.is_legal(position, mover), (name, position.sfen(), move)
            count += 1
    assert count > 10_000
