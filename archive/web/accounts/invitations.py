"""Links for new accounts: made by administrators, opened by who is invited."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from archive.accounts import invitations as stored
from archive.accounts.roles import Role, is_administrator
from archive.models import AccountInvitation, User
from archive.site_address import public
from archive.web.accounts import invited
from archive.web.accounts.own import own

_DAYS: Final = {"1": _("a day"), "7": _("a week"), "30": _("30 days")}
_SHOWN: Final = 100


class InvitationForm(forms.Form):
    """A new invitation: for whom it is, what they may do, and how long it is valid."""

    note = forms.CharField(label=_("For (note)"), max_length=80, required=False)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.CONTRIBUTOR)
    days = forms.ChoiceField(label=_("Valid for"), choices=_DAYS.items(), initial="7")


@require_safe
@login_not_required
@never_cache
def come(request: HttpRequest, key: str) -> HttpResponse:
    """Take somebody with an invitation to the form for a new account; the key is in no address from there
    on."""
    if request.user.is_authenticated or invited.allowed(key) is None:
        return render(request, "account/invitation_invalid.html", status=404)
    invited.keep(request, key)
    return redirect("account_signup")


@own("GET", "HEAD", "POST", proof="to change")
def invitations(request: HttpRequest, user: User) -> HttpResponse:
    """List the invitations. A POST makes another, whose link this page shows and no other."""
    _check(user)
    sent: Any = request.POST if request.method == "POST" else None
    form = InvitationForm(sent, label_suffix="")
    link = ""
    if form.is_valid():
        role, days = Role(form.cleaned_data["role"]), int(form.cleaned_data["days"])
        _made, key = stored.make(role, days, user, form.cleaned_data["note"])
        link = public(request.build_absolute_uri(reverse("invitation", args=[key])))
        form = InvitationForm(label_suffix="")
    rows = AccountInvitation.objects.select_related("used_by", "made_by").order_by("-pk")[:_SHOWN]
    closed = settings.ARCHIVE_REGISTRATION == "closed"
    context = {"form": form, "rows": rows, "link": link, "closed": closed, "now": timezone.now()}
    return render(request, "account/invitations.html", context)


@own("POST")
def withdraw(request: HttpRequest, user: User, invitation_id: int) -> HttpResponse:
    """End an invitation that nobody has used."""
    _check(user)
    stored.withdraw(invitation_id, user)
    return redirect("invitations")


def _check(user: User) -> None:
    if not is_administrator(user):
        raise PermissionDenied
