"""Pictures of positions of Quoridor, and positions in words."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from kifu_core.quoridor import draw
from kifu_core.quoridor.board import read_name
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import decode

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLE = decode("j7oklAHMe1ICg").start().position
"""White e4 with c3h and e3h, Black e7 with d7h and d8v, Black to move."""


def picture(position: QuoridorPosition, **options: object) -> ET.Element:
    return ET.fromstring(draw.svg(position, **options))  # type: ignore[arg-type]


def boxes(root: ET.Element, kind: str) -> list[tuple[int, int, int, int]]:
    """Corner and size of every rectangle of a class."""
    sides = ("x", "y", "width", "height")
    found = (rect for rect in root.iter(f"{SVG}rect") if kind in (rect.get("class") or "").split())
    return [tuple(int(rect.get(side, "")) for side in sides) for rect in found]  # type: ignore[misc]


def pawns(root: ET.Element) -> dict[str, tuple[int, int]]:
    """The middle of each pawn."""
    return {
        circle.get("class", "").removeprefix("qf-pawn qf-"): (
            int(circle.get("cx", "")),
            int(circle.get("cy", "")),
        )
        for circle in root.iter(f"{SVG}circle")
        if "qf-pawn" in (circle.get("class") or "")
    }


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_a_picture_says_what_it_shows_to_those_who_cannot_see_it():
    root = picture(EXAMPLE, language="en")
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == root.get("aria-label") == "Quoridor position, Black to move"
    assert root.findtext(f"{SVG}desc") == draw.words(EXAMPLE, "en")
    assert picture(EXAMPLE).findtext(f"{SVG}title") == "コリドールの局面、黒番"


def test_pawns_are_in_the_middle_of_their_squares():
    assert pawns(picture(EXAMPLE)) == {"white": (220, 270), "black": (220, 120)}
    assert pawns(picture(EXAMPLE, flip=True)) == {"white": (220, 170), "black": (220, 320)}


def test_walls_lie_in_the_grooves_in_the_colours_of_their_owners():
    root = picture(EXAMPLE)
    assert boxes(root, "qf-white") == [(100, 290, 90, 10), (200, 290, 90, 10)]
    assert boxes(root, "qf-black") == [(150, 90, 90, 10), (190, 0, 10, 90)]


def test_a_turned_board_is_turned_by_half_a_circle():
    root, turned = picture(EXAMPLE), picture(EXAMPLE, flip=True)
    for kind in ("qf-white", "qf-black"):
        expected = [
            (draw.FIELD - x - width, draw.FIELD - y - height, width, height)
            for x, y, width, height in boxes(root, kind)
        ]
        assert boxes(turned, kind) == expected


def test_the_last_move_is_marked():
    assert boxes(picture(EXAMPLE), "qf-last") == []
    assert boxes(picture(EXAMPLE, last=read_name("e4")), "qf-last") == [(200, 250, 40, 40)]
    assert boxes(picture(EXAMPLE, last=read_name("c3h")), "qf-last") == [(96, 286, 98, 18)]


@pytest.mark.parametrize("flip", [False, True])
def test_coordinates_turn_with_the_board(flip):
    labels = [text for text in texts(picture(EXAMPLE, flip=flip)) if len(text) == 1]
    letters = [text for text in labels if text.isalpha() and text.isascii()]
    assert letters == list("ihgfedcba" if flip else "abcdefghi")


def test_the_walls_that_are_left_are_counted_beside_the_players():
    assert [text for text in texts(picture(QuoridorPosition.initial())) if text == "10"] == ["10", "10"]
    # The last coordinate is an 8 or a 1 as well: the players come after the board.
    assert texts(picture(EXAMPLE))[-4:] == ["白", "8", "黒", "8"]


def test_names_are_escaped_and_kept_to_a_line():
    source = draw.svg(EXAMPLE, names=('<script>"x"</script>', "甲\x00" + "長" * 100))
    assert "<script" not in source
    shown = texts(ET.fromstring(source))
    assert '<script>"x"</script>' in shown
    assert "甲" + "長" * 22 + "…" in shown


def test_whose_turn_it_is_is_underlined_until_somebody_has_won():
    def underlined(position: QuoridorPosition) -> list[str]:
        return [
            element.text or ""
            for element in picture(position, names=("A", "B")).iter(f"{SVG}text")
            if element.get("text-decoration")
        ]

    assert underlined(QuoridorPosition.initial()) == ["A"]
    assert underlined(EXAMPLE) == ["B"]
    assert underlined(QuoridorPosition([76, 40], [0, 0], [0, 0], 1)) == []


def test_all_walls_can_have_one_colour():
    page = ET.fromstring(
        draw.board(EXAMPLE, neutral=True, label="<e4>").replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ')
    )
    assert len(boxes(page, "qf-neutral")) == 4
    assert page.get("aria-label") == "<e4>"


def test_a_won_position_says_who_has_won():
    won = QuoridorPosition([76, 40], [0, 0], [0, 0], 1)
    assert draw.state_words(won, "en") == "White has won"
    assert draw.words(won, "ja").splitlines()[0] == "白の勝ち"


def test_walls_are_written_with_their_owners():
    assert draw.words(EXAMPLE, "en").splitlines()[1:] == [
        "White: pawn e4, walls left: 8, walls placed: c3h, e3h",
        "Black: pawn e7, walls left: 8, walls placed: d7h, d8v",
    ]
