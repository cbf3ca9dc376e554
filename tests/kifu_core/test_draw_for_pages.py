"""Boards and hands as they are drawn for pages."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from kifu_core.shogi.draw import board, hand
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position

MIDGAME = Position.from_sfen("8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124")


def pieces(svg: str) -> list[tuple[str | None, bool]]:
    """Kanji and whether the piece is turned, in drawing order."""
    root = ElementTree.fromstring(svg)
    return [
        (piece.findtext("text"), "transform" in piece.attrib or "transform" in side.attrib)
        for side in root.findall("g[@class='side']") or [root]
        for piece in (*side.findall("g"), *side.findall("svg/g"))
    ]


def test_the_start_has_forty_pieces_white_turned_and_two_kinds_of_king() -> None:
    drawn = pieces(board(Position.initial()))
    assert len(drawn) == 40
    assert drawn[4] == ("王", True)
    assert drawn[-5] == ("玉", False)
    assert sum(turned for _kanji, turned in drawn) == 20


def test_promoted_pieces_are_marked_as_such() -> None:
    svg = board(MIDGAME)
    assert svg.count('class="piece promoted"') == 3
    assert ("龍", True) in pieces(svg)


def test_flipping_turns_every_piece() -> None:
    upright = pieces(board(Position.initial()))
    flipped = pieces(board(Position.initial(), flip=True))
    assert flipped == [(kanji, not turned) for kanji, turned in upright]


def test_the_last_move_marks_where_it_came_from_unless_it_was_a_drop() -> None:
    moved = board(Position.initial(), from_usi("7g7f"))
    assert "last-from" in moved and "last-to" in moved
    dropped = board(Position.initial(), from_usi("P*5e"))
    assert "last-from" not in dropped and "last-to" in dropped


def test_ranks_are_named_as_the_language_does() -> None:
    assert ">九</text>" in board(Position.initial())
    assert ">i</text>" in board(Position.initial(), language="en")


def test_a_hand_shows_the_strongest_first_with_numbers_above_one() -> None:
    svg = hand(MIDGAME, 1)
    assert [kanji for kanji, _turned in pieces(svg)] == ["角", "金", "桂", "歩"]
    assert re.findall(r'class="count"[^>]*>(\d+)<', svg) == ["3"]
    assert all(turned for _kanji, turned in pieces(svg))
    assert not any(turned for _kanji, turned in pieces(hand(MIDGAME, 0)))


def test_the_pictures_are_well_formed_and_labels_are_escaped() -> None:
    for svg in (board(MIDGAME, label='"<b>&'), hand(MIDGAME, 0), hand(Position.initial(), 0)):
        ElementTree.fromstring(svg)


def test_letters_are_upright_on_pieces_of_both_sides() -> None:
    svg = board(MIDGAME, letters=True)
    letters = re.findall(
        r'M(\d+) (\d+)m[^>]*><text class="letter" x="(\d+)" y="(\d+)"'
        r'[^>]*?(?: transform="([^"]*)")?>([^<]+)<',
        svg,
    )
    assert len(letters) == len(pieces(board(MIDGAME)))
    for x, y, letter_x, letter_y, turn, _letter in letters:
        assert letter_x == x
        assert turn in ("", f"rotate(180 {x} {y})")
        assert int(letter_y) - int(y) == (6 if turn else 14)
    assert {bool(turn) for *_place, turn, _letter in letters} == {True, False}
    assert {"K", "+R", "P"} <= {letter for *_rest, letter in letters}
    assert ">B<" in hand(MIDGAME, 1, letters=True)
