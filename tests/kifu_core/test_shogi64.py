"""Shogi64 codes: the format's worked examples, its test vectors, and strictness."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kifu_core.errors import DecodeError, KifuError
from kifu_core.memo import Memo
from kifu_core.shogi.handicaps import by_preset
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.moves import pack
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves
from tests.cases import each
from tests.kifu_core.plain_keys import (
    ALPHABET,
    Unreadable,
    plain_decode,
    plain_encode,
    random_positions,
    scattered,
)
from tests.shared import GOLDEN

EXAMPLES = {
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -": "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA",
    "4k4/4G4/4P4/9/9/9/9/9/9 b G2r2b2g4s4n4l17p": "gAXbb9ttttttgALAAAAAAAAAAABH__v_94",
    "K8/9/9/9/9/9/9/9/8k b -": "gNHbbbbbbbbYAAAAAAAAAAAAAAAA",
    "K8/9/9/9/9/9/9/9/8k w -": "ANHbbbbbbbbYAAAAAAAAAAAAAAAA",
    "P8/9/9/9/9/9/9/9/9 b -": "6AAAAAAAAAAAAAAAA",
    "P8/9/9/9/9/9/9/9/9 w -": "aAAAAAAAAAAAAAAAA",
    "9/9/9/9/9/9/9/9/p8 b -": "wAAAAAAAAAAAIAAAA",
    "4k4/9/9/9/9/9/9/9/4K4 b 18P": "poXbbbbbbbbYAAAAAAAAAAAAB__8AA",
    "9/9/9/9/9/9/9/9/9 b -": "gADbbbbbbbbYAAAAAAAAAAAAAAAA",
}
STARTS = {
    "HIRATE": "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA",
    "KY": "JoUAACMaqtYOA8AAAAB6Dqc7u95kAAA",
    "KY_R": "JoUAABjVVrEOA8AAAAB6Dqc7u95kAAA",
    "KA": "JoUAACMaqtYhwAAAAAHoOpzu73mQAA",
    "HI": "JoUAACMaqtYgB4AAAAD0HU53d7zIAAA",
    "HIKY": "JoUAACMaqtYAPAAAAAeg6nO7veZAAA",
    "2": "JoUAACMaqtYgAAAAAB6Dqc7u95kAAA",
    "3": "JoUAACMaqtYAAAAAAPQdTnd3vMgAA",
    "4": "JoUAABjVVrAAAAAAB6Dqc7u95kAAA",
    "5": "JoUAAA1VawAAAAAAeg6nO7veZAAA",
    "5_L": "JoUAABjVVoAAAAAAeg6nO7veZAAA",
    "6": "JoUAAA1VaAAAAAAHoOpzu73mQAA",
    "7_L": "JoUAAA1VAAAAAAB6Dqc7u95kAAA",
    "7_R": "JoUAAAVWgAAAAAB6Dqc7u95kAAA",
    "8": "JoUAAAVQAAAAAAeg6nO7veZAAA",
    "10": "JoUAAAAAAAAAAeg6nO7veZAAA",
}
REFUSED = [
    ("", "empty"),
    ("A" * 161, "too-long"),
    ("!" * 161, "too-long"),
    ("8cea6a84w7A-JJJJIAAAALbbba-g7s8-76795yAAA", "noncanonical-mode"),
    ("poUAACMaqtYhwHgAAAAPQdTnd3vMgAB", "nonzero-padding"),
    ("poUAACMaqtYhwHgAAAAPQdTnd3vMgAAA", "trailing-chars"),
    ("poUAACMaqtYhwHgAAAAPQdTnd3vMgAAB", "trailing-chars"),
    ("poUAACMaqtYhwHgAAAAPQdTnd3vMgA", "truncated"),
    ("p", "truncated"),
    ("poU", "truncated"),
    ("w", "truncated"),
    ("poUAACMaqtYhwHgAAAAPQdTnd3vMgA=", "bad-char"),
    ("poUAACMaqtYhwHgAAAAPQdTnd3vMgAA\n", "bad-char"),
    (" poUAACMaqtYhwHgAAAAPQdTnd3vMgAA", "bad-char"),
    ("将棋", "bad-char"),
    ("qQDbbbbbbbbYAAAAAAAAAAAAAAAA", "king-range"),
    ("gIHbbbbbbbbYAAAAAAAAAAAAAAAA", "overlap"),
]


@pytest.mark.parametrize(("sfen", "code"), EXAMPLES.items())
def test_the_formats_worked_examples(sfen, code):
    assert shogi64.encode(Position.from_sfen(sfen)) == code
    assert shogi64.decode(code).sfen(None) == sfen


def test_two_pawns_on_a_file_need_mixed_mode():
    position = Position([0] * 81, [[0] * 8, [0] * 8], 0)
    position.board[20] = position.board[29] = 1
    assert shogi64.encode(position) == "wAACgFAAAAAAAAAAAA"
    assert shogi64.decode("wAACgFAAAAAAAAAAAA") == position


@each(("preset", "code"), STARTS.items())
def test_the_codes_of_the_handicap_starts(preset, code):
    assert shogi64.encode(Position.from_sfen(by_preset(preset).sfen)) == code


@each(("code", "fault"), REFUSED)
def test_a_code_that_is_not_strictly_valid_is_refused_by_name(code, fault):
    with pytest.raises(DecodeError) as error:
        shogi64.decode(code)
    assert error.value.code == fault


def test_what_is_no_text_is_refused_as_empty():
    with pytest.raises(DecodeError) as error:
        shogi64.decode(None)
    assert error.value.code == "empty"


def test_a_bad_character_is_pointed_at():
    with pytest.raises(DecodeError) as error:
        shogi64.decode("poUA+CM")
    assert (error.value.column, error.value.params["char"]) == (5, "+")


def test_the_longest_codes_are_as_long_as_stated():
    full = [0, 18, 4, 4, 4, 4, 2, 2]
    normal, mixed = Position([-10] * 81, [full, full], 0), Position([-10] * 81, [full, full], 0)
    mixed.board[0] = 1  # a pawn on the last rank
    assert len(shogi64.encode(mixed)) == shogi64.LONGEST
    for position in (normal, mixed):
        assert shogi64.decode(shogi64.encode(position)) == position


@pytest.mark.parametrize("count", [-1, 19, 99])
def test_a_count_without_a_code_cannot_be_encoded(count):
    position = Position.initial()
    position.hands[1][1] = count
    with pytest.raises(KifuError) as error:
        shogi64.encode(position)
    assert error.value.code == "unencodable"


@pytest.mark.parametrize("piece", [15, -15, 100, None, "K"])
def test_a_piece_that_does_not_exist_cannot_be_encoded(piece):
    for row in ([0] * 8, [1] * 8, [8] + [0] * 7):
        position = Position([*row, piece] + [0] * 72, [[0] * 8, [0] * 8], 0)
        with pytest.raises(KifuError) as error:
            shogi64.encode(position)
        assert error.value.code == "unencodable"


def test_a_board_of_another_size_cannot_be_encoded():
    with pytest.raises(KifuError) as error:
        shogi64.encode(Position([0] * 80, [[0] * 8, [0] * 8], 0))
    assert error.value.code == "unencodable"


POSITIONS = st.one_of(
    st.integers(0, 2**32).map(scattered),
    st.integers(0, 50).flatmap(lambda seed: st.sampled_from(list(random_positions(seed)))),
)


@given(POSITIONS)
def test_a_code_is_what_the_description_says_and_reads_back(position):
    code = shogi64.encode(position)
    assert code == plain_encode(position)
    assert shogi64.decode(code) == position


@given(POSITIONS, st.integers(0, 3))
def test_an_encoder_gives_the_code_of_every_orientation(position, orientation):
    assert shogi64.Encoder(position).code(orientation) == plain_encode(position.oriented(orientation))


@st.composite
def codes(draw: st.DrawFn) -> str:
    """Codes, whole or damaged, and texts that are none."""
    if draw(st.booleans()):
        return draw(st.text(ALPHABET, max_size=60))
    code = list(shogi64.encode(draw(POSITIONS)))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(code)))
        code[place : place + draw(st.integers(0, 2))] = draw(st.text(ALPHABET, max_size=2))
    return "".join(code)


@given(codes())
@example("8cea6a84w7A-JJJJIAAAALbbba-g7s8-76795yAAA")
@example("poUAACMaqtYhwHgAAAAPQdTnd3vMgAB")
def test_a_text_is_accepted_exactly_if_encoding_what_it_says_gives_it_again(code):
    try:
        canonical = plain_encode(plain_decode(code)) == code
    except Unreadable:
        canonical = False
    try:
        shogi64.decode(code)
    except DecodeError:
        assert not canonical
    else:
        assert canonical


@given(st.integers(0, 2**32).map(scattered), st.data())
def test_an_encoder_follows_moves_and_their_taking_back(position, data):
    encoder = shogi64.Encoder(position)
    done = []
    for _ in range(6):
        moves = [move for move in legal_moves(position) if position.hands[position.turn][1] < 18]
        if not moves:
            break
        move = data.draw(st.sampled_from(moves))
        captured = position.do_move(move)
        if shogi64_refuses(position):
            position.undo_move(move, captured)
            break
        encoder.follow(move, captured)
        done.append((move, captured))
        assert encoder.code() == plain_encode(position)
    for move, captured in reversed(done):
        position.undo_move(move, captured)
        encoder.follow(move, captured)
        assert encoder.code() == plain_encode(position)


def shogi64_refuses(position: Position) -> bool:
    """Whether a hand has come to hold more than a full set."""
    limits = [0, 18, 4, 4, 4, 4, 2, 2]
    return any(count > limit for hand in position.hands for count, limit in zip(hand, limits, strict=True))


def test_an_encoder_refuses_what_a_capture_makes_of_a_hand():
    position = Position.from_sfen("9/9/9/9/4r4/4G4/9/9/9 b 2R")
    encoder = shogi64.Encoder(position)
    move = pack(49, 40)
    with pytest.raises(KifuError) as error:
        encoder.follow(move, position.do_move(move))
    assert error.value.code == "unencodable"


def test_a_full_cache_of_files_and_hands_changes_nothing(monkeypatch):
    monkeypatch.setattr(Memo, "LIMIT", 5)
    for seed in range(20):
        position = scattered(seed)
        assert shogi64.encode(position) == plain_encode(position)


def golden(name: str) -> Iterator[dict[str, str]]:
    with (GOLDEN / "shogi64" / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.mark.shared
def test_all_published_vectors():
    count = 0
    for row in golden("vectors.jsonl"):
        position = Position.from_sfen(row["sfen"])
        assert shogi64.encode(position) == row["robust_code"]
        assert shogi64.decode(row["robust_code"]).sfen() == row["sfen"]
        count += 1
    assert count > 5000


@pytest.mark.shared
def test_all_published_invalid_codes():
    for row in golden("invalid.jsonl"):
        with pytest.raises(DecodeError) as error:
            shogi64.decode(row["code"])
        assert error.value.code == row["error"], row
