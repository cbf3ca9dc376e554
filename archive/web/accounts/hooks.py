"""One's webhooks: made, looked at, tried, switched on again, removed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
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
    """Where a webhook goes, and what it tells of."""

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
    """List the webhooks of an account. A POST makes one, whose secret only this page shows."""
    sent = request.method == "POST"
    scopes = _scopes(request)
    start = {"query": request.GET.get("q", ""), "scope": ["public"]}
    form = HookForm(scopes, request.POST if sent else None, initial=start)
    secret = ""
    if sent and form.is_valid():
        asked = form.cleaned_data
        try:
            _hook, secret = own_hooks.make_hook(
                user,
                asked["target_url"].strip(),
                asked["query"],
                ",".join(asked["scope"]),
                readable_spaces(request),
            )
            form = HookForm(scopes)
        except HookError as error:
            form.add_error(error.field or None, error.text)
        except QueryError as error:
            form.add_error("query", error.message())
    found = Hook.objects.filter(user=user).order_by("-pk")
    most = settings.ARCHIVE_HOOKS_PER_ACCOUNT
    context = {
        "form": form,
        "rows": [_row(one, dict(scopes)) for one in found],
        "secret": secret,
        "most": most,
    }
    return render(request, "account/hooks.html", context | {"full": len(found) >= most})


def _scopes(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the spaces that somebody may read, with what they are called."""
    readable = readable_spaces(request)
    groups = dict(Space.objects.filter(pk__in=readable.values()).values_list("pk", "name"))
    known = {"public": _("the public archive"), "mine": _("your library")}
    return [(name, known.get(name) or groups.get(pk, name)) for name, pk in readable.items()]


def _row(hook: Hook, called: dict[str, str]) -> dict[str, Any]:
    deliveries = hook.deliveries.order_by("-made")[: own_hooks.LISTED_DELIVERIES]
    return {
        "hook": hook,
        "scope": " · ".join(called.get(name, name) for name in hook.scope.split(",")),
        "off": Hook.Off(hook.disabled).label if hook.disabled else "",
        "deliveries": [(one, _told(one)) for one in deliveries],
    }


def _told(one: HookDelivery) -> str:
    """Say what became of a delivery."""
    words = [str(_FAILURES.get(one.error, one.error))] if one.error else []
    if one.status is not None:
        words.insert(0, str(one.status))
    return " · ".join(words) or _("waits")


def _own(user: User, pk: int) -> Hook:
    found = own_hooks.own_hook(user, pk)
    if found is None:
        raise Http404
    return found


@own("POST")
def remove(request: HttpRequest, user: User, hook_id: int) -> HttpResponse:
    """Remove one of one's own webhooks."""
    if not own_hooks.remove_hook(user, hook_id):
        raise Http404
    return redirect("hooks")


@own("POST")
def test(request: HttpRequest, user: User, hook_id: int) -> HttpResponse:
    """Have a delivery without games sent."""
    hook = _own(user, hook_id)
    if hook.disabled:
        messages.error(request, _("This webhook is switched off: switch it on before you try it."))
    else:
        own_hooks.request_test(hook)
        told = _("A test is sent in a moment. Load this page again to see what was answered.")
        messages.success(request, told)
    return redirect("hooks")


@own("POST")
def enable(request: HttpRequest, user: User, hook_id: int) -> HttpResponse:
    """Switch a webhook on again."""
    own_hooks.enable_hook(user, _own(user, hook_id))
    return redirect("hooks")
