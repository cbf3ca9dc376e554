"""The tokens of an account for programs: list, make, revoke."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from archive.accounts import tokens as stored
from archive.accounts.roles import SCOPES, may_curate, may_upload
from archive.models import Token, User
from archive.web.accounts.own import own

MOST: Final = 50
"""Tokens of one account."""

_DAYS: Final = {"30": _("30 days"), "90": _("90 days"), "365": _("a year"), "": _("until it is revoked")}


class TokenForm(forms.Form):
    name = forms.CharField(label=_("What it is for"), max_length=80)
    scopes = forms.MultipleChoiceField(label=_("What it may do"), widget=forms.CheckboxSelectMultiple)
    days = forms.ChoiceField(label=_("Valid for"), choices=_DAYS.items(), initial="90", required=False)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.fields["scopes"].choices = scopes_for(user)  # type: ignore[attr-defined]


def scopes_for(user: User) -> list[tuple[str, Any]]:
    """Return the scopes that the role of an account allows, with their labels."""
    missing = {name for name, may in (("upload", may_upload), ("admin", may_curate)) if not may(user)}
    return [(name, words) for name, (words, _rights) in SCOPES.items() if name not in missing]


@own("GET", "HEAD", "POST", proof="to change")
def tokens(request: HttpRequest, user: User) -> HttpResponse:
    """List the tokens of an account. A POST makes one; only its response shows the key."""
    form = TokenForm(user, request.POST if request.method == "POST" else None)
    key = ""
    if form.is_valid() and Token.objects.filter(user=user).count() < MOST:
        days = form.cleaned_data["days"]
        expires = timezone.now() + timedelta(days=int(days)) if days else None
        _token, key = stored.create(user, form.cleaned_data["name"], form.cleaned_data["scopes"], expires)
        form = TokenForm(user)
    own_tokens = Token.objects.filter(user=user).order_by("-pk")
    rows = [(token, [SCOPES[scope][0] for scope in token.scopes if scope in SCOPES]) for token in own_tokens]
    context = {"form": form, "rows": rows, "key": key, "full": len(rows) >= MOST, "now": timezone.now()}
    return render(request, "account/tokens.html", context)


@own("POST")
def revoke(request: HttpRequest, user: User, token_id: int) -> HttpResponse:
    stored.revoke(user, token_id)
    return redirect("tokens")
