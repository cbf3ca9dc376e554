"""Routes of pages: each says what a request costs, who may see the page, and whether it is cached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from django.contrib.auth.decorators import login_not_required, login_required
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from archive.caching.responses import cached_page
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

    A `cached` page answers only GET and HEAD; strangers get the same response until something is committed.
    `readers` are all visitors, unless the archive asks for a login. `around` decorates
    the cached view. `options` are further arguments of the view. The rest is as in `archive.http.routes`.
    """
    if cached:
        view = require_safe(cached_page(view))
    if around is not None:
        view = around(view)
    if access == "anybody":
        view = login_not_required(view)
    elif access == "accounts":
        view = login_required(view)
    return path(address, declare(view, cost, replica=replica, progress=progress), options, name)
