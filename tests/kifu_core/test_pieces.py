"""The tables of pieces, squares and named starts."""

from __future__ import annotations

import pytest

from kifu_core import dump, load
from kifu_core.shogi import handicaps, pieces, squares
from kifu_core.shogi.position import Position
from tests.cases import each

# The names of the JKF presets in its schema, and what White leaves off (squares), in the same order.
PRESETS = {
    "HIRATE": ("平手", ""),
    "KY": ("香落ち", "1a"),
    "KY_R": ("右香落ち", "9a"),
    "KA": ("角落ち", "2b"),
    "HI": ("飛車落ち", "8b"),
    "HIKY": ("飛香落ち", "8b 1a"),
    "2": ("二枚落ち", "8b 2b"),
    "3": ("三枚落ち", "8b 2b 1a"),
    "4": ("四枚落ち", "8b 2b 1a 9a"),
    "5": ("五枚落ち", "8b 2b 1a 9a 8a"),
    "5_L": ("左五枚落ち", "8b 2b 1a 9a 2a"),
    "6": ("六枚落ち", "8b 2b 1a 9a 8a 2a"),
    "7_L": ("左七枚落ち", "8b 2b 1a 9a 8a 2a 3a"),
    "7_R": ("右七枚落ち", "8b 2b 1a 9a 8a 2a 7a"),
    "8": ("八枚落ち", "8b 2b 1a 9a 8a 2a 3a 7a"),
    "10": ("十枚落ち", "8b 2b 1a 9a 8a 2a 3a 7a 4a 6a"),
}


def test_every_name_of_a_piece_leads_back_to_it():
    for kind in pieces.KINDS:
        assert pieces.BY_CODE[pieces.CODES[kind.value]] == kind.value
        assert pieces.BY_LETTER[pieces.LETTERS[kind.value]] == kind.value
        assert pieces.BY_NAME[pieces.NAMES[kind.value]] == kind.value
        assert pieces.BY_NAME[pieces.KANJI[kind.value]] == kind.value


def test_no_two_pieces_share_a_name():
    names = [name for kind in pieces.KINDS for name in {kind.kanji, kind.name, *kind.aliases}]
    assert len(names) == len(set(names)) == len(pieces.BY_NAME)


def test_the_signed_tables_treat_both_colours_alike():
    for value in range(1, 15):
        assert pieces.PROMOTED[-value] == -pieces.PROMOTED[value]
        assert pieces.UNPROMOTED[-value] == -pieces.UNPROMOTED[value]
        assert pieces.IN_HAND[-value] == pieces.IN_HAND[value]
        assert pieces.CAN_PROMOTE[-value] == pieces.CAN_PROMOTE[value]


def test_promotion_and_its_undoing_are_inverse():
    promotable = [value for value in range(1, 15) if pieces.CAN_PROMOTE[value]]
    assert [pieces.CODES[value] for value in promotable] == ["FU", "KY", "KE", "GI", "KA", "HI"]
    assert all(pieces.UNPROMOTED[pieces.PROMOTED[value]] == value for value in promotable)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("王", "OU"),
        ("玉", "OU"),
        ("竜", "RY"),
        ("龍", "RY"),
        ("全", "NG"),
        ("成銀", "NG"),
        ("圭", "NK"),
        ("杏", "NY"),
    ],
)
def test_a_piece_is_known_under_its_other_spellings(name, code):
    assert pieces.CODES[pieces.BY_NAME[name]] == code


def test_the_names_of_squares_lead_back_to_them():
    for square in squares.SQUARES:
        assert squares.square(squares.FILES[square], squares.RANKS[square]) == square
        assert squares.BY_CSA[squares.CSA[square]] == square
        assert squares.BY_USI[squares.USI[square]] == square
        assert squares.BY_JAPANESE[squares.JAPANESE[square]] == square


def test_squares_are_numbered_in_the_reading_order_of_an_sfen():
    assert [squares.USI[square] for square in (0, 8, 9, 40, 72, 80)] == ["9a", "1a", "9b", "5e", "9i", "1i"]
    assert squares.JAPANESE[47] == "７六"


@pytest.mark.parametrize("text", ["７六", "76", "7六", "７６", "七六"])
def test_a_square_is_read_in_any_mixture_of_digits(text):
    assert squares.BY_JAPANESE[text] == squares.BY_USI["7f"]


def test_a_square_outside_the_board_is_refused():
    for file, rank in ((0, 5), (10, 5), (5, 0), (5, 10)):
        with pytest.raises(ValueError, match="no square"):
            squares.square(file, rank)


def test_mirror_and_turn_move_the_squares():
    usi = squares.USI
    assert [usi[squares.MIRRORED[squares.BY_USI[name]]] for name in ("9a", "5e", "2h")] == ["1a", "5e", "8h"]
    assert [usi[squares.TURNED[squares.BY_USI[name]]] for name in ("9a", "5e", "2h")] == ["1i", "5e", "8b"]
    assert all(squares.MIRRORED[squares.MIRRORED[square]] == square for square in squares.SQUARES)


def test_the_presets_are_those_of_jkf():
    assert tuple(PRESETS) == handicaps.PRESETS
    assert [handicaps.by_preset(preset).name for preset in PRESETS] == [name for name, _ in PRESETS.values()]


@each("preset", PRESETS)
def test_a_preset_lacks_the_pieces_its_name_says(preset):
    even = Position.initial()
    for square in PRESETS[preset][1].split():
        even.board[squares.BY_USI[square]] = 0
    even.turn = 0 if preset == "HIRATE" else 1
    assert Position.from_sfen(handicaps.by_preset(preset).sfen) == even


def test_a_named_start_is_found_by_name_and_by_position():
    for handicap in handicaps.HANDICAPS:
        assert Position.from_sfen(handicap.sfen).sfen(None) == handicap.sfen
        assert handicaps.by_sfen(handicap.sfen) is handicap
        for name in (handicap.name, *handicap.aliases):
            assert handicaps.by_name(name) is handicap


@each(
    ("name", "preset"),
    [
        ("平手　　", "HIRATE"),
        ("香落", "KY"),
        ("飛落ち", "HI"),
        ("6枚落ち", "6"),
        ("１０枚落ち", "10"),
        ("トンボ", "OTHER"),
        ("１９枚落", "OTHER"),
        ("ﾄﾝﾎﾞ＋桂香", "OTHER"),
        ("五枚落ち左桂", "5_L"),
        ("七枚落ち右銀", "7_R"),
        ("平手（非レート）", "HIRATE"),
        ("平手(レート)", "HIRATE"),
        ("【平手】", "HIRATE"),
        ("平手戦", "HIRATE"),
        ("本将棋", "HIRATE"),
        ("定先", "HIRATE"),
        ("二枚落ち (2-piece)", "2"),
        ("飞车落", "HI"),
        ("飞香落", "HIKY"),
        ("两枚落", "2"),
        ("香オチ", "KY"),
        ("角落とし", "KA"),
    ],
)
def test_a_handicap_is_known_under_other_spellings(name, preset):
    found = handicaps.by_name(name)
    assert found is not None
    assert found.preset == preset


@pytest.mark.parametrize(
    ("name", "sfen"),
    [
        ("十九枚落ち", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -"),
        ("裸玉", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -"),
        ("トンボ＋香", "l3k3l/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -"),
        ("香得", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w L"),
        ("二枚持ち", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB"),
        ("両香落ち", "1nsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -"),
        ("左九枚落ち", "3gk4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -"),
    ],
)
def test_starts_beyond_the_presets_have_their_positions(name, sfen):
    found = handicaps.by_name(name)
    assert found is not None and (found.preset, found.sfen) == ("OTHER", sfen)
    game = load(f"手合割：{name}\n手数----指手--\n   1 ５二玉(51)\n").games[0]
    assert (game.record["initial"]["preset"], game.issues) == ("OTHER", ())
    for file_format in ("kif", "ki2", "csa", "usi"):
        again = load(dump(game.record, file_format)).games[0]
        assert again.record["initial"] == game.record["initial"]


@pytest.mark.parametrize(
    "name",
    ["", "七枚落ち", "九枚落ち", "20枚落ち", "詰将棋", "5五将棋", "その他", "対局", "落ち", "平手" * 50],
)
def test_an_unknown_handicap_is_not_guessed(name):
    assert handicaps.by_name(name) is None


def test_three_pieces_with_the_other_lance_is_no_preset():
    assert handicaps.by_sfen("1nsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -") is None
