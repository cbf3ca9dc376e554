"""API tokens. The database has only hashes of their keys."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.utils import timezone

from archive.accounts.audit import note
from archive.accounts.roles import SCOPES, rights_of
from archive.models import AuditEvent, Token, User

PREFIX: Final = "kifu_"
"""Identifies a leaked key, also for secret scanners."""

_LAST_USED_PRECISION: Final = timedelta(minutes=1)


def create(user: User, name: str, scopes: Iterable[str], expires: datetime | None) -> tuple[Token, str]:
    """Store a token; return it with its key, of which only the hash is stored."""
    key = PREFIX + secrets.token_urlsafe(32)
    valid = [scope for scope in SCOPES if scope in {*scopes}]
    token = Token.objects.create(user=user, name=name, digest=digest(key), scopes=valid, expires=expires)
    note(AuditEvent.RIGHTS, user, f"token {token.pk}: made, {' '.join(valid)}")
    return token, key


def revoke(user: User, pk: int) -> None:
    """Delete one of a user's tokens."""
    if Token.objects.filter(pk=pk, user=user).delete()[0]:
        note(AuditEvent.RIGHTS, user, f"token {pk}: revoked")


def find(key: str) -> Token | None:
    """Return the valid token with a key, and its active user, limited to the token's rights; else None."""
    now = timezone.now()
    valid = Token.objects.filter(Q(expires=None) | Q(expires__gt=now), user__is_active=True)
    token = valid.select_related("user").filter(digest=digest(key)).first()
    if token is None:
        return None
    token.user.limited_to = rights_of(token.scopes)
    if token.last_used is None or token.last_used < now - _LAST_USED_PRECISION:
        Token.objects.filter(pk=token.pk).update(last_used=now)
    return token


def digest(key: str) -> str:
    """Return the stored hash of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
