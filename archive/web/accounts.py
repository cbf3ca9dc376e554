"""Signing in and out: Django's own views under our templates.

Passwords are counted where they are looked at (`archive.limits.signing_in`), so this page needs no limit of
its own. `next` is followed on this site only.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.utils.decorators import method_decorator


class SignIn(LoginView):
    """The form for name and password; members and staff alike."""

    template_name = "archive/sign_in.html"

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"label_suffix": ""}


@method_decorator(login_not_required, name="dispatch")
class SignOut(LogoutView):
    """A POST ends the session; who is a stranger already is told nothing else."""
