"""The position editor's mode for patterns, and errors in the text of a pattern."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from django.shortcuts import render
from django.utils.translation import gettext as _

from archive.derive.issues import detail_of, language
from archive.queries.scope import scope_of
from archive.web.forms import PatternFilterForm
from archive.web.lists.filtering import values_in_use
from archive.web.lists.game_search import chips
from kifu_core.errors import KifuError
from kifu_core.shogi.draw import PIECES, RANK_NAMES
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.text import LONGEST, MOST, MOST_STEPS, QUOTED_LENGTH
from kifu_core.shogi.patterns.words import localized_text
from kifu_core.shogi.pieces import HAND_KINDS, LETTERS
from kifu_core.shogi.position import Position

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

EMPTY_BOARD: Final = "9/9/9/9/9/9/9/9/9 b -"
_WORD: Final = re.compile(r"[^\s、,}]+|.", re.DOTALL)
"""The rest of a word, or of an item of a list."""
_AROUND: Final = 40
"""Characters shown of a wrong part of a text, and on either side of it."""
_ROWS: Final = ((8, 7, 6, 5, 4, 3, 2, 1), (14, 13, 12, 11, 10, 9))
"""Kinds of pieces in the rows of the palette: unpromoted from the king on, and promoted."""


def draw_pattern(request: HttpRequest) -> HttpResponse:
    """Show a board for drawing a pattern, with the one in the address; the filters in the address are passed
    on to the search."""
    text = request.GET.get("pattern", "").strip()
    feedback = _feedback(text) if text else {}
    if request.GET.get("part") == "feedback":
        return render(request, "shogi/pattern_feedback.html", feedback)
    form = PatternFilterForm(request.GET, label_suffix="")
    context = {
        "text": text,
        "longest": LONGEST,
        "most": MOST,
        "steps": MOST_STEPS,
        "position": Position.from_sfen(EMPTY_BOARD),
        "ranks": RANK_NAMES[language()],
        "enemy_rows": [_palette(row, own=False) for row in _ROWS],
        "own_rows": [_palette(row, own=True) for row in _ROWS],
        "also": values_in_use(form),
        "chips": chips(scope_of(request), form),
        "hand_kinds": [(LETTERS[kind], PIECES[language()][kind]) for kind in reversed(HAND_KINDS)],
        "section": "positions",
    }
    return render(request, "shogi/edit_pattern.html", context | feedback)


def _feedback(text: str) -> dict[str, Any]:
    """Return the text of a pattern in the language of the page, or the error in it with its context."""
    try:
        return {"text": localized_text(parse(text), language())}
    except KifuError as error:
        return error_context(text, error)


def error_context(text: str, error: KifuError) -> dict[str, Any]:
    """Return an error in a text with its column and the text around it."""
    column = error.column or 1
    before, rest = text[: column - 1], text[column - 1 :]
    end = _error_length(rest, str(error.params.get("text", "")))
    return {
        "wrong": detail_of(error),
        "column": column,
        "before": "…" * (len(before) > _AROUND) + before[-_AROUND:],
        "marked": _shortened(rest[:end]) or " ",
        "after": _shortened(rest[end:]),
    }


def _error_length(rest: str, expected: str) -> int:
    """Return the number of wrong characters at the beginning of `rest`: those of the `expected` text of the
    error, if `rest` begins with it, else the rest of the word."""
    for end in range(1, len(expected) + 1 if len(expected) < QUOTED_LENGTH else 1):
        if unicodedata.normalize("NFKC", rest[:end]) == expected:
            return end
    match = _WORD.match(rest)
    return match.end() if match else 0


def _shortened(text: str) -> str:
    return text[:_AROUND] + "…" * (len(text) > _AROUND)


def _palette(kinds: tuple[int, ...], *, own: bool) -> list[tuple[str, str]]:
    """Return the letters of a side's pieces in patterns, with labels."""
    label = _("your %(piece)s") if own else _("opponent's %(piece)s")
    letters = LETTERS if own else {kind: LETTERS[kind].lower() for kind in kinds}
    return [(letters[kind], label % {"piece": PIECES[language()][kind]}) for kind in kinds]
