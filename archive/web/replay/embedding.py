"""Boards that stand in frames of other sites: one game, one position."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from archive.derive.issues import language
from archive.project.garbage_collection import uncollected
from archive.queries.games.taken_down import game_called, game_shown
from archive.web.pages.views import asked_choice, asked_ply, decoded, template_of
from archive.web.replay.game_page import game_context, look_up
from archive.web.wording import words_of
from kifu_core.errors import DecodeError
from kifu_core.games import GAMES
from kifu_core.messages import message

THEMES: Final = ("light", "dark")


@uncollected()
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show a game's replay without the site around it; `theme` is light or dark, `moves=0` hides the list."""
    found = game_shown(request, game_id)
    if found is None:
        game_called(request, game_id)
        raise Http404
    flipped = request.GET.get("flip") == "1"
    node = (request.GET.get("fork", ""), asked_ply(request))
    known = look_up(request, found, twins=False)

    context = game_context(known, *node, flipped, request.path, asked_choice(request))
    context |= {"theme": _theme(request), "with_moves": request.GET.get("moves") != "0"}
    return render(request, template_of(found.kind, "embed_game"), context)


def position(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """Show a position without the site around it."""
    try:
        shown, code = decoded(kind, code)
    except DecodeError as error:
        wrong = {"text": message(error, language=language()), "error": error.code, "theme": _theme(request)}
        return render(request, "archive/embed_invalid.html", wrong, status=400)

    return render(request, template_of(kind, "embed_position"), _position(request, kind, code, shown))


def _position(request: HttpRequest, kind: str, code: str, shown: Any) -> dict[str, Any]:
    return {
        "position": shown,
        "last": None,
        "words": words_of(kind, shown),
        "url": reverse("position", args=[kind, GAMES[kind].codec.path_code(code)]),
        "flipped": request.GET.get("flip") == "1",
        "theme": _theme(request),
    }


def _theme(request: HttpRequest) -> str:
    """Return the theme that the address asks for; empty leaves it to the reader's system."""
    return next((theme for theme in THEMES if theme == request.GET.get("theme")), "")
