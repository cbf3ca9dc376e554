"""Properties of routes: the cost of a request, and whether replicas may answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path

View = Callable[..., HttpResponseBase]
Cost = int | Callable[[HttpRequest], Sequence[tuple[Any, int]]]
"""Units of `WORK` (one is about the time of a game's page), or a function that returns rules and units
(`archive.http.limits.rules`)."""


@dataclass(frozen=True, slots=True)
class Route:
    """`replica`: a streaming replica may answer. `progress`: the answer shows the work of workers, so later
    answers of replicas to the same visitor must not be older."""

    cost: Cost = 0
    replica: bool = False
    progress: bool = False


ROUTES: Final[dict[View, Route]] = {}


def declare(view: View, cost: Cost, *, replica: bool = False, progress: bool = False) -> View:
    """Register the `Route` of a view; return the view."""
    ROUTES[view] = Route(cost, replica, progress)
    return view


def route(
    address: str, view: View, name: str, cost: Cost, *, replica: bool = False, progress: bool = False
) -> URLPattern:
    """Declare a route; return its pattern for `urlpatterns`."""
    return path(address, declare(view, cost, replica=replica, progress=progress), name=name)


def route_of(request: HttpRequest) -> Route:
    """Return the route of a request; an empty one if its view is not declared."""
    match = request.resolver_match
    return ROUTES.get(match.func, _NO_ROUTE) if match else _NO_ROUTE


_NO_ROUTE: Final = Route()
