"""The decorator of pages for the visitor's own account."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

from allauth.account.decorators import reauthentication_required
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.models import User

View = Callable[..., HttpResponse]


def own(*methods: str, proof: Literal["to see", "to change", ""] = "") -> Callable[[View], View]:
    """Decorate a view that requires a login, is never cached, and receives the account as `user`.

    `proof` requires a recent reauthentication for every request, or for those that change something.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def with_user(request: HttpRequest, **parts: Any) -> HttpResponse:
            assert isinstance(request.user, User)
            return view(request, user=request.user, **parts)

        guarded: View = with_user
        if proof:
            guarded = reauthentication_required(allow_get=proof == "to change")(with_user)
        return never_cache(login_required(require_http_methods(methods)(guarded)))

    return decorate
