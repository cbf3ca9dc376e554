"""Tokens for programs without a browser: the device authorization grant (RFC 8628).

A program shows its user a short code. The user enters it on a page, where the token is allowed, while the
program asks for the token.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from archive.accounts import tokens
from archive.accounts.roles import SCOPES
from archive.accounts.tokens import digest
from archive.models import DeviceGrant, Token, User

LIFETIME: Final = timedelta(minutes=15)
INTERVAL: Final = 5
"""Seconds between two requests of a program (RFC 8628, 3.2); each request that comes earlier adds as many
(3.5)."""
DEFAULT_SCOPES: Final = ("read-private",)

_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""Of user codes (RFC 8628, 6.1): no vowels, which could make words."""
_CODE_LENGTH: Final = 8
_RETENTION: Final = timedelta(days=1)
"""How long an expired grant stays stored, so that its program gets `expired_token`."""


class GrantError(Exception):
    """A program gets no token; `code` is an error of RFC 6749, 5.2 or RFC 8628, 3.5."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def begin(client: str, scope: str) -> tuple[DeviceGrant, str]:
    """Store a grant that waits for its user; return it with its device code, of which only the hash is
    stored. `scope` has names of scopes, separated by blanks; `DEFAULT_SCOPES` if empty. Raises GrantError."""
    wanted = scope.split() or DEFAULT_SCOPES
    if unknown := [name for name in wanted if name not in SCOPES]:
        raise GrantError("invalid_scope", f"{unknown[0][:40]!r} is none of {', '.join(SCOPES)}")
    now = timezone.now()
    DeviceGrant.objects.filter(expires__lt=now - _RETENTION).delete()
    device_code = secrets.token_urlsafe(32)
    grant = DeviceGrant.objects.create(
        digest=digest(device_code),
        user_code="".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH)),
        client=client,
        scopes=[name for name in SCOPES if name in wanted],
        expires=now + LIFETIME,
        interval=INTERVAL,
    )
    return grant, device_code


def _undecided() -> QuerySet[DeviceGrant]:
    return DeviceGrant.objects.filter(state=DeviceGrant.State.WAITING, expires__gt=timezone.now())


def waiting(user_code: str) -> DeviceGrant | None:
    """Return the grant that waits for its user, by its code in any spelling; None if there is none."""
    return _undecided().filter(user_code=re.sub(r"[^A-Z]", "", user_code.upper())).first()


def decide(grant: DeviceGrant, user: User, scopes: Collection[str], days: int | None) -> bool:
    """Allow a token with these scopes, valid for some days, None without a limit; deny it without scopes.
    Return False if somebody else has decided, or if the grant has expired."""
    state = DeviceGrant.State.ALLOWED if scopes else DeviceGrant.State.DENIED
    undecided = _undecided().filter(pk=grant.pk)
    return bool(undecided.update(state=state, user=user, scopes=[*scopes], days=days))


def redeem(device_code: str, client: str) -> tuple[Token, str]:
    """Return the token of an allowed grant with its key; only once. Raises GrantError."""
    with transaction.atomic():
        grants = DeviceGrant.objects.select_for_update().filter(digest=digest(device_code), client=client)
        grant = grants.first()
        error = _error(grant)
        if grant is not None and error is None:
            assert grant.user is not None
            expires = None if grant.days is None else timezone.now() + timedelta(days=grant.days)
            made = tokens.create(grant.user, grant.client, grant.scopes, expires)
            grant.delete()
            return made
    assert error is not None
    raise error


def _error(grant: DeviceGrant | None) -> GrantError | None:
    """Return the reason why there is no token, or not yet. Notes the time of the request."""
    if grant is None:
        return GrantError("invalid_grant", "there is no such device code of this client")
    now = timezone.now()
    if grant.expires <= now:
        return GrantError("expired_token", "the device code has expired: ask for a new one")
    if grant.state == DeviceGrant.State.ALLOWED and grant.user is not None and grant.user.is_active:
        return None
    if grant.state != DeviceGrant.State.WAITING:
        return GrantError("access_denied", "the user has denied the token")
    early = grant.polled is not None and now < grant.polled + timedelta(seconds=grant.interval)
    grant.polled, grant.interval = now, grant.interval + INTERVAL * early
    grant.save(update_fields=["polled", "interval"])
    if early:
        return GrantError("slow_down", f"ask every {grant.interval} seconds")
    return GrantError("authorization_pending", "the user has not decided yet")
