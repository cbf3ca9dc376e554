"""Tokens for programs without a browser (`archive.accounts.devices`): two addresses for the programs, whose
errors are those of RFC 8628, and the page on which users allow or deny a token."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from archive.accounts import devices
from archive.accounts.devices import GrantError
from archive.http.limits.signing_in import attempt
from archive.models import Token, User
from archive.project.site_address import public_address
from archive.web.accounts.own import own
from archive.web.accounts.tokens import MOST, TokenForm, scopes_for

GRANT_TYPE: Final = "urn:ietf:params:oauth:grant-type:device_code"
_LONGEST: Final = 80
"""Characters of the name of a program."""


def _for_programs(view: Callable[[HttpRequest], JsonResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Decorate a view that takes a form of a program without a session, and may raise GrantError."""

    @wraps(view)
    def answered(request: HttpRequest) -> HttpResponse:
        try:
            return view(request)
        except GrantError as error:
            return JsonResponse({"error": error.code, "error_description": str(error)}, status=400)

    return csrf_exempt(never_cache(require_POST(answered)))


def _parameter(request: HttpRequest, name: str, *, default: str | None = None, most: int = 200) -> str:
    """Return a parameter of a form. Raises GrantError if it is missing, repeated or too long."""
    values = request.POST.getlist(name) or ([] if default is None else [default])
    if len(values) != 1 or len(values[0]) > most or not values[0].isprintable():
        raise GrantError("invalid_request", f"the form has one {name}, of at most {most} characters")
    return str(values[0])


@_for_programs
def authorize(request: HttpRequest) -> JsonResponse:
    """Begin a grant (RFC 8628, 3.1): return the codes for the program and for its user."""
    client = _parameter(request, "client_id", most=_LONGEST).strip()
    if not client:
        raise GrantError("invalid_request", "client_id is the name of the program")
    grant, device_code = devices.begin(client, _parameter(request, "scope", default=""))
    address = public_address(request.build_absolute_uri(reverse("device")))
    user_code = f"{grant.user_code[:4]}-{grant.user_code[4:]}"
    return JsonResponse(
        {
            "device_code": device_code,
            "user_code": user_code,
            "verification_uri": address,
            "verification_uri_complete": f"{address}?user_code={user_code}",
            "expires_in": int(devices.LIFETIME.total_seconds()),
            "interval": grant.interval,
        }
    )


@_for_programs
def token(request: HttpRequest) -> JsonResponse:
    """Return the token of a grant that was allowed (RFC 8628, 3.4 and 3.5)."""
    if _parameter(request, "grant_type") != GRANT_TYPE:
        raise GrantError("unsupported_grant_type", f"grant_type is {GRANT_TYPE}")
    client = _parameter(request, "client_id", most=_LONGEST).strip()
    made, key = devices.redeem(_parameter(request, "device_code"), client)
    answer: dict[str, str | int] = {
        "access_token": key,
        "token_type": "Bearer",
        "scope": " ".join(made.scopes),
    }
    if made.expires:
        answer["expires_in"] = int((made.expires - timezone.now()).total_seconds())
    return JsonResponse(answer)


class DeviceForm(forms.Form):
    days = TokenForm.base_fields["days"]


@own("GET", "HEAD", "POST", proof="to change")
def device(request: HttpRequest, user: User) -> HttpResponse:
    """Ask for the code that a program shows, and whether the program gets a token; POST decides."""
    code = request.GET.get("user_code", "")[:20]
    grant = None
    if code:
        with attempt(request, user.username) as tried:
            grant = devices.waiting(code)
            tried.succeeded = grant is not None
    if grant is None:
        return _code_form(request, code)
    scopes = [(name, words) for name, words in scopes_for(user) if name in grant.scopes]
    full = Token.objects.filter(user=user).count() >= MOST
    form = DeviceForm(request.POST if request.method == "POST" else None, label_suffix="")
    context = {"code": code, "grant": grant, "scopes": scopes, "form": form, "full": full}
    if request.method == "POST" and (request.POST.get("action") != "allow" or (form.is_valid() and not full)):
        allowed = [name for name, _words in scopes] if request.POST.get("action") == "allow" else []
        days = form.cleaned_data["days"] if allowed else ""
        if not devices.decide(grant, user, allowed, int(days) if days else None):
            return _code_form(request, code)
        context["decided"] = "allowed" if allowed else "denied"
    return render(request, "account/device.html", context)


def _code_form(request: HttpRequest, code: str) -> HttpResponse:
    """Return the form for a code; `code` is one with which no program waits."""
    return render(request, "account/device.html", {"code": code}, status=400 if code else 200)
