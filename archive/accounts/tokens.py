"""Keys for programs: made and found. Who reads the database learns none of them."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.utils import timezone

from archive.accounts.audit import AuditEvent, note
from archive.accounts.roles import SCOPES, rights_of
from archive.models import Token, User

PREFIX: Final = "kifu_"
"""Tells what it is to who finds one, and to programs that look for keys in what is published."""

_WRITTEN_EVERY: Final = timedelta(minutes=1)


def make(user: User, name: str, scopes: Iterable[str], expires: datetime | None) -> tuple[Token, str]:
    """Store a new token; return it, and the key, which nobody can be told again."""
    key = PREFIX + secrets.token_urlsafe(32)
    known = [scope for scope in SCOPES if scope in {*scopes}]
    token = Token.objects.create(user=user, name=name, digest=digest(key), scopes=known, expires=expires)
    note(AuditEvent.RIGHTS, user, f"token {token.pk}: made, {' '.join(known)}")
    return token, key


def revoke(user: User, pk: int) -> None:
    """End one of a user's tokens."""
    if Token.objects.filter(pk=pk, user=user).delete()[0]:
        note(AuditEvent.RIGHTS, user, f"token {pk}: revoked")


def find(key: str) -> Token | None:
    """Return the token of a key, with its user; None for a wrong, expired or revoked one, and for one of an
    account that is switched off. The user has no more rights than the token leaves."""
    now = timezone.now()
    alive = Token.objects.filter(Q(expires=None) | Q(expires__gt=now), user__is_active=True)
    token = alive.select_related("user").filter(digest=digest(key)).first()
    if token is None:
        return None
    token.user.limited_to = rights_of(token.scopes)
    if token.last_used is None or token.last_used < now - _WRITTEN_EVERY:
        Token.objects.filter(pk=token.pk).update(last_used=now)
    return token


def digest(key: str) -> str:
    """Return what is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
