"""Links for who runs the archive."""

from __future__ import annotations

from django.urls import reverse

from archive.site_address import site_address


def invitation_address(key: str) -> str:
    """Return the link of an invitation."""
    return site_address() + reverse("invitation", args=[key])
