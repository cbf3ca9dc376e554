"""Links for new accounts: administrators make them, invited people open them."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from archive.accounts import invitations as stored
from archive.accounts.roles import Role, is_administrator
from archive.libraries import MEMBERS, own_groups
from archive.models import AccountInvitation, Space, User
from archive.project.site_address import public_address
from archive.web.accounts import invited
from archive.web.accounts.own import own

_DAYS: Final = {"1": _("a day"), "7": _("a week"), "30": _("30 days")}
_MOST_SHOWN: Final = 100


class InvitationForm(forms.Form):
    note = forms.CharField(label=_("For (note)"), max_length=80, required=False)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.CONTRIBUTOR)
    days = forms.ChoiceField(label=_("Valid for"), choices=_DAYS.items(), initial="7")
    people = forms.IntegerField(
        label=_("For how many people"), min_value=1, max_value=MEMBERS, initial=1, required=False
    )
    group = forms.ModelChoiceField(
        Space.objects.none(), label=_("Group they join"), required=False, empty_label=_("none")
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.fields["group"].queryset = own_groups(user)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["people"] = data.get("people") or 1
        if data.get("role") == Role.ADMINISTRATOR and data["people"] > 1:
            self.add_error("people", _("A link makes one administrator at most."))
        return data


@require_safe
@login_not_required
@never_cache
def come(request: HttpRequest, key: str) -> HttpResponse:
    """Redirect to the form for a new account; the session holds the key, so no further address shows it."""
    if request.user.is_authenticated or invited.usable_invitation(key) is None:
        return render(request, "account/invitation_invalid.html", status=404)
    invited.remember(request, key)
    return redirect("account_signup")


@own("GET", "HEAD", "POST", proof="to change")
def invitations(request: HttpRequest, user: User) -> HttpResponse:
    """List the invitations. A POST makes one; only its response shows the link."""
    _check(user)
    form = InvitationForm(user, request.POST if request.method == "POST" else None)
    link = ""
    if form.is_valid():
        data = form.cleaned_data
        role, days = Role(data["role"]), int(data["days"])
        _invitation, key = stored.create(role, days, user, data["note"], data["people"], data["group"])
        link = public_address(request.build_absolute_uri(reverse("invitation", args=[key])))
        form = InvitationForm(user)
    newest = AccountInvitation.objects.select_related("made_by", "group").order_by("-pk")
    users = Prefetch("used_by", User.objects.only("username").order_by("pk"))
    rows = newest.prefetch_related(users)[:_MOST_SHOWN]
    closed = settings.ARCHIVE_REGISTRATION == "closed"
    context = {"form": form, "rows": rows, "link": link, "closed": closed, "now": timezone.now()}
    return render(request, "account/invitations.html", context)


@own("POST")
def withdraw(request: HttpRequest, user: User, invitation_id: int) -> HttpResponse:
    """Withdraw an unused invitation."""
    _check(user)
    stored.withdraw(invitation_id, user)
    return redirect("invitations")


def _check(user: User) -> None:
    if not is_administrator(user):
        raise PermissionDenied
