"""The queue of analyses: requests and how far they are, workers, volunteers, and forms that make requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from archive.accounts.roles import may_ask_analysis, may_curate
from archive.analysis import progress, requests
from archive.analysis.errors import AnalysisError
from archive.analysis.queue import engines
from archive.analysis.requests import SearchOptions
from archive.analysis.tasks import begin
from archive.models import AnalysisRequest, Game, HeardProcess, ProcessRole, User
from archive.observing.heartbeats import LATELY
from archive.queries.collections import collection_shown
from archive.queries.games.filters import stored_parameters
from archive.queries.scope import CHOSEN, readable_spaces
from archive.queries.search.errors import QueryError
from archive.web.forms import GameFilterForm, parse_number
from archive.web.replay.game_page import title_of
from kifu_core.classes import PUBLIC
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from archive.analysis.progress import Progress


@require_http_methods(["GET", "HEAD", "POST"])
def queue(request: HttpRequest) -> HttpResponse:
    """Show the queue; POST has a `game`, or the games of a `search`, analysed, or cancels a request."""
    if request.method == "POST":
        if not isinstance(request.user, User):
            return redirect_to_login(request.get_full_path())
        try:
            return _post(request, request.user)
        except AnalysisError as error:
            messages.error(request, error.text)
        except QueryError as error:
            messages.error(request, str(error.message()))
        return redirect("analysis-queue")
    return render(request, "archive/analysis_queue.html", _context(request))


def _post(request: HttpRequest, user: User) -> HttpResponse:
    if "cancel" in request.POST:
        row = get_object_or_404(
            requests.requests_in(readable_spaces(request).values()), pk=parse_number(request.POST["cancel"])
        )
        requests.cancel(user, row)
        messages.success(request, _("The request is cancelled."))
    elif "search" in request.POST:
        _request_search(request, user, request.POST["search"])
    else:
        number = parse_number(request.POST.get("game", ""))
        game = get_object_or_404(Game, pk=number, space__in=readable_spaces(request).values())
        requests.request_game(user, game, SearchOptions())
        begin()
        messages.success(request, _("The game will be analysed."))
    return redirect("analysis-queue")


def _request_search(request: HttpRequest, user: User, search: str) -> None:
    form = GameFilterForm(QueryDict(search), label_suffix="")
    if not form.is_valid():
        messages.error(request, _("The search has an error."))
        return
    filters = stored_parameters(form.cleaned_data)
    if collection := filters.get("collection"):
        collection_shown(request, int(collection))
    space = readable_spaces(request).get(QueryDict(search).get(CHOSEN, "public"), PUBLIC)
    # Best moves become problems by the difference to the second line.
    lines = parse_number(request.POST.get("lines", ""), 2) or 0
    requests.request_search(user, space, filters, search, SearchOptions(lines=lines))
    begin()
    messages.success(request, _("The games will be analysed."))


def may_request(request: HttpRequest, kind: str, space: int) -> bool:
    """Return whether a visitor may have a game of a kind in a space analysed."""
    return kind == SHOGI.name and bool(engines().engine) and requests.may_analyse(request.user, space)


def may_request_lists(request: HttpRequest) -> bool:
    """Return whether a visitor may have all public games of a search analysed."""
    return bool(engines().engine) and requests.may_analyse_lists(request.user, PUBLIC)


def _context(request: HttpRequest) -> dict[str, Any]:
    file, listed = engines(), progress.listed(readable_spaces(request).values())
    workers = HeardProcess.objects.filter(role=ProcessRole.ANALYST, seen__gte=timezone.now() - LATELY)
    works = any(one.request.state == AnalysisRequest.State.OPEN for one in listed)
    return {
        "section": "analysis",
        "engines": file.engine,
        "network": settings.ARCHIVE_NETWORK,
        "default_engine": file.default,
        "rows": list(zip(listed, _titles(listed), map(_may_cancel(request), listed), strict=True)),
        "works": works,
        "workers": workers.count(),
        "in_work": progress.positions_in_work(),
        "volunteers": progress.active_volunteers(),
        "remaining": _remaining(request),
    }


def _remaining(request: HttpRequest) -> int | None:
    """Return how many more games an account may have analysed today; None without a limit or an account."""
    user = request.user
    limited = isinstance(user, User) and may_ask_analysis(user) and not may_curate(user)
    return requests.remaining_games(user) if limited and isinstance(user, User) else None


def _may_cancel(request: HttpRequest) -> Any:
    return lambda one: requests.may_cancel(request.user, one.request)


def _titles(listed: list[Progress]) -> list[str]:
    """Return the titles of requests: players, or the words of a search."""
    numbers = {int(one.request.title) for one in listed if one.request.title.isdecimal()}
    games = Game.objects.select_related("player0", "player1").in_bulk(numbers)
    return [_title(one.request, games) for one in listed]


def _search_words(search: str) -> str:
    """Return the fields of a search in words."""
    form = GameFilterForm(QueryDict(search), label_suffix="")
    words = list[str]()
    for bound in form:
        if value := bound.value():
            choices = dict(getattr(bound.field, "choices", ()))
            words.append(f"{bound.label}: {choices.get(value, value)}")
    return " · ".join(words) or _("All games")


def _title(row: AnalysisRequest, games: dict[int, Game]) -> str:
    if row.priority == AnalysisRequest.Priority.RULE:
        return _("New public games")
    if row.priority == AnalysisRequest.Priority.LIST:
        return _search_words(row.title)
    game = games.get(int(row.title)) if row.title.isdecimal() else None
    if game is None or game.space != row.space:
        return _("A game that is gone")
    return title_of(game)
