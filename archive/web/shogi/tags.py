"""Template tags for boards of shogi."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from archive.derive.issues import language
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
    """Draw the board; the squares of the packed move that led to it are marked, and others by their names."""
    words, letters = label or _("Board"), with_letters(context)
    squares, spoken = (marked or {}).values(), language()
    drawn = draw.board(
        position, last, flip=flipped, label=words, letters=letters, language=spoken, marked=squares
    )
    return mark_safe(drawn)  # it escapes


@register.simple_tag(takes_context=True)
def hand(context: Mapping[str, Any], position: Position, color: int, flipped: bool = False) -> SafeString:
    """Draw the pieces in a side's hand."""
    return mark_safe(draw.hand(position, color, flip=flipped, letters=with_letters(context)))


@register.simple_tag(takes_context=True)
def asked_board(context: Mapping[str, Any], step: PatternStep, label: str) -> SafeString:
    """Draw what a step of a pattern asks of squares."""
    return mark_safe(draw.pattern(step, label=label, letters=with_letters(context), language=language()))


@register.filter
def square_name(square: int) -> str:
    """Return what a square is called in the language of the page."""
    return (JAPANESE if language() == "ja" else USI)[square]
