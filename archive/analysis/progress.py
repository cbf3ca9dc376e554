"""How far requests for analyses are, and who works on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from archive.accounts.roles import may_curate
from archive.analysis.requests import requests_in
from archive.models import AnalysisClaim, AnalysisGame, AnalysisRequest, AnalysisVolunteer
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from archive.accounts.roles import AnyUser

LISTED: Final = 50
"""Requests of a list."""
LATELY: Final = timedelta(hours=1)
"""Age of the last work of volunteers that are listed."""


@dataclass(frozen=True)
class Progress:
    """A request and its numbers. `ahead` are open games that come first; None if the request is not open."""

    request: AnalysisRequest
    games: int
    games_done: int
    remaining: int
    ahead: int | None

    @property
    def percent(self) -> int:
        """Return the share of listed games that are done."""
        return 100 * self.games_done // self.games if self.games else 0


def of(request: AnalysisRequest) -> Progress:
    """Return how far a request is."""
    open_games = Q(state=AnalysisGame.State.OPEN)
    numbers = request.games.aggregate(
        games=Count("pk"),
        waiting=Count("pk", filter=open_games),
        remaining=Sum("remaining", filter=open_games),
    )
    is_open = request.state == AnalysisRequest.State.OPEN
    return Progress(
        request,
        numbers["games"],
        numbers["games"] - numbers["waiting"],
        numbers["remaining"] or 0,
        _ahead(request) if is_open else None,
    )


def _ahead(request: AnalysisRequest) -> int:
    """Return how many open games come before a request; lists of one priority take turns, so only one game
    of each of them does."""
    first = Q(request__priority__lt=request.priority)
    if request.priority == AnalysisRequest.Priority.PERSON:
        first |= Q(request__priority=request.priority, request__lt=request.pk)
    waiting = AnalysisGame.objects.filter(
        first, state=AnalysisGame.State.OPEN, request__state=AnalysisRequest.State.OPEN
    )
    return waiting.count()


def listed(spaces: Iterable[int]) -> list[Progress]:
    """Return the requests in some spaces: open ones in the order of work, then the latest others."""
    rows = requests_in(spaces)
    waiting = rows.filter(state=AnalysisRequest.State.OPEN).order_by("priority", "worked", "pk")[:LISTED]
    others = rows.exclude(state=AnalysisRequest.State.OPEN).order_by("-pk")[:LISTED]
    return [of(row) for row in [*waiting, *others]]


def sees_account(user: AnyUser, request: AnalysisRequest) -> bool:
    """Return whether a user may see who made a request."""
    return request.user_id == user.pk or request.space != PUBLIC or may_curate(user)


def active_volunteers() -> QuerySet[AnalysisVolunteer]:
    """Return the volunteers that have worked lately, or were disabled."""
    lately = Q(seen__gt=timezone.now() - LATELY) | Q(disabled__isnull=False)
    return AnalysisVolunteer.objects.filter(lately).select_related("user").order_by("-seen")[:LISTED]


def positions_in_work() -> int:
    """Return how many positions are claimed."""
    return AnalysisClaim.objects.filter(until__gt=timezone.now()).count()
