"""Template tags and filters of the pages: boards, numbers, safe links, bars of results."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from archive.web import wording
from archive.web.boards import board_svg, hand_svg
from kifu_core.games import GAMES, QUORIDOR, SHOGI
from kifu_core.position import Position
from kifu_core.quoridor.position import Position as QuoridorPosition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from archive.queries.games import GameRow
    from archive.queries.positions import MoveStats, Results, Unplayed
    from archive.web.lines import Walk

register = template.Library()

START_CODES: Final = {
    SHOGI.name: SHOGI.encode(Position.initial()),
    QUORIDOR.name: QUORIDOR.encode(QuoridorPosition.initial()),
}
# Ends before what usually follows an address in Japanese text: brackets, commas, full stops.
_URL: Final = re.compile(r"https?://[A-Za-z0-9][^\s<>\"'`\\^{|}「」『』（）【】、。]*")
_TRAILING: Final = ".,;:!?)]"


@register.filter
def linkify(text: str) -> SafeString:
    """The text escaped, its http and https addresses made links that pass nothing on."""
    pieces: list[SafeString] = []
    end = 0
    for match in _URL.finditer(text):
        url = match[0].rstrip(_TRAILING)
        pieces += [escape(text[end : match.start()]), _link(url)]
        end = match.start() + len(url)
    return mark_safe("".join([*pieces, escape(text[end:])]))


def _link(url: str) -> SafeString:
    return format_html('<a href="{0}" rel="nofollow noopener noreferrer ugc">{0}</a>', url)


@register.filter
def number(value: int) -> str:
    """An integer with thin separators."""
    return wording.number_text(value)


@register.simple_tag
def start_position_url(kind: str = SHOGI.name) -> str:
    """The page of the usual start of a game."""
    return reverse("position", args=[kind, GAMES[kind].path_code(START_CODES[kind])])


@register.simple_tag
def results_bar(results: Results, kind: str = "shogi") -> SafeString:
    """The wins of colour 0, draws and the wins of colour 1 as one bar, drawn without inline styles."""
    decided = results.black + results.draw + results.white
    if not decided:
        return SafeString("")
    first, second = GAMES[kind].sides
    shares = [(first, results.black), ("draw", results.draw), (second, results.white)]
    return format_html(
        '<svg viewBox="0 0 {} 1" preserveAspectRatio="none" aria-hidden="true">{}</svg>',
        decided,
        format_html_join("", '<rect class="{}" x="{}" width="{}" height="1"/>', _stacked(shares)),
    )


def _stacked(shares: list[tuple[str, int]]) -> list[tuple[Any, ...]]:
    bars = []
    start = 0
    for name, width in shares:
        bars.append((name, start, width))
        start += width
    return bars


@register.simple_tag
def share_bar(part: int, whole: int) -> SafeString:
    """A share as a bar."""
    return format_html(
        '<svg viewBox="0 0 {} 1" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="1"/></svg>',
        max(whole, 1),
        part,
    )


@register.filter
def percent(part: int, whole: int) -> str:
    """A share in percent without digits after the point; empty for a share of nothing."""
    return f"{part / whole:.0%}" if whole else ""


@register.filter
def share_text(share: float) -> str:
    """A share between 0 and 1 in percent."""
    return f"{share:.0%}"


@register.simple_tag
def result_text(row: GameRow) -> SafeString:
    """A game's result in words."""
    return with_marks(wording.RESULTS_OF[row.kind][row.result])


@register.filter
def wins_text(kind: str, color: int) -> str:
    """That this colour wins, in words."""
    return str(wording.RESULTS_OF[kind][color])


@register.filter
@cache
def side_mark(kind: str, color: int) -> SafeString:
    """What stands before a player of this colour, drawn by the style sheet: text has the colour of text, and
    a black piece would be white on dark paper."""
    return format_html(_MARK, GAMES[kind].sides[color], kind, wording.MARKS_OF[kind][color])


_MARK: Final = '<span class="mark {} {}"><span class="visually-hidden">{}</span></span>'


@register.filter
def with_marks(text: object) -> SafeString:
    """A text in which the signs of the sides of shogi are such marks."""
    shown = str(escape(text))
    for color, sign in enumerate(wording.MARKS_OF[SHOGI.name]):
        shown = shown.replace(sign, side_mark(SHOGI.name, color))
    return mark_safe(shown)


@register.simple_tag(takes_context=True)
def board(
    context: Mapping[str, Any],
    position: Position,
    last: int | None = None,
    flipped: bool = False,
    label: str = "",
) -> SafeString:
    """The board, with the squares of the packed move that led to it marked."""
    words = label or str(_("Board"))
    return board_svg(position, last, flip=flipped, label=words, letters=with_letters(context))


@register.simple_tag(takes_context=True)
def hand(context: Mapping[str, Any], position: Position, color: int, flipped: bool = False) -> SafeString:
    """The pieces in a side's hand."""
    return hand_svg(position, color, flip=flipped, letters=with_letters(context))


def with_letters(context: Mapping[str, Any]) -> bool:
    """Whether the visitor wants letters instead of kanji: by the address of a frame, else by the cookie."""
    request = context.get("request")
    if request is None:  # the page that tells of a fault of ours
        return False
    return bool((request.GET.get("pieces") or request.COOKIES.get("pieces")) == "letters")


@register.simple_tag(takes_context=True)
def pieces_attribute(context: Mapping[str, Any]) -> SafeString:
    """What tells scripts and style sheets of letters on the pieces."""
    return SafeString(' data-pieces="letters"' if with_letters(context) else "")


@register.simple_tag
def row_date(row: GameRow) -> str:
    """The day of a game in a list, as precisely as it is known."""
    return wording.day_text(row.played_from, row.precision) or "–"


@register.simple_tag
def child_url(kind: str, move: MoveStats | Unplayed, walk: Walk | Literal[""] = "") -> str:
    """The page of the position after a move, where there is one at the end of the line that led here."""
    path = GAMES[kind].path_code(move.code)
    return walk.after(move.usi, path) if walk else reverse("position", args=[kind, path])


@register.simple_tag
def stat_text(kind: str, position: Any, move: MoveStats | Unplayed) -> str:
    """A move that was played from the position, with its side's mark."""
    if kind == SHOGI.name:
        return wording.packed_move_text(position, move.move, move.text)
    return wording.MARKS_OF[kind][position.turn] + move.text
