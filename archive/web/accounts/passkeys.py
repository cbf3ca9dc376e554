"""Passkeys: a second factor, and a way to sign in without a password.

An authenticator stores each passkey with its account and verifies the person, so a passkey suffices alone.
Input from browsers is checked more strictly here than in allauth and fido2, which fail on much that no
browser sends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ClassVar, Final, TypeVar

from allauth.core import context as current
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as allauth_forms
from allauth.mfa.webauthn import views as allauth_views
from allauth.mfa.webauthn.internal import auth
from cryptography.exceptions import InvalidSignature
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from fido2.cose import CoseKey
from fido2.utils import websafe_encode
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

from archive.models import User
from archive.web.accounts.forms import PlainForm, second_attempt
from archive.web.accounts.relying import passkeys_work, site_origin

MOST: Final = 20
"""Passkeys of one account."""

_LONGEST_NAME: Final = 60
_LONGEST: Final = 20_000
"""Characters of a credential as JSON; some include a statement of the authenticator's maker."""

_REFUSED: Final = _("This passkey was not accepted.")

View = Callable[..., HttpResponseBase]
Read = TypeVar("Read", RegistrationResponse, AuthenticationResponse)


def passkeys_of(user: User) -> list[Authenticator]:
    """Return the passkeys of an account, the oldest first."""
    passkeys = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    return [*passkeys.order_by("created_at", "pk")]


# --- credentials from browsers ---------------------------------------------------------------------------


class CredentialField(forms.JSONField):
    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and len(value) > _LONGEST:
            raise refusal()
        try:
            return super().to_python(value)
        except (ValueError, RecursionError) as error:
            raise refusal() from error


def refusal() -> ValidationError:
    """Return the one error for all faults of a passkey."""
    return ValidationError(_REFUSED, code="passkey")


@contextmanager
def _refusing() -> Iterator[None]:
    """Replace other validation errors."""
    try:
        yield
    except ValidationError as error:
        raise refusal() from error


def parse_credential(credential_type: type[Read], data: Any) -> Read:
    """Return a credential from a browser, whose origin must be this site. Raises ValidationError."""
    if not passkeys_work(current.request) or not isinstance(data, dict):
        raise refusal()
    try:
        credential = credential_type.from_dict(data)
    except Exception as error:  # fido2 fails in many ways on input that no browser sends
        raise refusal() from error
    if credential is None or credential.response.client_data.origin != site_origin(current.request):
        raise refusal()
    return credential


def _is_usable(credential: RegistrationResponse) -> bool:
    """Return whether the credential holds a key that can verify signatures."""
    attested = credential.response.attestation_object.auth_data.credential_data
    if attested is None or attested.credential_id != credential.raw_id:
        return False
    key = attested.public_key
    if key.ALGORITHM not in CoseKey.supported_algorithms():
        return False
    try:
        key.verify(b"", b"")
    except InvalidSignature:
        return True
    except Exception:  # the key may not be of the type that it declares
        return False
    return False


def _credential_of(credential: RegistrationResponse) -> dict[str, Any]:
    """Return the stored form of a passkey: the parts that hold its key."""
    response = credential.response
    return {
        "id": credential.id,
        "rawId": credential.id,
        "type": "public-key",
        "response": {
            "clientDataJSON": websafe_encode(response.client_data),
            "attestationObject": websafe_encode(response.attestation_object),
        },
    }


# --- forms -----------------------------------------------------------------------------------------------


class AddPasskeyForm(PlainForm, allauth_forms.AddWebAuthnForm):
    labels: ClassVar = {"name": _("Name of the passkey")}
    name = forms.CharField(required=False, max_length=_LONGEST_NAME)
    credential = CredentialField()
    passwordless = None  # a field of allauth's form; each of our passkeys suffices alone

    def clean(self) -> dict[str, Any]:
        if "credential" not in self.cleaned_data:
            return self.cleaned_data
        credential = parse_credential(RegistrationResponse, self.cleaned_data["credential"])
        if not _is_usable(credential) or len(passkeys_of(self.user)) >= MOST:
            raise refusal()
        with _refusing():
            cleaned = super().clean() or {}
        if _is_registered(credential.id):
            raise refusal()
        return cleaned | {"credential": _credential_of(credential)}


def _is_registered(credential: str) -> bool:
    """Return whether a passkey is registered already (https://www.w3.org/TR/webauthn-3/, 7.1, step 26)."""
    passkeys = Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN)
    return bool(passkeys.filter(data__credential__id=credential).exists())


class RenamePasskeyForm(PlainForm, allauth_forms.EditWebAuthnForm):
    labels: ClassVar = {"name": _("Name of the passkey")}
    name = forms.CharField(max_length=_LONGEST_NAME)


class _PasskeyForm(PlainForm, allauth_forms.AuthenticateWebAuthnForm):
    """A wrong passkey counts as a failed attempt to sign in."""

    credential = CredentialField()
    user: User | None

    def clean_credential(self) -> Authenticator:
        with second_attempt(self.user) as tried, _refusing():
            credential = parse_credential(AuthenticationResponse, self.cleaned_data["credential"])
            if self.user is None and credential.response.user_handle is None:
                raise refusal()
            passkey: Authenticator = super().clean_credential()
            tried.succeeded = True
        return passkey


class AuthenticateByPasskeyForm(_PasskeyForm):
    """After the password."""


class ReauthenticateByPasskeyForm(_PasskeyForm, allauth_forms.ReauthenticateWebAuthnForm):
    pass


class SignInByPasskeyForm(_PasskeyForm, allauth_forms.LoginWebAuthnForm):
    """Without a password. The passkey identifies the account, so wrong ones count for the client's address
    only and cannot lock anybody out."""


# --- views -----------------------------------------------------------------------------------------------


def where_possible(view: View) -> View:
    """Make a view answer 404 where passkeys do not work."""

    @wraps(view)
    def guarded(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        if not passkeys_work(request):
            raise Http404
        return view(request, **parts)

    return never_cache(guarded)


class AddPasskeyView(allauth_views.AddWebAuthnView):
    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        # allauth requests a discoverable credential only if a checkbox is ticked.
        options = auth.begin_registration(self.request.user, passwordless=True)
        full = len(passkeys_of(self.request.user)) >= MOST
        return context | more | {"js_data": {"creation_options": options}, "full": full}


class RenamePasskeyView(allauth_views.EditWebAuthnView):
    pk_url_kwarg = "passkey_id"
    success_url = reverse_lazy("mfa_index")


class RemovePasskeyView(allauth_views.RemoveWebAuthnView):
    pk_url_kwarg = "passkey_id"
    success_url = reverse_lazy("mfa_index")


class ReauthenticateByPasskeyView(allauth_views.ReauthenticateWebAuthnView):
    """Shows the page again after a wrong passkey."""

    def form_invalid(self, form: Any) -> HttpResponse:
        page: HttpResponse = self.render_to_response(self.get_context_data(form=form))
        return page

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        return context | more


class SignInByPasskeyView(allauth_views.LoginWebAuthnView):
    """Answers the script of the sign-in page: options by GET, the credential by POST."""

    def form_invalid(self, form: Any) -> HttpResponse:
        messages.error(self.request, _REFUSED)
        address = self.request.POST.get("next", "")
        return redirect(f"{reverse('sign-in')}?{urlencode({'next': address})}" if address else "sign-in")


add = where_possible(AddPasskeyView.as_view())
rename = where_possible(RenamePasskeyView.as_view())
remove = where_possible(RemovePasskeyView.as_view())
reauthenticate = where_possible(ReauthenticateByPasskeyView.as_view())
sign_in = where_possible(SignInByPasskeyView.as_view())
