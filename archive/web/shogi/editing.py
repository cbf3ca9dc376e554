"""The position editor: positions from pasted texts, and hints about oddities."""

from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.http import require_http_methods, require_safe

from archive.api.errors import STATUSES
from archive.caching.entity_tags import tagged
from archive.derive.issues import detail_of, language
from archive.http.errors import invalid_code
from archive.http.limits.text_limits import check_search_text, limited_reading
from archive.queries.positions.position_lookup import position_of_text
from archive.web.shogi.drawing import draw_pattern
from archive.web.shogi.pages import SHOGI as SHOGI_PAGES
from kifu_core.errors import DecodeError, KifuError
from kifu_core.games import SHOGI
from kifu_core.messages import message
from kifu_core.shogi.draw import RANK_NAMES
from kifu_core.shogi.formats.bod import diagram
from kifu_core.shogi.handicaps import ENGLISH, Handicap
from kifu_core.shogi.handicaps import HANDICAPS as STARTS
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.oddities import Oddity, oddities
from kifu_core.shogi.pieces import FULL_SET, KANJI, OU
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, RANKS

SFEN_LIMIT: Final = 1000
"""Characters of an SFEN in an address."""

_SIDES: Final = ("☗", "☖")


@dataclass(frozen=True, slots=True)
class Hint:
    """An oddity of a position; an `error` is impossible in a game."""

    error: bool
    text: str


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest) -> HttpResponse:
    """Show the editor with the position in the address; POST reads a pasted text."""
    if request.method == "POST":
        return read_pasted(request)
    if "pattern" in request.GET:
        return draw_pattern(request)
    text = request.GET.get("sfen", "").strip()[:SFEN_LIMIT]
    error, position = "", Position.initial()
    if text:
        try:
            position = Position.from_sfen(text)
        except KifuError as decode_error:
            error = message(decode_error, language=language())
    part = request.GET.get("part") == "hints"
    template = "shogi/editor_hints.html" if part else "shogi/edit.html"
    return render(request, template, _context(position, text, error), status=400 if error and part else 200)


def read_pasted(request: HttpRequest) -> HttpResponse:
    """Redirect to the editor with the position in a pasted text; for an invalid text show it with the
    reason."""
    text = request.POST.get("text", "")
    try:
        check_search_text(text)
        with limited_reading():
            position = position_of_text(SHOGI, text.strip())
    except KifuError as error:
        return refusal(request, text, error)
    return redirect(reverse("position-edit", query={"sfen": position.sfen()}))


def refusal(request: HttpRequest, text: str, error: KifuError) -> HttpResponse:
    """Show the editor with the reason for refusing a text, and the text unless it is too long."""
    status = STATUSES.get(error.code, 400)
    context = _context(Position.initial(), "", detail_of(error))
    shown = "" if error.code == "too-large" else text
    return render(request, "shogi/edit.html", context | {"pasted": shown}, status=status)


def _context(position: Position, text: str, error: str) -> dict[str, Any]:
    try:
        code = shogi64.encode(position)
    except KifuError:
        code = ""
    return {
        "position": position,
        "sfen": position.sfen(),
        "text": text or position.sfen(),
        "error": error,
        "code": code,
        "hints": hints(position),
        "presets": _presets(),
        "box": [(kind, KANJI[kind]) for kind in (*reversed(range(1, OU)), OU)],
        "ranks": RANK_NAMES[language()],
        "section": "position-edit",
    }


def _presets() -> list[tuple[str, str]]:
    """Return name and SFEN of every named start, and of an empty board."""
    japanese = language() == "ja"

    def title(start: Handicap) -> str:
        return (
            start.name if japanese else ENGLISH.get(start.name) or str(SHOGI_PAGES.words.starts[start.preset])
        )

    starts = [(title(start), f"{start.sfen} 1") for start in STARTS]
    return [*starts, (_("Empty board"), "9/9/9/9/9/9/9/9/9 b - 1")]


def hints(position: Position) -> list[Hint]:
    """Return the oddities of a position, impossible ones first."""
    return [
        Hint(oddity.impossible, _TEXTS[oddity.code] % _parameters(oddity)) for oddity in oddities(position)
    ]


_TEXTS: Final = {
    "too-many-kings": _lazy("%(side)s has more than one king."),
    "too-many": _lazy("%(piece)s: %(number)s pieces, a set has %(most)s."),
    "two-pawns": _lazy("%(side)s has two pawns on file %(file)s."),
    "dead": _lazy("%(side)s %(piece)s on %(place)s can never move."),
    "in-check": _lazy("%(side)s is in check, but it is not its turn."),
    "no-king": _lazy("%(side)s has no king."),
    "no-move": _lazy("%(side)s has no legal move."),
}


def _parameters(oddity: Oddity) -> dict[str, str | int]:
    rank = RANK_NAMES[language()][RANKS[oddity.square] - 1]
    return {
        "side": _SIDES[oddity.color],
        "piece": KANJI[oddity.kind],
        "number": oddity.number,
        "most": FULL_SET[oddity.kind] if oddity.kind <= OU else 0,
        "file": oddity.file,
        "place": f"{FILES[oddity.square]}{rank}",
    }


@require_safe
def bod(request: HttpRequest, code: str) -> HttpResponse:
    """Return a position in BOD, the text diagram of Japanese programs."""
    try:
        lines = diagram(shogi64.decode(code))
    except DecodeError as error:
        return invalid_code(request, SHOGI.name, code, error)
    return tagged(request, HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8"))
