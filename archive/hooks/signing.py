"""Secrets of hooks, and what is signed with them.

A secret is made of the archive's own and of a salt: who reads the database learns none.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode

from django.utils.crypto import salted_hmac

PREFIX = "kifu_hook_"


def secret_of(salt: str) -> str:
    """Return the secret of a hook."""
    digest = salted_hmac("archive.hooks", salt, algorithm="sha256").digest()
    return PREFIX + urlsafe_b64encode(digest).decode().rstrip("=")


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a body that is sent at a time: HMAC-SHA256 of the time, a dot and the body."""
    signed = f"{timestamp}.".encode() + body
    return "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
