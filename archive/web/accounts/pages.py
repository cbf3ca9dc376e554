"""The overview of an account, and views of django-allauth that need more than a template."""

from __future__ import annotations

from typing import Any

from allauth.account import views as allauth_views
from allauth.account.internal.stagekit import clear_login
from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.internal.flows.sessions import end_sessions
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode

from archive.accounts.roles import is_administrator, role_of
from archive.http.limits.mails import charge_mail
from archive.models import Hook, Token, User
from archive.web.accounts import invited
from archive.web.accounts.adapter import ERRORS, NOT_SENT, MailError
from archive.web.accounts.forms import TakenError
from archive.web.accounts.leaving import end_account
from archive.web.accounts.own import own
from archive.web.forms import parse_number


@method_decorator(login_not_required, name="dispatch")
class SignOutView(LogoutView):
    """Signs out by POST, also somebody who is signed out already."""


class SignUpView(allauth_views.SignupView):
    user: User | None = None

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            response: HttpResponse = super().form_valid(form)
        except TakenError:
            form.add_error("username", ERRORS["username_taken"])
            response = self.form_invalid(form)
        except MailError:  # the address could never be confirmed, and the name would stay taken
            clear_login(self.request)
            if self.user is not None:
                end_account(self.user)
            form.add_error("email", NOT_SENT)
            response = self.form_invalid(form)
        return response

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return {"invitation": invited.invitation_of(self.request), **super().get_context_data(**more)}


class EmailsView(allauth_views.EmailView):
    """The e-mail addresses of an account; confirmations that are sent again are charged."""

    def _action_send(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if (address := self._get_email_address(request)) is not None:
            charge_mail(request, address.email)
        return super()._action_send(request, *args, **kwargs)


class SessionsView(ListUserSessionsView):
    """The sessions of an account, each of which can be ended."""

    def form_valid(self, form: Any) -> HttpResponse:
        if not (session := self.request.POST.get("session", "")):
            response: HttpResponse = super().form_valid(form)
            return response
        sessions = UserSession.objects.filter(user=self.request.user, pk=parse_number(session, 18) or 0)
        end_sessions(self.request, sessions)
        return redirect(self.success_url)


def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect from the admin to the sign-in page. A visitor who is signed in has no right to use the
    admin."""
    if request.user.is_authenticated:
        raise PermissionDenied
    address = request.GET.get("next") or reverse("admin:index")
    return redirect(f"{reverse('sign-in')}?{urlencode({'next': address})}")


@own("GET", "HEAD")
def account(request: HttpRequest, user: User) -> HttpResponse:
    """Show an account, with links to change it."""
    role = role_of(user)
    context = {
        "role": role.label if role else "",
        "addresses": EmailAddress.objects.filter(user=user).order_by("-primary", "email"),
        "second_factor": is_mfa_enabled(user),
        "tokens": Token.objects.filter(user=user).count(),
        "hooks_off": Hook.objects.filter(user=user).exclude(disabled="").exists(),
        "administrator": is_administrator(user),
    }
    return render(request, "account/account.html", context)
