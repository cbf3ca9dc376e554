"""Template tags for boards of Quoridor."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from archive.web.quoridor.pages import QUORIDOR
from kifu_core.quoridor import draw, qf_code
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfCode, QfState

register = template.Library()


@register.simple_tag
def quoridor_board(
    position: QuoridorPosition, last: int | None = None, flipped: bool = False, label: str = ""
) -> SafeString:
    """Draw the board, with the packed move that led to it marked."""
    return mark_safe(draw.board(position, last=last, flip=flipped, label=label or _("Board")))  # it escapes


@register.simple_tag
def code_to_play(position: QuoridorPosition) -> str:
    """Return the code that opens the free board at a position, in the first turn of the side to move."""
    return qf_code.encode(QfCode(QfState(position, None, position.turn + 1), None))


@register.simple_tag
def side_name(color: int) -> str:
    return str(QUORIDOR.words.seats[color])


@register.simple_tag
def side_state(position: QuoridorPosition, color: int) -> str:
    """Return whether a side is to move or has won, in words; empty for neither."""
    winner = position.winner()
    if winner is None:
        return _("to move") if position.turn == color else ""
    return _("has won") if winner == color else ""


@register.simple_tag
def walls_left(position: QuoridorPosition, color: int) -> SafeString:
    """Draw the remaining walls of a side as bars and as a number."""
    left = position.walls_left(color)
    words = _("Walls left: %(n)s") % {"n": left}
    return format_html(
        '{}<span class="qf-count" title="{}"><span aria-hidden="true">{}</span>'
        '<span class="visually-hidden">{}</span></span>',
        mark_safe(draw.walls(position, color)),
        words,
        left,
        words,
    )
