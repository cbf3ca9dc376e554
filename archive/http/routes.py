"""Routes: each says what a request costs, and which database may answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path

View = Callable[..., HttpResponseBase]
Cost = int | Callable[[HttpRequest], Sequence[tuple[Any, int]]]
"""Units of `WORK` (one is about the time that a game's page takes), or a function that returns rules and
their units (`archive.http.limits.rules`)."""


@dataclass(frozen=True, slots=True)
class Route:
    """`replica`: a streaming replica may answer. `progress`: the answer shows what workers have written, so
    that later answers of replicas to the same visitor must not be older."""

    cost: Cost = 0
    replica: bool = False
    progress: bool = False


ROUTES: Final[dict[View, Route]] = {}


def declare(view: View, cost: Cost, *, replica: bool = False, progress: bool = False) -> View:
    """Return the view of a route, and register what `Route` says of it."""
    ROUTES[view] = Route(cost, replica, progress)
    return view


def route(
    address: str, view: View, name: str, cost: Cost, *, replica: bool = False, progress: bool = False
) -> URLPattern:
    """Return a pattern for `urlpatterns`."""
    return path(address, declare(view, cost, replica=replica, progress=progress), name=name)


def route_of(request: HttpRequest) -> Route:
    """Return the route of a request; an empty one where the request has no view or its view no `Route`."""
    match = request.resolver_match
    return ROUTES.get(match.func, _NO_ROUTE) if match else _NO_ROUTE


_NO_ROUTE: Final = Route()
