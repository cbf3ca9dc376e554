"""Links that commands print."""

from __future__ import annotations

from archive.accounts import invitations
from archive.project.site_address import site_address


def invitation_address(key: str) -> str:
    """Return the link of an invitation."""
    return f"{site_address()}/{invitations.PAGE}{key}/"
