"""Routes of pages, with cost, access and caching."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from django.contrib.auth.decorators import login_not_required, login_required
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from archive.caching import responses
from archive.http.routes import Cost, declare


def page(
    address: str,
    view: Any,
    name: str,
    *,
    cost: Cost = 0,
    cached: bool = False,
    replica: bool = False,
    progress: bool = False,
    access: Literal["anybody", "readers", "accounts"] = "readers",
    around: Callable[[Any], Any] | None = None,
    options: dict[str, Any] | None = None,
) -> URLPattern:
    """Return a pattern for `urlpatterns`.

    A `cached` page answers only GET and HEAD; anonymous visitors get the same response until the next commit.
    `readers` are all visitors, unless the archive requires a login. `around` decorates the cached view,
    `options` are passed to it. The other arguments are those of `archive.http.routes.Route`.
    """
    if cached:
        view = require_safe(responses.cached_page(view))
    if around is not None:
        view = around(view)
    if access == "anybody":
        view = login_not_required(view)
    elif access == "accounts":
        view = login_required(view)
    return path(address, declare(view, cost, replica=replica, progress=progress), options, name)


cached_page = partial(page, cached=True, replica=True)
account_page = partial(page, access="accounts")
