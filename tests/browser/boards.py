"""Reading a drawn board back out of a page, and tapping on it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import FloatRect, Page, expect

from kifu_core.shogi.draw import PAGE, PAGE_WIDTH
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.words import localized_text
from kifu_core.shogi.pieces import KANJI, OU
from kifu_core.shogi.position import Position
from tests.browser.conftest import eventually

_READ = """
() => {
  const svg = document.querySelector("svg.board");
  const toBoard = svg.getScreenCTM().inverse();
  return [...svg.querySelectorAll(".piece")].map((group) => {
    const [path, text] = [group.querySelector("path"), group.querySelector("text")];
    const [x, y] = path.getAttribute("d").match(/[\\d.]+/g).map(Number);
    const matrix = toBoard.multiply(path.getScreenCTM());
    const place = new DOMPoint(x, y).matrixTransform(matrix);
    return [place.x, place.y, text.textContent, matrix.a < 0];
  });
}
"""
_SWIPE = """
([from, to]) => {
  const board = document.querySelector(".board-host");
  const send = (name, x) => board.dispatchEvent(new PointerEvent(name, {
    pointerType: "touch", pointerId: 7, clientX: x, clientY: 200, bubbles: true,
  }));
  send("pointerdown", from);
  send("pointerup", to);
}
"""
_HANDS = """
(selector) => [...document.querySelectorAll(selector + " .piece text")].map((text) => text.textContent)
"""


def after(moves: str) -> Position:
    """The position after some moves from the usual start."""
    position = Position.initial()
    for usi in moves.split():
        position.do_move(from_usi(usi))
    return position


def drawn(page: Page, flipped: bool = False) -> dict[int, tuple[str, bool]]:
    """The pieces on the shown board by square: kanji, and whether they are White's."""
    results: dict[int, tuple[str, bool]] = {}
    rows: list[Any] = page.evaluate(_READ)
    for x, y, kanji, turned in rows:
        column, row = int((x - PAGE.left) // PAGE.width), int((y - PAGE.top) // PAGE.height)
        square = row * 9 + column
        results[80 - square if flipped else square] = (kanji, turned != flipped)
    return results


def expected(position: Position) -> dict[int, tuple[str, bool]]:
    """The pieces of a position by square, as `drawn` reads them."""
    return {
        square: ("王" if piece == -OU else KANJI[abs(piece)], piece < 0)
        for square, piece in enumerate(position.board)
        if piece
    }


def expect_board(page: Page, position: Position, flipped: bool = False) -> None:
    """Wait until the page's board shows the position."""
    eventually(page, lambda: drawn(page, flipped), expected(position))


def expect_pattern(page: Page, text: str) -> None:
    """Wait until the board that a pattern is drawn on, and the address, have a pattern in the page's
    language."""
    if text and page.evaluate("document.documentElement.lang") == "ja":
        text = localized_text(parse(text), "ja")
    expect(page.locator("#pattern")).to_have_value(text)
    eventually(page, lambda: parse_qs(urlsplit(page.url).query).get("pattern", [""]), [text])


def hand(page: Page, side: str) -> list[str]:
    """The kinds drawn in the hand of `black` or `white`."""
    result: list[str] = page.evaluate(_HANDS, f".seat.{side}")
    return result


def swipe(page: Page, start: int, end: int) -> None:
    """Draw a finger over the board, from one x in the window to another."""
    page.evaluate(_SWIPE, [start, end])


def tap(page: Page, file: int, rank: int) -> None:
    """Click a square of a board that is not flipped, once it no longer moves."""
    box = _box(page)
    x, y = _middle(box, file, rank)
    page.locator("svg.board").click(position={"x": x, "y": y})


def middle(page: Page, file: int, rank: int) -> tuple[float, float]:
    """The middle of a square in the window, on a board that is not flipped."""
    box = _box(page)
    x, y = _middle(box, file, rank)
    return box["x"] + x, box["y"] + y


def _box(page: Page) -> FloatRect:
    box = page.locator("svg.board").bounding_box()
    assert box
    return box


def _middle(box: FloatRect, file: int, rank: int) -> tuple[float, float]:
    scale = box["width"] / PAGE_WIDTH
    return (PAGE.left + (9 - file + 0.5) * PAGE.width) * scale, (
        PAGE.top + (rank - 0.5) * PAGE.height
    ) * scale


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Take what is at one place in the window with the mouse to another one."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def finger_drag(page: Page, start: tuple[float, float], end: tuple[float, float], rest: int = 0) -> None:
    """Take what is at one place in the window with a finger to another one, after a rest in milliseconds.

    The finger rests before it is lifted: to Chromium a tap after one that was lifted as it moved only ends
    the fling.
    """
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    touch("touchStart", start)
    if rest:
        page.wait_for_timeout(rest)
    for part in (0.1, 0.4, 0.7, 1):
        touch("touchMove", tuple(a + (b - a) * part for a, b in zip(start, end, strict=True)))  # type: ignore[arg-type]
    page.wait_for_timeout(150)
    touch("touchMove", end)
    touch("touchEnd")


def in_hand(page: Page, side: str, kind: int) -> tuple[float, float]:
    """The middle of a side's pieces of a kind in the window."""
    box = page.locator(f'.seat.{side} [data-kind="{kind}"]').bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_over(page: Page, one: tuple[int, int], other: tuple[int, int]) -> None:
    """Drag the mouse over the board from one square to another, by file and rank, where both are in sight."""
    page.locator("svg.board").scroll_into_view_if_needed()
    drag(page, middle(page, *one), middle(page, *other))


def point(page: Page, file: int, rank: int) -> None:
    """Click a square of a board whose squares are chosen."""
    page.locator("svg.board").scroll_into_view_if_needed()
    page.mouse.click(*middle(page, file, rank))
