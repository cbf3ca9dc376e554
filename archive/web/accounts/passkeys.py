"""Passkeys: a second factor beside the codes of an app, and a way to sign in without a password.

An authenticator keeps each passkey with its account, and asks the person for a finger or a PIN, so it is
enough alone. What a browser sends is checked here more strictly than in the libraries underneath, which fail
on much that no browser sends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ClassVar, Final, TypeVar

from allauth.core import context as current
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as their_forms
from allauth.mfa.webauthn import views as theirs
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
from archive.web.accounts.forms import Plain, second_attempt
from archive.web.accounts.relying import origin, possible

MOST: Final = 20
"""How many passkeys an account can have."""

_LONGEST_NAME: Final = 60
_LONGEST: Final = 20_000
"""Characters of what a browser sends of a passkey; some send a statement of its maker with it."""

_REFUSED: Final = _("This passkey was not accepted.")

View = Callable[..., HttpResponseBase]
Read = TypeVar("Read", RegistrationResponse, AuthenticationResponse)


def passkeys_of(user: User) -> list[Authenticator]:
    """Return the passkeys of an account, the oldest first."""
    held = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    return [*held.order_by("created_at", "pk")]


# --- what a browser sends --------------------------------------------------------------------------------


class Sent(forms.JSONField):
    """A credential as JSON, as long as such a thing is."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and len(value) > _LONGEST:
            raise refusal()
        try:
            return super().to_python(value)
        except (ValueError, RecursionError) as error:
            raise refusal() from error


def refusal() -> ValidationError:
    """Return the one thing that is said of whatever is wrong with a passkey."""
    return ValidationError(_REFUSED, code="passkey")


@contextmanager
def _refusing() -> Iterator[None]:
    """Say in our words that a passkey is wrong."""
    try:
        yield
    except ValidationError as error:
        raise refusal() from error


def read(kind: type[Read], sent: Any) -> Read:
    """Return what a browser has sent, which says that it is of this very site. Raises ValidationError."""
    if not possible(current.request) or not isinstance(sent, dict):
        raise refusal()
    try:
        found = kind.from_dict(sent)
    except Exception as error:
        # Bytes in JSON in bytes, read by a library that expects a browser: it can fail in any way.
        raise refusal() from error
    if found is None or found.response.client_data.origin != origin(current.request):
        raise refusal()
    return found


def _is_usable(found: RegistrationResponse) -> bool:
    """Return whether there is a key that signatures can be looked at with."""
    made = found.response.attestation_object.auth_data.credential_data
    if made is None or made.credential_id != found.raw_id:
        return False
    key = made.public_key
    if key.ALGORITHM not in CoseKey.supported_algorithms():
        return False
    try:
        key.verify(b"", b"")
    except InvalidSignature:
        return True
    except Exception:
        # It says of itself what it is, and may be nothing of the sort.
        return False
    return False


def _kept(found: RegistrationResponse) -> dict[str, Any]:
    """Return what is stored of a passkey: what a key is read of, nothing else that was sent along."""
    response = found.response
    return {
        "id": found.id,
        "rawId": found.id,
        "type": "public-key",
        "response": {
            "clientDataJSON": websafe_encode(response.client_data),
            "attestationObject": websafe_encode(response.attestation_object),
        },
    }


# --- forms -----------------------------------------------------------------------------------------------


class Add(Plain, their_forms.AddWebAuthnForm):
    """A new passkey and what its person calls it."""

    labels: ClassVar = {"name": _("Name of the passkey")}
    name = forms.CharField(required=False, max_length=_LONGEST_NAME)
    credential = Sent()
    # Each of ours can be used alone.
    passwordless = None

    def clean(self) -> dict[str, Any]:
        if "credential" not in self.cleaned_data:
            return self.cleaned_data
        found = read(RegistrationResponse, self.cleaned_data["credential"])
        if not _is_usable(found) or len(passkeys_of(self.user)) >= MOST:
            raise refusal()
        with _refusing():
            cleaned = super().clean() or {}
        if _is_known(found.id):
            raise refusal()
        return cleaned | {"credential": _kept(found)}


def _is_known(credential: str) -> bool:
    """Return whether a passkey is somebody's already (https://www.w3.org/TR/webauthn-3/, 7.1, step 26)."""
    held = Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN)
    return bool(held.filter(data__credential__id=credential).exists())


class Rename(Plain, their_forms.EditWebAuthnForm):
    labels: ClassVar = {"name": _("Name of the passkey")}
    name = forms.CharField(max_length=_LONGEST_NAME)


class _Proof(Plain, their_forms.AuthenticateWebAuthnForm):
    """A passkey that is used; wrong ones count as wrong passwords do."""

    credential = Sent()
    user: User | None

    def clean_credential(self) -> Authenticator:
        with second_attempt(self.user) as tried, _refusing():
            found = read(AuthenticationResponse, self.cleaned_data["credential"])
            if self.user is None and found.response.user_handle is None:
                raise refusal()
            used: Authenticator = super().clean_credential()
            tried.succeeded = True
        return used


class Authenticate(_Proof):
    """Behind a password."""


class Reauthenticate(_Proof, their_forms.ReauthenticateWebAuthnForm):
    """Once more, of who has signed in."""


class SignIn(_Proof, their_forms.LoginWebAuthnForm):
    """Alone. Whose it is the passkey says itself, so nobody is kept out by what others try: wrong ones count
    for their address only."""


# --- views -----------------------------------------------------------------------------------------------


def where_possible(view: View) -> View:
    """Return a view that is there only where passkeys are."""

    @wraps(view)
    def asked(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        if not possible(request):
            raise Http404
        return view(request, **parts)

    return never_cache(asked)


class AddPasskey(theirs.AddWebAuthnView):
    """The page with which a passkey is made."""

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        # Theirs asks for one that is kept in the authenticator only where its person ticks a box.
        options = auth.begin_registration(self.request.user, passwordless=True)
        full = len(passkeys_of(self.request.user)) >= MOST
        return context | more | {"js_data": {"creation_options": options}, "full": full}


class RenamePasskey(theirs.EditWebAuthnView):
    pk_url_kwarg = "passkey_id"
    success_url = reverse_lazy("mfa_index")


class RemovePasskey(theirs.RemoveWebAuthnView):
    pk_url_kwarg = "passkey_id"
    success_url = reverse_lazy("mfa_index")


class ReauthenticateByPasskey(theirs.ReauthenticateWebAuthnView):
    """The page that asks once more who it is; a wrong passkey stays on it."""

    def form_invalid(self, form: Any) -> HttpResponse:
        page: HttpResponse = self.render_to_response(self.get_context_data(form=form))
        return page

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        return context | more


class SignInByPasskey(theirs.LoginWebAuthnView):
    """What the page to sign in asks for, and where it sends the answer."""

    def form_invalid(self, form: Any) -> HttpResponse:
        messages.error(self.request, _REFUSED)
        wanted = self.request.POST.get("next", "")
        return redirect(f"{reverse('sign-in')}?{urlencode({'next': wanted})}" if wanted else "sign-in")


add = where_possible(AddPasskey.as_view())
rename = where_possible(RenamePasskey.as_view())
remove = where_possible(RemovePasskey.as_view())
reauthenticate = where_possible(ReauthenticateByPasskey.as_view())
sign_in = where_possible(SignInByPasskey.as_view())
