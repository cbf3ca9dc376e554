"""The position editor: a position read from whatever is pasted, and hints about what is odd in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from archive.api.errors import STATUSES
from archive.issues import detail_of, language
from archive.limits.text_limits import check_text, limited_reading
from archive.queries.position_lookup import furthest, of_record, of_text, stored_game
from archive.queries.scope import Scope, scope_of
from archive.web.wording import HANDICAPS
from kifu_core import games
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.messages import message
from kifu_core.shogi import rules
from kifu_core.shogi.draw import RANK_NAMES
from kifu_core.shogi.handicaps import HANDICAPS as STARTS
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.pieces import BLACK, FU, KANJI, KE, KY, OU, WHITE
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, RANKS, SQUARES

SFEN_LIMIT: Final = 1000
"""Characters of an SFEN in an address."""

FULL_SET: Final = {kind: number for kind, number in enumerate((18, 4, 4, 4, 4, 2, 2, 2), start=1)}
_UNPROMOTED: Final = (0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7)
_SIDES: Final = ("☗", "☖")
_MOVES: Final = 2
"""Entries of a record that has a move: the start comes first."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Something odd in a position; `error` cannot come from a game, anything else can."""

    error: bool
    text: str


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest) -> HttpResponse:
    """Set up a position by hand or from a text, look at what is odd in it, and search it."""
    if request.method == "POST":
        return _pasted(request)
    text = request.GET.get("sfen", "").strip()[:SFEN_LIMIT]
    error, position = "", Position.initial()
    if text:
        try:
            position = Position.from_sfen(text)
        except KifuError as found:
            error = message(found, language=language())
    part = request.GET.get("part") == "hints"
    template = "archive/parts/editor_hints.html" if part else "archive/edit.html"
    return render(request, template, _context(position, text, error), status=400 if error and part else 200)


def _pasted(request: HttpRequest) -> HttpResponse:
    """Read a position out of a pasted text and show it; without one the text again, with the reason."""
    text = request.POST.get("text", "")
    try:
        check_text(text, settings.ARCHIVE_MAX_FIND_BYTES)
        with limited_reading():
            position = of_text(SHOGI, text.strip())
    except KifuError as found:
        return refused(request, text, found)
    return redirect(f"{reverse('position-edit')}?{urlencode({'sfen': position.sfen()})}")


def refused(request: HttpRequest, text: str, error: KifuError) -> HttpResponse:
    """The editor with a pasted text that could not be read, unless it is too long, and the reason."""
    status = STATUSES.get(error.code, 400)
    context = _context(Position.initial(), "", detail_of(error))
    shown = "" if error.code == "too-large" else text
    return render(request, "archive/edit.html", context | {"pasted": shown}, status=status)


@require_POST
def find(request: HttpRequest) -> HttpResponse:
    """What a text that was pasted into the search box leads to: the game of a record, else the last of its
    positions that any game reaches; other texts go to the editor."""
    text = request.POST.get("text", "")
    try:
        check_text(text, settings.ARCHIVE_MAX_FIND_BYTES)
        with limited_reading():
            return _leading(scope_of(request), text) or _pasted(request)
    except KifuError as found:
        return refused(request, text, found)


def _leading(scope: Scope, text: str) -> HttpResponse | None:
    """Where a pasted record leads to; None for a text that is none, or leads nowhere."""
    try:
        kind, result = games.load(text)
    except KifuError:
        return None
    record = next((game.record for game in result.games), None)
    if record is None or (kind is SHOGI and len(record["moves"]) < _MOVES):
        return None
    if (game := stored_game(scope, record)) is not None:
        return redirect("game", game)
    code = furthest(scope, record)
    if code is None and kind is not SHOGI:
        code = kind.codec.encode(of_record(kind, record))
    return redirect("position", kind.name, kind.codec.path_code(code)) if code else None


def _context(position: Position, text: str, error: str) -> dict[str, Any]:
    try:
        code = shogi64.encode(position)
    except KifuError:
        code = ""
    return {
        "position": position,
        "sfen": position.sfen(),
        "asked": text or position.sfen(),
        "error": error,
        "code": code,
        "hints": list(hints(position)),
        "presets": _presets(),
        "box": [(kind, KANJI[kind]) for kind in (*reversed(range(1, OU)), OU)],
        "ranks": RANK_NAMES[language()],
        "section": "positions",
    }


def _presets() -> list[tuple[str, str]]:
    """Name and SFEN of every named start, and of an empty board."""
    japanese = language() == "ja"
    named = [
        (
            start.name if japanese or start.preset == "OTHER" else str(HANDICAPS[start.preset]),
            f"{start.sfen} 1",
        )
        for start in STARTS
    ]
    return [*named, (_("Empty board"), "9/9/9/9/9/9/9/9/9 b - 1")]


def hints(position: Position) -> Iterator[Hint]:
    """What is odd in a position, what no game can have first."""
    yield from _too_many(position)
    yield from _two_pawns(position)
    yield from _dead(position)
    if rules.in_check(position, 1 - position.turn):
        yield Hint(
            True, _("%(side)s is in check, but it is not its turn.") % {"side": _SIDES[1 - position.turn]}
        )
    for color in (BLACK, WHITE):
        if (OU if color == BLACK else -OU) not in position.board:
            yield Hint(False, _("%(side)s has no king.") % {"side": _SIDES[color]})
    if OU in position.board and -OU in position.board and not rules.legal_moves(position):
        yield Hint(False, _("%(side)s has no legal move.") % {"side": _SIDES[position.turn]})


def _too_many(position: Position) -> Iterator[Hint]:
    for color, king in ((BLACK, OU), (WHITE, -OU)):
        if position.board.count(king) > 1:
            yield Hint(True, _("%(side)s has more than one king.") % {"side": _SIDES[color]})
    for kind, most in FULL_SET.items():
        number = sum(hand[kind] for hand in position.hands if kind < OU)
        number += sum(_UNPROMOTED[abs(piece)] == kind for piece in position.board)
        if number > most:
            words = {"piece": KANJI[kind], "number": number, "most": most}
            yield Hint(True, _("%(piece)s: %(number)s pieces, a set has %(most)s.") % words)


def _two_pawns(position: Position) -> Iterator[Hint]:
    for color, pawn in ((BLACK, FU), (WHITE, -FU)):
        files = [FILES[square] for square in SQUARES if position.board[square] == pawn]
        for file in sorted({file for file in files if files.count(file) > 1}):
            words = {"side": _SIDES[color], "file": file}
            yield Hint(True, _("%(side)s has two pawns on file %(file)s.") % words)


def _dead(position: Position) -> Iterator[Hint]:
    """Pieces that could never move again."""
    for square in SQUARES:
        piece = position.board[square]
        reach = {FU: 1, KY: 1, KE: 2}.get(abs(piece), 0)
        rank = RANKS[square] if piece > 0 else 10 - RANKS[square]
        if rank <= reach:
            words = {
                "side": _SIDES[BLACK if piece > 0 else WHITE],
                "piece": KANJI[abs(piece)],
                "place": f"{FILES[square]}{RANK_NAMES[language()][RANKS[square] - 1]}",
            }
            yield Hint(True, _("%(side)s %(piece)s on %(place)s can never move.") % words)
