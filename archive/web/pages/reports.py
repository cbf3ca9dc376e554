"""The report of a game by an engine: a page, and the part of the game's page that scripts load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import render
from django.urls import reverse

from archive.caching.responses import PART
from archive.project.garbage_collection import gc_paused
from archive.queries.games.analyses import evaluations_of_game
from archive.queries.games.taken_down import game_called, game_shown
from archive.web.replay.game_page import NodeAddresses, title_of
from archive.web.replay.report import SCORES, report_context, scores_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@gc_paused()
def report(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show accuracies and the worst moves of a game by the engine in the address, else by the first one.

    For requests of scripts with the header `PART` the page has no frame.
    """
    game = game_shown(request, game_id)
    if game is None:
        game_called(request, game_id)
        raise Http404
    part = request.headers.get(PART) == "report"
    scores = scores_of(request, game, evaluations_of_game(game))
    kept = f"{SCORES}={scores.report.engine.pk}" if scores.report else ""
    addresses = NodeAddresses(reverse("game", args=[game.pk]), flipped=False, opening=1, kept=kept)
    context = {
        "game": game,
        "title": title_of(game),
        "layout": "archive/part.html" if part else "archive/base.html",
        **report_context(request, game, scores, addresses),
    }
    response = render(request, "archive/game_report.html", context)
    if part:  # a cache might serve it for the page
        response["Cache-Control"] = "no-store"
    return response
