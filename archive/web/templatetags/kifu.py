"""Template tags and filters of all pages: rows of lists, numbers, links, bars of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString

from archive.web import wording
from archive.web.forms import fields_html
from archive.web.game_registry import PAGES
from archive.web.lists import rows
from archive.web.pages.library_pages import private_names, scopes_of, selected_scope_of
from archive.web.pages.site_text_pages import owner_page_links
from archive.web.prepared import constant
from archive.web.replay.lines import usual_start
from kifu_core.games import GAMES, SHOGI

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from archive.queries.games.listing import GameRow
    from archive.queries.positions.explorer import Explorer, MoveStats, Results, UnplayedMove
    from archive.web.game_pages import MenuLink
    from archive.web.replay.lines import WalkedLine

register = template.Library()


register.filter(rows.linkify)
register.filter(rows.mark_line)
register.filter(rows.note_line)
register.filter(rows.side_mark)
register.filter(rows.with_marks)
register.filter(wording.nameless)
register.filter("number", wording.number_text)
register.filter("opening", wording.opening_text)
register.filter("percent", wording.percent_text)
register.simple_tag(wording.formation_name)
register.simple_tag(fields_html, name="fields")
register.simple_tag(owner_page_links)


@register.simple_tag(takes_context=True)
def move_list(context: Mapping[str, Any]) -> SafeString:
    """Return the moves of the game that a page shows."""
    options = rows.MoveListOptions(
        page=context["path"],
        start_query=context["start_query"],
        timed=context["timed"],
        here=context["node"].key,
        novelty=context["novelty_key"],
        full_record=context["full_record"],
    )
    return rows.move_list(context["parts"], options)


@register.simple_tag(takes_context=True)
def scopes(context: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """Return the scopes that the visitor can select (`archive.web.pages.library_pages`)."""
    return scopes_of(context["request"])


@register.simple_tag(takes_context=True)
def selected_scope(context: Mapping[str, Any]) -> dict[str, str]:
    """Return the scope that the visitor has selected (`archive.web.pages.library_pages`)."""
    return selected_scope_of(context["request"])


@register.filter
def item(values: Mapping[int, str], key: int) -> str:
    """Return the text of a key; empty for other keys."""
    return values.get(key, "")


@register.simple_tag
@constant
def start_position_url(kind: str = SHOGI.name) -> str:
    """Return the address of a game's usual start."""
    return reverse("position", args=[kind, GAMES[kind].codec.path_code(usual_start(kind))])


@register.simple_tag
def results_box(results: Results, kind: str, large: bool = False) -> SafeString:
    """Return a bar of results with its numbers."""
    return rows.results_box(results, kind, large=large)


@register.simple_tag(takes_context=True)
def game_rows(
    context: Mapping[str, Any],
    items: Collection[GameRow],
    below: Mapping[int, SafeString] | None = None,
    at: Mapping[int, str] | None = None,
) -> SafeString:
    """Return games as rows of a list; `below` is HTML below rows and `at` the query of addresses, by id."""
    return rows.game_rows(items, private_names(context["request"], {row.space for row in items}), below, at)


@register.simple_tag(takes_context=True)
def private_badge(context: Mapping[str, Any], space: int) -> SafeString:
    """Return the badge of a library; empty for the public space."""
    names = private_names(context["request"], {space})
    return rows.private_badge(names[space]) if names else SafeString("")


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


def with_letters(context: Mapping[str, Any]) -> bool:
    """Return whether pieces have letters instead of kanji: by the address of a frame, else by the cookie."""
    request = context.get("request")
    if request is None:  # the page of an internal error
        return False
    return bool((request.GET.get("pieces") or request.COOKIES.get("pieces")) == "letters")


@register.simple_tag
def game_links(foremost: bool | Literal[""] = "") -> list[MenuLink]:
    """Return links to the pages of single games; only the `foremost` ones for the header."""
    return [link for pages in PAGES.values() for link in pages.links if link.foremost or not foremost]


@register.simple_tag
def styles_of_games() -> list[str]:
    """Return the addresses of the style sheets for boards of any game."""
    return [static(name) for pages in PAGES.values() for name in pages.styles]


@register.simple_tag(takes_context=True)
def pieces_attribute(context: Mapping[str, Any]) -> SafeString:
    """Return the attribute for scripts and style sheets if pieces have letters."""
    return SafeString(' data-pieces="letters"' if with_letters(context) else "")


@register.simple_tag
def row_date(row: GameRow) -> str:
    """Return the date of a game in a list."""
    return wording.day_text(row.played_from, row.precision) or "–"


@register.simple_tag
def child_url(kind: str, move: MoveStats | UnplayedMove, walk: WalkedLine | Literal[""] = "") -> str:
    """Return the address of the position after a move; `walk` is the line that led to the position."""
    return rows.addresses_after_moves(kind, walk or None)(move)


@register.simple_tag
def stat_text(
    kind: str, position: Any, move: MoveStats | UnplayedMove, walk: WalkedLine | Literal[""] = ""
) -> str:
    """Return a move from the position in words with the mark of its side."""
    return rows.stat_text(kind, position, move, walk or None)
