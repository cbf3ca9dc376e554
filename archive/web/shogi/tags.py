"""Template tags for boards of shogi."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from archive.issues import language
from archive.web.templatetags.kifu import with_letters
from kifu_core.shogi import draw
from kifu_core.shogi.position import Position

register = template.Library()


@register.simple_tag(takes_context=True)
def board(
    context: Mapping[str, Any],
    position: Position,
    last: int | None = None,
    flipped: bool = False,
    label: str = "",
) -> SafeString:
    """Draw the board, with the squares of the packed move that led to it marked."""
    words, letters = label or _("Board"), with_letters(context)
    drawn = draw.board(position, last, flip=flipped, label=words, letters=letters, language=language())
    return mark_safe(drawn)  # it escapes


@register.simple_tag(takes_context=True)
def hand(context: Mapping[str, Any], position: Position, color: int, flipped: bool = False) -> SafeString:
    """Draw the pieces in a side's hand."""
    return mark_safe(draw.hand(position, color, flip=flipped, letters=with_letters(context)))
