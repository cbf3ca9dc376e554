"""Template tags for boards of shogi."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from archive.derive.issues import language
from archive.web.shogi.browser_engine import engine_panel
from archive.web.templatetags.kifu import with_letters
from kifu_core.shogi import draw
from kifu_core.shogi.patterns import PatternStep
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import JAPANESE, USI

register = template.Library()


@register.simple_tag(takes_context=True)
def board(
    context: Mapping[str, Any],
    position: Position,
    last: int | None = None,
    flipped: bool = False,
    label: str = "",
    marked: Mapping[str, int] | None = None,
) -> SafeString:
    """Draw the board with marks on the squares of the last packed move and on those in `marked`."""
    name, letters = label or _("Board"), with_letters(context)
    squares, active = (marked or {}).values(), language()
    svg = draw.board(
        position, last, flip=flipped, label=name, letters=letters, language=active, marked=squares
    )
    return mark_safe(svg)  # `draw` escapes the label


@register.simple_tag(takes_context=True)
def hand(context: Mapping[str, Any], position: Position, color: int, flipped: bool = False) -> SafeString:
    return mark_safe(draw.hand(position, color, flip=flipped, letters=with_letters(context)))


@register.simple_tag(takes_context=True)
def pattern_board(context: Mapping[str, Any], step: PatternStep, label: str) -> SafeString:
    """Draw the conditions of a step of a pattern on squares."""
    return mark_safe(draw.pattern(step, label=label, letters=with_letters(context), language=language()))


@register.filter
def square_name(square: int) -> str:
    """Return the name of a square in the language of the page."""
    return (JAPANESE if language() == "ja" else USI)[square]


@register.inclusion_tag("shogi/browser_engine.html", takes_context=True)
def browser_engine(context: Mapping[str, Any]) -> dict[str, Any]:
    """Show the panel of the engine that runs in the browser, if there is one."""
    return engine_panel(context["request"])
