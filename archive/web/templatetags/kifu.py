"""Template tags and filters of the pages: boards, numbers, safe links, bars of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from archive.derive.issues import language
from archive.names.romaji import romanized
from archive.web import wording
from archive.web.forms import fields_html
from archive.web.game_registry import PAGES
from archive.web.lists import rows
from archive.web.pages.library_pages import private_names, scope_told, scopes_of
from archive.web.pages.site_text_pages import links_written
from archive.web.prepared import constant
from archive.web.replay.lines import usual_start
from kifu_core.games import GAMES, SHOGI

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from django.forms import BoundField

    from archive.queries.games.listing import GameRow
    from archive.queries.positions.explorer import Explorer, MoveStats, Results, UnplayedMove
    from archive.web.replay.engine_lines import Thought
    from archive.web.replay.lines import WalkedLine

register = template.Library()


@register.filter
def linkify(text: str) -> SafeString:
    """Escape a text and turn its http and https addresses into links that pass nothing on."""
    return rows.linkify(text)


@register.filter
def note_line(line: str | Thought, address: str = "") -> SafeString:
    """Return a line of the comments of the node `address`."""
    return rows.note_line(line, address)


@register.simple_tag(takes_context=True)
def move_list(context: Mapping[str, Any]) -> SafeString:
    """Return the moves of the game that a page shows."""
    look = rows.MoveList(
        page=context["path"],
        start_query=context["start_query"],
        timed=context["timed"],
        here=context["node"].key,
        novelty=context["novelty_key"],
        whole=context["whole_record"],
    )
    return rows.move_list(context["parts"], look)


@register.simple_tag(takes_context=True)
def scopes(context: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """Return what the visitor can choose to ask of (`archive.web.pages.library_pages`)."""
    return scopes_of(context["request"])


@register.simple_tag(takes_context=True)
def asked_scope(context: Mapping[str, Any]) -> dict[str, str]:
    """Return what the visitor chose to ask of (`archive.web.pages.library_pages`)."""
    return scope_told(context["request"])


@register.filter
def latin(name: str) -> str:
    """Return a Japanese name in Latin letters for who reads no Japanese; empty where none is known."""
    return "" if language() == "ja" else romanized(name)


@register.filter
def number(value: int) -> str:
    """Return an integer with commas between thousands."""
    return wording.number_text(value)


@register.simple_tag
@constant
def start_position_url(kind: str = SHOGI.name) -> str:
    """Return the address of a game's usual start."""
    return reverse("position", args=[kind, GAMES[kind].codec.path_code(usual_start(kind))])


@register.simple_tag
def results_box(results: Results, kind: str, large: bool = False) -> SafeString:
    """Draw the wins of colour 0, the draws and the wins of colour 1 as a bar with its numbers."""
    return rows.results_box(results, kind, large=large)


@register.simple_tag(takes_context=True)
def game_rows(
    context: Mapping[str, Any],
    found: Collection[GameRow],
    below: Mapping[int, SafeString] | None = None,
    at: Mapping[int, str] | None = None,
) -> SafeString:
    """Return games as rows of a list; `below` is what stands below some of them, `at` the query with which
    their pages open, both by their ids."""
    return rows.game_rows(found, private_names(context["request"], {row.space for row in found}), below, at)


@register.simple_tag(takes_context=True)
def private_badge(context: Mapping[str, Any], space: int) -> SafeString:
    """Return the badge of something in a library; nothing for what is public."""
    named = private_names(context["request"], {space})
    return rows.private_badge(named[space]) if named else SafeString("")


@register.simple_tag
def move_rows(
    explorer: Explorer,
    position: Any,
    moves: Sequence[MoveStats],
    walk: WalkedLine | Literal[""] = "",
    detailed: bool | Literal[""] = "",
) -> SafeString:
    """Return the rows of the table of moves played from a position."""
    return rows.move_rows(
        explorer.kind, position, moves, explorer.total, walk or None, detailed=bool(detailed)
    )


@register.simple_tag
def fields(found: Iterable[BoundField]) -> SafeString:
    """Return fields of filters with their labels."""
    return fields_html(found)


@register.simple_tag
def share_bar(part: int, whole: int) -> SafeString:
    """Draw a share as a bar."""
    return format_html(
        '<svg viewBox="0 0 {} 1" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="1"/></svg>',
        max(whole, 1),
        part,
    )


@register.filter
def percent(part: int, whole: int) -> str:
    """Return a share in percent without digits after the point; empty for a share of nothing."""
    return wording.percent_text(part, whole)


@register.simple_tag
def formation_name(name: str) -> str:
    """Return what a castle or an opening is called."""
    return wording.formation(name)


@register.filter
def opening(name: str) -> str:
    """Return an opening that a record names, in the language of the page."""
    return wording.opening_text(name)


@register.filter
def side_mark(kind: str, color: int) -> SafeString:
    """Return the mark before a player of this colour."""
    return rows.side_mark(kind, color)


@register.filter
def nameless(record_kind: str) -> str:
    """Return what a record without players is called."""
    return wording.nameless(record_kind)


@register.filter
def with_marks(text: object) -> SafeString:
    """Escape a text, and draw the signs of the sides of shogi in it as marks."""
    return rows.with_marks(text)


def with_letters(context: Mapping[str, Any]) -> bool:
    """Return whether the visitor wants letters instead of kanji.

    The address of a frame says so, else the cookie.
    """
    request = context.get("request")
    if request is None:  # the page that tells of a fault of ours
        return False
    return bool((request.GET.get("pieces") or request.COOKIES.get("pieces")) == "letters")


@register.simple_tag
def links_of_games(section: str, foremost: bool = False) -> SafeString:
    """Return links to the pages that only some games have; on one of these, the link to it says so. In the
    header of a wide screen there is room for the foremost."""
    return format_html_join(
        "\n",
        '<a{} href="{}"{}>{}</a>',
        (
            (
                SafeString(' class="wide"' if one.foremost else ""),
                reverse(one.name),
                SafeString(' aria-current="page"' if section == one.name else ""),
                one.title,
            )
            for pages in PAGES.values()
            for one in pages.links
            if one.foremost or not foremost
        ),
    )


@register.simple_tag
def links_of_owner() -> SafeString:
    """Return links to the pages that the archive's owner has written."""
    return format_html_join("\n        ", '<a\n        href="{}">{}</a>', links_written())


@register.simple_tag
def styles_of_games() -> list[str]:
    """Return the addresses of the style sheets for pages that may show boards of any game."""
    return [static(name) for pages in PAGES.values() for name in pages.styles]


@register.simple_tag(takes_context=True)
def pieces_attribute(context: Mapping[str, Any]) -> SafeString:
    """Return the attribute that tells scripts and style sheets of letters on the pieces; empty for kanji."""
    return SafeString(' data-pieces="letters"' if with_letters(context) else "")


@register.simple_tag
def row_date(row: GameRow) -> str:
    """Return the day of a game in a list, as precisely as it is known."""
    return wording.day_text(row.played_from, row.precision) or "–"


@register.simple_tag
def child_url(kind: str, move: MoveStats | UnplayedMove, walk: WalkedLine | Literal[""] = "") -> str:
    """Return the address of the position after a move; `walk` is the line that led here."""
    return rows.onward(kind, walk or None)(move)


@register.simple_tag
def stat_text(
    kind: str, position: Any, move: MoveStats | UnplayedMove, walk: WalkedLine | Literal[""] = ""
) -> str:
    """Return a move from the position in words, with its side's mark; `walk` is the line that led here."""
    return rows.stat_text(kind, position, move, walk or None)
