"""Patterns in words, and what they become with the move that is played next."""

from __future__ import annotations

import pytest

from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.notation import lone_move_label
from kifu_core.shogi.patterns import followed_by, parse, text_of
from kifu_core.shogi.patterns.words import gap_words, pattern_words, step_words
from kifu_core.shogi.pieces import BY_CODE
from tests.cases import each


@each(
    ("text", "japanese", "english"),
    [
        ("K9i L9h", ["９九 玉、９八 香"], ["9i king, 9h lance"]),
        ("{G,S}7h", ["７八 銀か金"], ["7h silver or gold"]),
        ("!p5e", ["５五 相手の歩以外"], ["5e anything but opponent's pawn"]),
        ("-5e", ["５五 空き"], ["5e nothing"]),
        ("X5e x5f", ["５六 相手の駒、５五 自分の駒"], ["5f a piece of the opponent, 5e a piece of yours"]),
        (
            "hand:B,P>=2,r=0",
            ["持駒：相手の飛なし、歩2枚以上、角1枚以上"],
            ["In hand: no opponent's rook, pawn 2 or more, bishop 1 or more"],
        ),
        (
            "board:P<=3,G=2,S>=1,S<=2",
            ["盤上：歩3枚以下、銀1〜2枚、金2枚"],
            ["On the board: pawn 3 at most, silver 1 to 2, gold 2"],
        ),
        ("turn:own ply:5", ["自分の手番", "5手目"], ["Your turn", "At move 5"]),
        ("turn:enemy ply:5..", ["相手の手番", "5手目以降"], ["Opponent's turn", "From move 5 on"]),
        ("ply:..9", ["9手目まで"], ["Up to move 9"]),
        ("K9i ply:5..9 kept:3", ["９九 玉", "5〜9手目", "その後3手続く"], None),
        ("K9i kept:1", ["９九 玉", "その後1手続く"], ["9i king", "Stays for 1 more move"]),
    ],
)
def test_a_step_is_described_in_words(text, japanese, english):
    (step,) = parse(text).steps
    assert step_words(step, "ja") == japanese
    assert english is None or step_words(step, "en") == english


@pytest.mark.parametrize(
    "text",
    [
        "hand:p<=3,r=0,P>=2,B board:S>=1,S<=2,G=2,+P",
        "turn:own ply:5 kept:1",
        "turn:enemy ply:5.. kept:12",
        "ply:..9 then ply:5..9 then<=1 turn:own then<=20 kept:3",
        "turn:own own:black mirror:yes line:main",
        "turn:own own:white",
    ],
)
def test_japanese_descriptions_of_conditions_can_be_parsed(text):
    pattern = parse(text)
    gaps = ["", *(gap_words(gap, "ja") for gap in pattern.gaps)]
    sentences = [
        line for gap, step in zip(gaps, pattern.steps, strict=True) for line in (gap, *step_words(step, "ja"))
    ]
    whole = pattern_words(pattern, "ja").removeprefix("先手・後手どちらでも").split(" · ")
    assert parse(" ".join([*sentences, *whole])) == pattern


def test_words_say_when_a_step_follows_and_which_side_is_own():
    assert [gap_words(gap, "en") for gap in (None, 20)] == ["Later", "Within 20 moves"]
    assert [gap_words(1, language) for language in ("en", "ja")] == ["One move later", "1手後"]
    assert pattern_words(parse("K9i"), "ja") == "先手・後手どちらでも"
    sentences = pattern_words(parse("K9i own:white mirror:yes line:main"), "en")
    assert sentences == "For White only · Mirror images, too · Not in variations"


@pytest.mark.parametrize(
    ("text", "move", "piece", "own", "found"),
    [
        ("K9i L9h", "7g7f", "FU", True, "P7g L9h K9i turn:own then<=1 P7f -7g"),
        ("P7f", "3c3d", "FU", False, "p3c P7f turn:enemy then<=1 -3c p3d"),
        ("P7f mirror:yes", "8h2b+", "KA", True, "P7f B8h turn:own then<=1 +B2b -8h mirror:yes"),
        ("hand:P>=2", "P*5e", "FU", True, "-5e hand:P>=2 turn:own then<=1 P5e"),
        ("P7f", "B*5e", "KA", False, "-5e P7f hand:b turn:enemy then<=1 b5e"),
    ],
)
def test_with_the_next_move_a_pattern_is_another_one(text, move, piece, own, found):
    after = followed_by(parse(text), from_usi(move), BY_CODE[piece], own)
    assert after is not None and text_of(after) == found
    assert parse(found) == after


@pytest.mark.parametrize(
    ("text", "move", "own"),
    [
        ("K9i kept:3", "7g7f", True),
        ("K9i then K8h", "7g7f", True),
        ("K9i turn:enemy", "7g7f", True),
        ("S7g", "7g7f", True),
        ("hand:P=0", "P*5e", True),
    ],
)
def test_where_no_pattern_says_it_there_is_none(text, move, own):
    assert followed_by(parse(text), from_usi(move), BY_CODE["FU"], own) is None


def test_a_move_has_its_own_words():
    assert lone_move_label(from_usi("8h3c"), BY_CODE["KA"], 0, "ja") == "▲３三角不成"
    assert lone_move_label(from_usi("7g7f"), BY_CODE["FU"], 0, "en") == "▲P-7f"
    assert lone_move_label(from_usi("P*5e"), BY_CODE["FU"], 1, "en") == "△P*5e"
