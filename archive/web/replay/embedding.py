"""Boards in frames of other sites: one game, one position."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from archive.derive.issues import language
from archive.project.garbage_collection import gc_paused
from archive.queries.games.taken_down import game_called, game_shown
from archive.web.pages.views import parse_position, template_of
from archive.web.replay.game_page import game_context
from archive.web.wording import words_of
from kifu_core.errors import DecodeError
from kifu_core.games import GAMES
from kifu_core.messages import message

THEMES: Final = ("light", "dark")


@gc_paused()
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show a game's replay without the site around it; `theme` is light or dark, `moves=0` hides the list."""
    game = game_shown(request, game_id)
    if game is None:
        game_called(request, game_id)
        raise Http404
    context = game_context(request, game, request.path)
    context |= {"theme": theme_of(request), "with_moves": request.GET.get("moves") != "0"}
    return render(request, template_of(game.kind, "embed_game"), context)


def position(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """Show a position without the site around it."""
    try:
        shown, code = parse_position(kind, code)
    except DecodeError as error:
        wrong = {"text": message(error, language=language()), "error": error.code, "theme": theme_of(request)}
        return render(request, "archive/embed_invalid.html", wrong, status=400)
    context = {
        "position": shown,
        "last": None,
        "words": words_of(kind, shown),
        "url": reverse("position", args=[kind, GAMES[kind].codec.path_code(code)]),
        "flipped": request.GET.get("flip") == "1",
        "theme": theme_of(request),
    }
    return render(request, template_of(kind, "embed_position"), context)


def theme_of(request: HttpRequest) -> str:
    """Return the theme in the address; empty for that of the reader's system."""
    theme = request.GET.get("theme", "")
    return theme if theme in THEMES else ""
