"""The position editor's mode for patterns: what its page offers, and what is wrong with a text."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from django.shortcuts import render
from django.utils.translation import gettext as _

from archive.derive.issues import detail_of, language
from archive.queries.scope import scope_of
from archive.web.forms import PatternFilterForm
from archive.web.lists.filtering import in_use
from archive.web.lists.game_search import chips
from kifu_core.errors import KifuError
from kifu_core.shogi.draw import PIECES, RANK_NAMES
from kifu_core.shogi.patterns import parse
from kifu_core.shogi.patterns.text import LONGEST, MOST, MOST_STEPS, SHOWN
from kifu_core.shogi.patterns.words import localized_text
from kifu_core.shogi.pieces import HAND_KINDS, LETTERS
from kifu_core.shogi.position import Position

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

EMPTY_BOARD: Final = "9/9/9/9/9/9/9/9/9 b -"
_WORD: Final = re.compile(r"[^\s、,}]+|.", re.DOTALL)
"""The rest of a word, or of a part of a list."""
_AROUND: Final = 40
"""Characters of a text that are shown where it is wrong, and as many on either side."""
_ROWS: Final = ((8, 7, 6, 5, 4, 3, 2, 1), (14, 13, 12, 11, 10, 9))
"""Kinds of pieces as the palette has them: from the king, and promoted."""


def draw_pattern(request: HttpRequest) -> HttpResponse:
    """Show a board on which a pattern is drawn, with the one that the address has; other conditions of games
    that the address has stay for the search."""
    text = request.GET.get("pattern", "").strip()
    told = _told(text) if text else {}
    if request.GET.get("part") == "told":
        return render(request, "shogi/pattern_told.html", told)
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
        "also": in_use(form),
        "chips": chips(scope_of(request), form),
        "hand_kinds": [(LETTERS[kind], PIECES[language()][kind]) for kind in reversed(HAND_KINDS)],
        "section": "positions",
    }
    return render(request, "shogi/edit_pattern.html", context | told)


def _told(text: str) -> dict[str, Any]:
    """Return a pattern as the page writes it, or what is wrong with its text, with its place."""
    try:
        return {"text": localized_text(parse(text), language())}
    except KifuError as error:
        return wrong_with(text, error)


def wrong_with(text: str, error: KifuError) -> dict[str, Any]:
    """Return what is wrong with a text, with its place and what stands around it."""
    column = error.column or 1
    before, rest = text[: column - 1], text[column - 1 :]
    end = _told_of(rest, str(error.params.get("text", "")))
    return {
        "wrong": detail_of(error),
        "column": column,
        "before": "…" * (len(before) > _AROUND) + before[-_AROUND:],
        "marked": _begun(rest[:end]) or " ",
        "after": _begun(rest[end:]),
    }


def _told_of(rest: str, named: str) -> int:
    """Return how many characters are wrong where the rest of a text begins: as many as the error names, if
    they stand there, otherwise those up to the end of a word."""
    for end in range(1, len(named) + 1 if len(named) < SHOWN else 1):
        if unicodedata.normalize("NFKC", rest[:end]) == named:
            return end
    found = _WORD.match(rest)
    return found.end() if found else 0


def _begun(text: str) -> str:
    """Return the beginning of a text, with a mark of what is left out."""
    return text[:_AROUND] + "…" * (len(text) > _AROUND)


def _palette(kinds: tuple[int, ...], *, own: bool) -> list[tuple[str, str]]:
    """Return the names of a side's pieces in patterns, with their words."""
    words = PIECES[language()]
    if own:
        return [(LETTERS[kind], _("your %(piece)s") % {"piece": words[kind]}) for kind in kinds]
    return [(LETTERS[kind].lower(), _("opponent's %(piece)s") % {"piece": words[kind]}) for kind in kinds]
