"""Reading a drawn board of Quoridor back out of a page, and pointing at it."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from kifu_core.quoridor.board import PAWN, VERTICAL, WALL, name, read_name
from kifu_core.quoridor.draw import EDGE, FIELD, LEFT, PITCH
from kifu_core.quoridor.position import QuoridorPosition
from tests.browser.conftest import eventually

_READ = """
(svg) => ({
  pawns: [...svg.querySelectorAll(".qf-pawn:not(.qf-ghost)")].map((one) => [Number(one.getAttribute("cx")), Number(one.getAttribute("cy"))]),
  walls: [...svg.querySelectorAll(".qf-wall:not(.qf-ghost)")].map((one) =>
    [Number(one.getAttribute("x")), Number(one.getAttribute("y")), Number(one.getAttribute("width")), one.getAttribute("class")]),
  last: [...svg.querySelectorAll(".qf-last")].map((one) => [one.getAttribute("x"), one.getAttribute("y"), one.getAttribute("width")].map(Number)),
})
"""  # noqa: E501


@dataclass(frozen=True)
class Drawn:
    """The content of a board: squares of White's and Black's pawn, walls with their colours, the marked
    move."""

    pawns: tuple[str, ...]
    walls: frozenset[tuple[str, str]]
    last: str


def drawn(board: Locator, flipped: bool = False) -> Drawn:
    """Read the content of a board."""
    result = board.evaluate(_READ)
    walls = frozenset(
        (_wall(x, y, width, flipped), kind.removeprefix("qf-wall qf-"))
        for x, y, width, kind in result["walls"]
    )
    pawns = tuple(_square(x - 20, y - 20, flipped) for x, y in result["pawns"])
    return Drawn(pawns, walls, _last(result["last"], flipped))


def _last(result: list[list[int]], flipped: bool) -> str:
    if not result:
        return ""
    [(x, y, width)] = result
    return _square(x, y, flipped) if width == 40 else _wall(x + 4, y + 4, width - 8, flipped)


def _square(x: int, y: int, flipped: bool) -> str:
    column, row = x // PITCH, 8 - y // PITCH
    return name(PAWN + (80 - 9 * row - column if flipped else 9 * row + column))


def _wall(x: int, y: int, width: int, flipped: bool) -> str:
    upright = width == 10
    column, row = (x - 40) // PITCH if upright else x // PITCH, 7 - (y if upright else y - 40) // PITCH
    place = 63 - 8 * row - column if flipped else 8 * row + column
    return name(WALL + (VERTICAL if upright else 0) + place)


def expected(position: QuoridorPosition, last: str = "", neutral: bool = False) -> Drawn:
    """The content of a board with a position."""
    walls = frozenset(
        (name(wall), "neutral" if neutral else ("white", "black")[color])
        for color in (0, 1)
        for wall in position.walls(color)
    )
    return Drawn(tuple(name(PAWN + square) for square in position.pawns), walls, last)


def expect_drawn(board: Locator, shown: Drawn, flipped: bool = False) -> None:
    """Wait until the board shows this."""
    expect(board).to_be_visible()
    eventually(board.page, lambda: drawn(board, flipped), shown)


def point(board: Locator, move: str, *, labelled: bool = True, flipped: bool = False) -> tuple[float, float]:
    """The middle of a square or of a wall in the window."""
    packed = read_name(move)
    if packed & PAWN:
        x, y = (packed - PAWN) % 9 * PITCH + 20, (packed - PAWN) // 9 * PITCH + 20
    else:
        x, y = (packed & 7) * PITCH + 45, (packed & 63) // 8 * PITCH + 45
        # The middle belongs to both orientations: a point further along the wall belongs to one.
        x, y = (x, y + 15) if packed & VERTICAL else (x + 15, y)
    if flipped:
        x, y = FIELD - x, FIELD - y
    box = board.bounding_box()
    assert box
    left = LEFT if labelled else EDGE
    scale = box["width"] / (left + FIELD + EDGE)
    return box["x"] + (left + x) * scale, box["y"] + (EDGE + FIELD - y) * scale


def click(page: Page, board: Locator, move: str, flipped: bool = False) -> None:
    """Click on a move."""
    board.scroll_into_view_if_needed()
    page.mouse.click(*point(board, move, flipped=flipped))
