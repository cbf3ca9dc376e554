"""The invitation that a visitor has come with."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest

from archive.accounts import invitations
from archive.models import AccountInvitation

_KEY: Final = "invitation"


def invitation_of(request: HttpRequest) -> AccountInvitation | None:
    """Return the invitation that this session was opened with, as long as it can be used."""
    return allowed(request.session.get(_KEY, ""))


def may_register(request: HttpRequest) -> bool:
    """Return whether a visitor may make an account: where everybody may, or by an invitation."""
    return settings.ARCHIVE_REGISTRATION == "open" or invitation_of(request) is not None


def allowed(key: str) -> AccountInvitation | None:
    """Return the invitation of a key. Where registration is closed those of who runs the archive count
    alone."""
    found = invitations.find(key) if key else None
    if found and found.made_by_id is not None and settings.ARCHIVE_REGISTRATION == "closed":
        return None
    return found


def keep(request: HttpRequest, key: str) -> None:
    """Remember with which invitation a visitor has come."""
    request.session[_KEY] = key


def forget(request: HttpRequest) -> None:
    """Forget it, once there is an account."""
    request.session.pop(_KEY, None)
