"""How names of accounts are written: letters that Japanese keyboards write wide are those of others."""

from __future__ import annotations

from archive.models import User


def normal_name(name: str) -> str:
    """Return the name in the form (NFKC) in which new accounts have it, as Django's own forms do."""
    return str(User.normalize_username(name))
