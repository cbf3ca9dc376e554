"""Pages that are for one's own account."""

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
    """Make a function a view for who has signed in, whose account it gets as `user`. Nobody keeps its
    answers.

    `proof` says when somebody has to give the password or a code once more, if they have not just done so.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def asked(request: HttpRequest, **parts: Any) -> HttpResponse:
            assert isinstance(request.user, User)
            return view(request, user=request.user, **parts)

        guarded = asked
        if proof:
            guarded = reauthentication_required(allow_get=proof == "to change")(asked)
        return never_cache(login_required(require_http_methods(methods)(guarded)))

    return decorate
