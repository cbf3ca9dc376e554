"""Positions packed into 32 bytes: what was packed comes back, and nothing else is taken for it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from kifu_core import KifuError, dump, load
from kifu_core.errors import DecodeError
from kifu_core.messages import message
from kifu_core.shogi.binary import binary_format
from kifu_core.shogi.evaluations import evaluations
from kifu_core.shogi.formats import packed as files
from kifu_core.shogi.handicaps import HANDICAPS
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.packed import ENTRIES, Packing, decode, encode, encoded_move, move_of
from kifu_core.shogi.position import Position
from kifu_core.shogi.rules import legal_moves
from tests.kifu_core.packing import entry

BOTH: tuple[Packing, ...] = ("hcpe", "psv")


def walks(games: int, plies: int) -> Iterator[tuple[Position, int]]:
    """Positions of random games, each with a legal move."""
    chance = random.Random(7)
    for _ in range(games):
        position = Position.initial()
        for _ in range(plies):
            moves = legal_moves(position)
            if not moves:
                break
            move = chance.choice(moves)
            yield position, move
            position.do_move(move)


@pytest.mark.parametrize("packing", BOTH)
def test_what_is_packed_comes_back(packing):
    count = 0
    for position, move in walks(8, 150):
        data = entry(position, packing, score=0, move=move, result=0)
        assert decode(data[:32], packing) == position
        assert to_usi(move_of(ENTRIES[packing].unpack(data)[2], packing)) == to_usi(move)
        count += 1
    assert count > 900


@pytest.mark.parametrize(
    ("packing", "bits"),
    [
        ("hcpe", "0001101000100101100100101000010000110000111010111110101010000100"),
        ("psv", "0001101000100101100010100100010000110000110101111110011001000100"),
    ],
)
def test_the_usual_start_begins_as_cshogi_writes_it(packing, bits):
    data = encode(Position.initial(), packing)
    assert "".join(str(byte >> bit & 1) for byte in data for bit in range(8)).startswith(bits)


BOXED = {
    "hcpe": {
        "P": "010", "L": "10010", "N": "11010", "S": "10110", "G": "10111", "B": "1111000", "R": "1111010",
    },
    "psv": {
        "P": "010", "L": "10010", "N": "10110", "S": "11010", "G": "11011", "B": "1111010", "R": "1111110",
    },
}  # fmt: skip
"""The last bits of a position that lacks one piece, as cshogi writes them."""


@pytest.mark.parametrize("packing", BOTH)
@pytest.mark.parametrize("letter", "PLNSGBR")
def test_a_missing_piece_is_in_the_box(packing, letter):
    hand = dict(zip("PLNSGBR", (18, 4, 4, 4, 4, 2, 2), strict=True))
    hand[letter] -= 1
    text = "".join(f"{count if count > 1 else ''}{kind}" for kind, count in hand.items())
    position = Position.from_sfen(f"4k4/9/9/9/9/9/9/9/4K4 b {text}")
    data = encode(position, packing)
    bits = "".join(str(byte >> bit & 1) for byte in data for bit in range(8))
    assert bits.endswith(BOXED[packing][letter])
    assert decode(data, packing) == position


@pytest.mark.parametrize("packing", BOTH)
@pytest.mark.parametrize("handicap", HANDICAPS, ids=lambda one: one.preset)
def test_handicaps_come_back(packing, handicap):
    position = Position.from_sfen(handicap.sfen)
    assert decode(encode(position, packing), packing) == position


@pytest.mark.parametrize("packing", BOTH)
@pytest.mark.parametrize(
    "sfen", ["9/9/9/9/9/9/9/9/4K4 b -", "4k4/9/9/9/9/9/9/9/3KK4 b -", "4k4/9/9/9/9/9/9/9/4K4 b 19P"]
)
def test_a_position_that_has_no_bytes_is_refused(packing, sfen):
    with pytest.raises(KifuError, match="unencodable"):
        encode(Position.from_sfen(sfen), packing)


def test_moves_as_the_engines_number_them():
    assert encoded_move(from_usi("7g7f"), "hcpe") == 60 << 7 | 59 == encoded_move(from_usi("7g7f"), "psv")
    assert move_of(81 << 7 | 40, "hcpe") == from_usi("P*5e")
    assert move_of(1 << 14 | 7 << 7 | 40, "psv") == from_usi("G*5e")
    assert move_of(1 << 15 | 60 << 7 | 59, "psv") == from_usi("7g7f+")
    for number in (127, 81, 90 << 7, 127 << 7 | 1, 5 << 7 | 5, 0):
        assert move_of(number, "hcpe") == 0


# --- files -----------------------------------------------------------------------------------------------


def made(packing: Packing, count: int = 3) -> tuple[bytes, list[str]]:
    """A file of a few positions, and these as SFEN."""
    data, sfens = b"", []
    for number, (position, move) in enumerate(walks(1, count)):
        result = (1, 2, 0)[number % 3] if packing == "hcpe" else (1, -1, 0)[number % 3]
        data += entry(position, packing, score=100 + number, move=move, result=result, ply=number + 1)
        sfens.append(position.sfen(None))
    return data, sfens


@pytest.mark.parametrize("packing", BOTH)
def test_a_file_of_positions_is_read_with_its_scores(packing):
    data, sfens = made(packing)
    result = load(data, f"train.{packing}")
    assert (result.format, result.encoding, result.issues) == (packing, "binary", ())
    assert [dump(game.record, "sfen").rsplit(" ", 1)[0] for game in result.games] == sfens
    assert {game.record_kind for game in result.games} == {"position"}
    scores = [one for game in result.games for one in evaluations(game.record)]
    assert [(one.ply, one.score) for one in scores] == [(0, 100), (0, -101), (0, 102)]
    assert [len(one.moves) for one in scores] == [1, 1, 1]
    last_comments = [game.record["moves"][0]["comments"][-1] for game in result.games]
    assert last_comments == [
        "対局結果=先手の勝ち",
        f"対局結果={'後手' if packing == 'hcpe' else '先手'}の勝ち",
        "対局結果=引き分け",
    ]


def test_a_file_called_bin_is_what_its_bytes_are():
    assert load(made("psv")[0], "shuffled.bin").format == "psv"
    assert load(made("hcpe")[0], "teacher.bin").format == "hcpe"


@pytest.mark.parametrize("packing", BOTH)
def test_a_file_that_is_cut_keeps_its_whole_positions(packing):
    data, _ = made(packing)
    result = load(data[:-5], f"train.{packing}")
    assert len(result.games) == 2
    assert [(one.code, one.params["count"]) for one in result.issues] == [
        ("packed-rest", ENTRIES[packing].size - 5)
    ]


@pytest.mark.parametrize("packing", BOTH)
def test_a_position_that_cannot_be_read_is_told_by_its_number(packing):
    data, _ = made(packing, 8)
    size = ENTRIES[packing].size
    result = load(data[: 5 * size] + b"\xff" * size + data[6 * size :], f"train.{packing}")
    assert len(result.games) == 7
    assert [(one.code, one.params["number"]) for one in result.issues] == [("packed-position", 6)]
    assert message(result.issues[0])


def test_a_best_move_that_cannot_be_played_is_no_line():
    data = entry(Position.initial(), "hcpe", score=1, move=from_usi("5e5d"), result=0)
    (game,) = load(data, "a.hcpe").games
    assert [issue.code for issue in game.issues] == ["packed-move"]
    assert game.record["moves"][0]["comments"] == ["#評価値=1", "対局結果=引き分け"]


def test_no_more_than_so_many_positions_are_read(monkeypatch):
    monkeypatch.setattr(files, "MOST", 2)
    result = load(made("psv", 5)[0], "a.psv")
    assert len(result.games) == 2
    assert [(one.code, one.params["limit"]) for one in result.issues] == [("too-many-games", 2)]


def test_only_names_of_such_files_and_valid_positions_are_taken_for_them():
    data, _ = made("psv")
    assert binary_format(data[:160], "a.kif") is None
    assert binary_format(b"V2.2\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n-8384FU\n", "a.bin") is None
    assert binary_format(data[:20], "a.psv") is None
    assert load("V2.2\nPI\n+\n+7776FU\n", "a.bin").format == "csa"


@pytest.mark.parametrize("packing", BOTH)
def test_any_bytes_are_a_position_or_refused(packing):
    chance, good = random.Random(3), made(packing)[0]
    for _ in range(3_000):
        data = bytearray(good[: ENTRIES[packing].size])
        for _ in range(chance.randint(1, 12)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            position = decode(bytes(data[:32]), packing)
        except DecodeError as error:
            assert error.code == "packed-position"
        else:
            assert sum(map(bool, position.board)) + sum(map(sum, position.hands)) <= 40
        try:
            load(bytes(data) * 2, f"x.{packing}")
        except KifuError as error:
            assert message(error)
