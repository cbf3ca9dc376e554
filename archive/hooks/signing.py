"""Secrets of hooks, and signatures of deliveries.

A secret is derived from the archive's own secret key and a salt, so the database does not reveal it.
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
    """Return the signature of a body: HMAC-SHA256 of the time of sending, a dot and the body."""
    signed = f"{timestamp}.".encode() + body
    return "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
