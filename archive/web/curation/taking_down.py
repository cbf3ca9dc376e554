"""The page on which curators take a game down, and restore it."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.curation import taking_down
from archive.curation.errors import CurationError
from archive.models import Game, User
from archive.queries.games.taken_down import GoneError, game_called, game_shown
from archive.queries.scope import scope_of
from archive.web.curation.correcting import typed_line
from archive.web.curation.deeds import remember
from archive.web.replay.game_page import facts
from kifu_core.classes import PUBLIC


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def take_down(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the form that takes a game down, or that restores it; POST does so."""
    user = request.user
    if not isinstance(user, User) or not taking_down.may_take_down(user):
        raise PermissionDenied
    try:
        game = game_shown(request, game_id)
        if game is None:
            return redirect("game-take-down", game_called(request, game_id))
    except GoneError:
        game = None
    reason = typed_line(request.POST.get("reason", ""))
    if request.method == "POST":
        try:
            return (
                _taken_down(request, user, game, reason)
                if game
                else _restored(request, user, game_id, reason)
            )
        except CurationError as error:
            messages.error(request, error.text)
    context = {
        "game": game,
        "number": game_id,
        "title": facts(game, game.jkf)["title"] if game else "",
        "reason": reason,
        "section": "games",
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "archive/curation/take_down.html", context, status=status)


def _taken_down(request: HttpRequest, user: User, game: Game, reason: str) -> HttpResponse:
    public = game.space == PUBLIC
    taking_down.take_down(user, game, reason, hide_bytes="hide" in request.POST)
    if not public:
        messages.success(request, _("The game was taken down."))
        return redirect("game-take-down", game.pk)
    remember(request, "", "take-down", game.pk)
    messages.success(request, _("The game was taken down."))
    return redirect(f"{reverse('bench')}?kind=taken")


def _restored(request: HttpRequest, user: User, pk: int, reason: str) -> HttpResponse:
    restored = taking_down.restore(user, pk, scope_of(request), reason)
    messages.success(request, _("The game was restored."))
    return redirect("game", restored)
