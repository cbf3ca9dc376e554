"""The invitation to an account that a visitor's session holds."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest

from archive.accounts import invitations
from archive.models import AccountInvitation

_KEY: Final = "invitation"


def invitation_of(request: HttpRequest) -> AccountInvitation | None:
    """Return the session's invitation if it can still be used."""
    return usable_invitation(request.session.get(_KEY, ""))


def may_register(request: HttpRequest) -> bool:
    """Return whether a visitor may create an account: registration is open, or they have an invitation."""
    return settings.ARCHIVE_REGISTRATION == "open" or invitation_of(request) is not None


def usable_invitation(key: str) -> AccountInvitation | None:
    """Return the invitation of a key; with registration closed only one that the operator's command made."""
    invitation = invitations.find(key) if key else None
    if invitation and invitation.made_by_id is not None and settings.ARCHIVE_REGISTRATION == "closed":
        return None
    return invitation


def remember(request: HttpRequest, key: str) -> None:
    request.session[_KEY] = key


def forget(request: HttpRequest) -> None:
    request.session.pop(_KEY, None)
