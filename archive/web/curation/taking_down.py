"""The pages on which curators take a game or a person's name down, and restore it."""

from __future__ import annotations

from typing import Any

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
from archive.curation.policy import may_decide
from archive.models import Game, Player, User
from archive.queries.games.taken_down import GoneError, game_called, game_shown
from archive.queries.scope import scope_of
from archive.web.curation.correcting import typed_line
from archive.web.curation.deeds import remember, remember_correction
from archive.web.curation.naming import shown_name
from archive.web.replay.game_page import facts
from kifu_core.classes import PUBLIC


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the form that takes a game down, or that restores it; POST does so."""
    user = request.user
    if not isinstance(user, User) or not taking_down.may_take_down(user):
        raise PermissionDenied
    try:
        shown = game_shown(request, game_id)
        if shown is None:
            return redirect("game-take-down", game_called(request, game_id))
    except GoneError:
        shown = None
    if request.method == "POST":
        try:
            if shown is not None:
                return _taken_down(request, user, shown)
            restored = taking_down.restore(user, game_id, scope_of(request), _reason(request))
            messages.success(request, _("The game was restored."))
            return redirect("game", restored)
        except CurationError as error:
            messages.error(request, error.text)
    return _form(request, _of_game(shown, game_id) | {"section": "games"})


def _reason(request: HttpRequest) -> str:
    return typed_line(request.POST.get("reason", ""))


def _taken_down(request: HttpRequest, user: User, game: Game) -> HttpResponse:
    public = game.space == PUBLIC
    taking_down.take_down(user, game, _reason(request), hide_bytes="hide" in request.POST)
    messages.success(request, _("The game was taken down."))
    if not public:
        return redirect("game-take-down", game.pk)
    remember(request, "", "take-down", game.pk)
    return redirect(f"{reverse('bench')}?kind=taken")


def _form(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    context |= {name: request.POST.get(name, "") for name in ("reason", "initials")}
    status = 400 if request.method == "POST" else 200
    return render(request, "archive/curation/take_down.html", context, status=status)


def _of_game(game: Game | None, number: int) -> dict[str, Any]:
    if game is None:
        text = _("Game %(number)s was taken down. It comes back with its corrections.") % {"number": number}
        return {"restores": True, "heading": _("Restore a game"), "text": text}
    return {
        "heading": _("Take a game down"),
        "title": facts(game, game.jkf)["title"],
        "address": reverse("game", args=[game.pk]),
        "text": _(
            "Nobody sees the game any more: not in lists, searches, statistics and copies. Files that bring "
            "it again wait for a curator. It can be restored."
        ),
        "hides": True,
    }


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def name(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show the form that takes a person's name down, or that restores it; POST does so."""
    player, user = shown_name(request, "player", player_id), request.user
    if not isinstance(user, User) or not isinstance(player, Player) or not may_decide(user, player):
        raise PermissionDenied
    if request.method == "POST":
        try:
            if player.taken_down is None:
                initials = typed_line(request.POST.get("initials", ""))
                made = taking_down.take_down_name(user, player, _reason(request), initials)
                remember_correction(request, made)
                messages.success(request, _("The name was taken down."))
            else:
                taking_down.restore_name(user, player)
                messages.success(request, _("The name was restored."))
            return redirect("player", player.pk)
        except CurationError as error:
            messages.error(request, error.text)
    return _form(request, _of_name(player) | {"section": "players"})


def _of_name(player: Player) -> dict[str, Any]:
    shown = {"title": player.name, "address": reverse("player", args=[player.pk])}
    if player.taken_down is not None:
        text = _("The name comes back in all games, texts and files, and in the history.")
        return shown | {"restores": True, "heading": _("Restore a name"), "text": text}
    return shown | {
        "heading": _("Take a name down"),
        "text": _(
            "Initials take its place in all games, texts and lists, and in the history; the files of these "
            "games are hidden. It can be restored."
        ),
        "names": True,
    }
