"""Pictures and text diagrams of positions."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from kifu_core.picture import INK
from kifu_core.shogi import draw
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.position import Position

SVG = "{http://www.w3.org/2000/svg}"
MIDDLE = Position.from_sfen("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RG12Psgn5p")


def picture(position: Position, **options: object) -> ET.Element:
    return ET.fromstring(draw.svg(position, **options))  # type: ignore[arg-type]


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def pieces(root: ET.Element) -> list[tuple[str, str, str]]:
    """Transform, character and colour of every piece: the groups of a wedge and a character."""
    found = []
    for group in root.iter(f"{SVG}g"):
        wedge, character = group.find(f"{SVG}path"), group.find(f"{SVG}text")
        if wedge is not None and character is not None and wedge.get("fill") == draw.WOOD:
            found.append((group.get("transform", ""), character.text or "", character.get("fill", "")))
    return found


def labels(root: ET.Element, among: str) -> list[ET.Element]:
    return [element for element in root.iter(f"{SVG}text") if element.text in list(among)]


def marked(root: ET.Element) -> list[tuple[str | None, str | None]]:
    """The corners of the squares that are marked."""
    rects = [rect for rect in root.iter(f"{SVG}rect") if rect.get("fill") == draw.LAST_MOVE]
    return [(rect.get("x"), rect.get("y")) for rect in rects]


def test_a_picture_says_what_it_shows_to_those_who_cannot_see_it():
    root = picture(MIDDLE, language="en")
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == root.get("aria-label") == "Shogi position, White to move"
    assert root.findtext(f"{SVG}desc") == MIDDLE.sfen(None)
    assert picture(Position.initial()).findtext(f"{SVG}title") == "将棋の局面、先手番"


def test_every_piece_is_drawn_once_on_the_board_and_once_a_kind_in_hand():
    on_board = sum(piece != 0 for piece in MIDDLE.board)
    in_hand = sum(count > 0 for hand in MIDDLE.hands for count in hand)
    assert len(pieces(picture(MIDDLE))) == on_board + in_hand


def test_counts_in_hand_are_written_from_two_on():
    assert [text for text in texts(picture(MIDDLE)) if text in ("12", "0")] == ["12"]


def test_the_pieces_of_the_side_above_point_down():
    position = Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 b -")
    upright, turned = pieces(picture(position)), pieces(picture(position, flip=True))
    assert ["rotate" in transform for transform, _, _ in upright] == [True, False]
    assert ["rotate" in transform for transform, _, _ in turned] == [False, True]


def test_promoted_pieces_are_red_and_the_king_is_not():
    colours = {character: colour for _, character, colour in pieces(picture(MIDDLE))}
    assert colours["と"] == draw.VERMILION
    assert colours["玉"] == colours["歩"] == INK


def test_the_last_move_is_marked_where_it_began_and_ended():
    move = from_usi("7g7f")
    assert marked(picture(MIDDLE)) == []
    assert marked(picture(MIDDLE, last=move)) == [("80", "240"), ("80", "200")]
    assert marked(picture(MIDDLE, last=move, flip=True)) == [("240", "80"), ("240", "120")]


def test_a_drop_is_marked_where_it_fell():
    assert marked(picture(MIDDLE, last=from_usi("P*5e"))) == [("160", "160")]


@pytest.mark.parametrize("flip", [False, True])
def test_coordinates_turn_with_the_board(flip):
    root = picture(Position.from_sfen("9/9/9/9/9/9/9/9/9 b -"), flip=flip)
    files = {int(element.text or ""): int(element.get("x", "")) for element in labels(root, "123456789")}
    ranks = {element.text or "": int(element.get("y", "")) for element in labels(root, "一二三四五六七八九")}
    assert sorted(files, key=files.__getitem__, reverse=not flip) == list(range(1, 10))
    assert "".join(sorted(ranks, key=ranks.__getitem__, reverse=flip)) == "一二三四五六七八九"


def test_ranks_are_named_as_the_language_does():
    assert "一" in texts(picture(MIDDLE, language="ja"))
    assert "a" in texts(picture(MIDDLE, language="en"))


def test_names_are_escaped_and_kept_to_a_line():
    name = '<script>alert("x")</script> & co'
    source = draw.svg(MIDDLE, names=(name, "長" * 100))
    assert "<script" not in source
    shown = texts(ET.fromstring(source))
    assert name[:29] + "…" in shown
    assert "長" * 29 + "…" in shown


def test_a_name_with_control_characters_is_still_a_picture():
    assert "甲乙" in texts(picture(MIDDLE, names=("甲\x00\x1b\ufffe乙", "")))


def test_a_hand_of_every_kind_stays_inside_the_picture():
    position = Position.from_sfen("9/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P2r2b4g4s4n4l18p")
    for element in picture(position).iter(f"{SVG}g"):
        transform = element.get("transform", "")
        x, y = transform.removeprefix("translate(").partition(")")[0].split(",")
        assert 0 < float(x) < draw.WIDTH
        assert 0 < float(y) < draw.HEIGHT


def test_the_text_diagram_of_the_start():
    assert draw.text(Position.initial()) == (
        "後手の持駒：なし\n"
        "  ９ ８ ７ ６ ５ ４ ３ ２ １\n"
        "+---------------------------+\n"
        "|v香v桂v銀v金v玉v金v銀v桂v香|一\n"
        "| ・v飛 ・ ・ ・ ・ ・v角 ・|二\n"
        "|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n"
        "| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n"
        "| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n"
        "| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n"
        "| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七\n"
        "| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n"
        "| 香 桂 銀 金 玉 金 銀 桂 香|九\n"
        "+---------------------------+\n"
        "先手の持駒：なし\n"
        "先手番\n"
    )


def test_the_text_diagram_counts_hands_in_chinese_numerals():
    position = Position.from_sfen("9/9/9/9/9/9/9/9/9 w 2RG10P18p")
    lines = draw.text(position).splitlines()
    assert lines[0] == "後手の持駒：歩十八　"
    assert lines[-2:] == ["先手の持駒：飛二　金　歩十　", "後手番"]


# --- patterns -------------------------------------------------------------------------------------------


def pattern_picture(text: str, **options: object) -> ET.Element:
    return ET.fromstring(draw.pattern(parse(text).steps[0], **options))  # type: ignore[arg-type]


def drawn_pieces(root: ET.Element) -> list[tuple[str, bool]]:
    """The characters of the drawn pieces, empty for any piece, and whether they point down."""
    (group,) = (one for one in root.iter("g") if one.get("class") == "asked")
    return [
        (one.findtext("text") or "", "rotate(180)" in one.get("transform", ""))
        for one in group.iter("g")
        if (one.get("class") or "").startswith("piece")
    ]


def test_a_pattern_is_a_board_with_what_each_square_asks():
    assert drawn_pieces(pattern_picture("K9i +p5c")) == [("と", True), ("玉", False)]
    assert drawn_pieces(pattern_picture("{G,s}7h")) == [("銀", True), ("金", False)]
    assert drawn_pieces(pattern_picture("X5e x5f")) == [("", False), ("", True)]


def test_forbidden_pieces_are_crossed_out_and_an_empty_square_is_a_cross():
    signs = [one.get("class") for one in pattern_picture("!P7f -5e").iter("path")]
    assert signs.count("not") == signs.count("empty") == 1
    assert "not" not in [one.get("class") for one in pattern_picture("P7f").iter("path")]


def test_many_pieces_of_a_square_are_not_all_drawn():
    assert len(drawn_pieces(pattern_picture("{P,L,N,S,G,B}7f"))) == 4
    assert any(one.text == "…" for one in pattern_picture("{P,L,N,S,G,B}7f").iter("text"))


def test_squares_of_a_pattern_have_frames():
    (group,) = (one for one in pattern_picture("K9i L9h").iter("g") if one.get("class") == "marked")
    assert len(list(group)) == 2


def test_marked_squares_lie_where_the_board_is_turned():
    def frame(flip: bool) -> tuple[str | None, str | None]:
        root = ET.fromstring(draw.board(MIDDLE, flip=flip, marked=[0]))
        (rect,) = next(one for one in root.iter("g") if one.get("class") == "marked")
        return rect.get("x"), rect.get("y")

    assert frame(False) == ("11", "29") and frame(True) == ("491", "557")
