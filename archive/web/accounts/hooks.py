"""The webhooks of an account: list, make, test, enable, remove."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive.hooks import own_hooks
from archive.hooks.addresses import LONGEST
from archive.hooks.errors import TEXTS, HookError
from archive.models import Hook, HookDelivery, Space, User
from archive.queries.scope import readable_spaces
from archive.queries.search.errors import QueryError
from archive.web.accounts.own import own
from archive.web.forms import QueryField

_FAILURES: dict[str, str | Promise] = {
    **TEXTS,
    "connection": gettext_lazy("no connection"),
    "timeout": gettext_lazy("no answer in time"),
    "tls": gettext_lazy("the certificate is not good"),
    "redirect": gettext_lazy("it leads elsewhere, which is not followed"),
    "answer": gettext_lazy("the answer is no HTTP"),
    "nothing-left": gettext_lazy("the games were gone before they were sent"),
}


class HookForm(forms.Form):
    target_url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=LONGEST,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    query = QueryField(label=gettext_lazy("Query (empty for all games)"), required=False, strip=True)
    scope = forms.MultipleChoiceField(
        label=gettext_lazy("Of the games in"), widget=forms.CheckboxSelectMultiple, initial=["public"]
    )

    def __init__(self, scopes: list[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.fields["scope"].choices = scopes  # type: ignore[attr-defined]


@own("GET", "HEAD", "POST", proof="to change")
def hooks(request: HttpRequest, user: User) -> HttpResponse:
    """List the webhooks of an account. A POST makes one; only its response shows the secret."""
    scopes = _scopes(request)
    initial = {"query": request.GET.get("q", ""), "scope": ["public"]}
    form = HookForm(scopes, request.POST if request.method == "POST" else None, initial=initial)
    secret = ""
    if form.is_valid():
        data = form.cleaned_data
        try:
            _hook, secret = own_hooks.make_hook(
                user,
                data["target_url"].strip(),
                data["query"],
                ",".join(data["scope"]),
                readable_spaces(request),
            )
            form = HookForm(scopes)
        except HookError as error:
            form.add_error(error.field or None, error.text)
        except QueryError as error:
            form.add_error("query", error.message())
    rows = Hook.objects.filter(user=user).order_by("-pk")
    limit = settings.ARCHIVE_HOOKS_PER_ACCOUNT
    context = {
        "form": form,
        "rows": [_row(one, dict(scopes)) for one in rows],
        "secret": secret,
        "most": limit,
    }
    return render(request, "account/hooks.html", context | {"full": len(rows) >= limit})


def _scopes(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the names in addresses and the titles of the spaces that the visitor may read."""
    readable = readable_spaces(request)
    groups = dict(Space.objects.filter(pk__in=readable.values()).values_list("pk", "name"))
    names = {"public": _("the public archive"), "mine": _("your library")}
    return [(name, names.get(name) or groups.get(pk, name)) for name, pk in readable.items()]


def _row(hook: Hook, space_names: dict[str, str]) -> dict[str, Any]:
    deliveries = hook.deliveries.order_by("-made")[: own_hooks.LISTED_DELIVERIES]
    return {
        "hook": hook,
        "scope": " · ".join(space_names.get(name, name) for name in hook.scope.split(",")),
        "off": Hook.Off(hook.disabled).label if hook.disabled else "",
        "deliveries": [(delivery, _outcome(delivery)) for delivery in deliveries],
    }


def _outcome(delivery: HookDelivery) -> str:
    status = "" if delivery.status is None else str(delivery.status)
    error = str(_FAILURES.get(delivery.error, delivery.error))
    return " · ".join(filter(None, (status, error))) or _("waits")


@own("POST")
def remove(request: HttpRequest, user: User, hook_id: int) -> HttpResponse:
    if not own_hooks.remove_hook(user, hook_id):
        raise Http404
    return redirect("hooks")


@own("POST")
def test(request: HttpRequest, user: User, hook_id: int) -> HttpResponse:
    """Send a delivery without games."""
    hook = get_object_or_404(Hook, pk=hook_id, user=user)
    if hook.disabled:
        messages.error(request, _("This webhook is switched off: switch it on before you try it."))
    else:
        own_hooks.request_test(hook)
        text = _("A test is sent in a moment. Load this page again to see what was answered.")
        messages.success(request, text)
    return redirect("hooks")


@own("POST")
def enable(request: HttpRequest, user: User, hook_id: int) -> HttpResponse:
    own_hooks.enable_hook(user, get_object_or_404(Hook, pk=hook_id, user=user))
    return redirect("hooks")
