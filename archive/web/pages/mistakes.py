"""The mistakes of a game as problems on its board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from archive.project.garbage_collection import gc_paused
from archive.queries.games.analyses import GameReport, analyses_of_game
from archive.queries.games.mistakes import Mistake, mistakes_of
from archive.queries.games.taken_down import game_called, game_shown
from archive.queries.scope import Scope, scope_of
from archive.web.forms import parse_number
from archive.web.pages.views import share_context, template_of
from archive.web.replay.engine_lines import in_words, thoughts_on
from archive.web.replay.game_page import game_context, title_of
from archive.web.replay.lines import read_line
from archive.web.replay.record import node_key
from archive.web.replay.report import MARKS, SCORES
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.utils.functional import Promise

    from archive.models import Game

_SIDES: Final[Mapping[str, Promise]] = {"": _("Both sides"), "black": _("Black"), "white": _("White")}


@gc_paused()
def mistakes(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the position before a marked move, in which the reader looks for a better one.

    `scores` is the engine whose analysis it is, `side` the side whose moves count, `at` the ply of the move.
    """
    game = game_shown(request, game_id)
    if game is None:
        game_called(request, game_id)
        raise Http404
    report = _report(request, game)
    side = request.GET.get("side", "")
    side = side if side in _SIDES else ""
    at = parse_number(request.GET.get("at", ""), 6) or 0
    found = _mistakes(request, game, report, side, at) if report else []
    if not report or not found:
        context = {"game": game, "analysed": bool(report), "title": title_of(game), "sides": []}
        context["sides"] = _sides(report, side) if report else []
        return render(request, "archive/no_mistakes.html", context)
    number = next((number for number, one in enumerate(found) if one.cost.ply == at), 0)
    context = _context(request, game, report, found, number, side)
    return render(request, template_of(game.kind, "mistakes"), context)


def _report(request: HttpRequest, game: Game) -> GameReport | None:
    """Return the analysis by the engine in the address, else the first one."""
    number = parse_number(request.GET.get(SCORES, ""), 18)
    reports = analyses_of_game(game.pk) if game.kind == SHOGI.name else []
    return next((one for one in reports if one.engine.pk == number), reports[0] if reports else None)


def _mistakes(request: HttpRequest, game: Game, report: GameReport, side: str, at: int) -> list[Mistake]:
    scope = Scope(tuple(dict.fromkeys((*scope_of(request).spaces, game.space))))
    return mistakes_of(scope, game.jkf, report, SHOGI.rules.sides.index(side) if side else None, at)


def _context(
    request: HttpRequest, game: Game, report: GameReport, found: Sequence[Mistake], number: int, side: str
) -> dict[str, Any]:
    one, page = found[number], reverse("game-mistakes", args=[game.pk])
    kept = _query(report, side, one.cost.ply)
    context = game_context(request, game, page, ply=one.cost.ply - 1, kept=kept)
    moves = read_line(game.kind, context["position"], request.GET.get("try", ""))
    context["tried"] = [{"move": move.name, "text": move.text} for move in moves]
    context |= share_context(
        request, reverse("embed-game", args=[game.pk]), str(context["title"]), game.kind, context["path_code"]
    )
    texts = [in_words(SHOGI, one.position, None, [name])[0] for name in (one.played, *one.accepted)]
    return context | {
        "hides_solution": True,
        **dict.fromkeys(("score_chart", "time_chart", "engines")),
        "mistake": one,
        "asked": node_key("", one.cost.ply - 1),
        "asked_ply": one.cost.ply - 1,
        "mark": MARKS[one.cost.mark],
        "lost": f"{50 * one.cost.loss:.0f}",
        "played_text": texts[0],
        "accepted_texts": texts[1:],
        "accepted": " ".join(one.accepted),
        "usual": bool(one.usual),
        "engine": report.engine,
        "thoughts": thoughts_on(SHOGI, one.position, report.engine.title, [one.best]),
        "thought_address": f"{page}?{kept}&ply={one.cost.ply - 1}",
        "number": number + 1,
        "total": len(found),
        "sides": _sides(report, side),
        "previous": f"?{_query(report, side, found[number - 1].cost.ply)}" if number else "",
        "next": f"?{_query(report, side, found[number + 1].cost.ply)}" if number + 1 < len(found) else "",
        "again": f"?{kept}",
    }


def _query(report: GameReport, side: str, at: int) -> str:
    values = {SCORES: report.engine.pk, "side": side, "at": at}
    return urlencode({name: value for name, value in values.items() if value})


def _sides(report: GameReport, chosen: str) -> list[tuple[str, Promise, bool]]:
    return [(f"?{_query(report, side, 0)}", text, side == chosen) for side, text in _SIDES.items()]
