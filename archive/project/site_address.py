"""The archive's URL for texts outside of requests: mails, commands, webhooks."""

from __future__ import annotations

from typing import Final

from django.conf import settings

_EVERYWHERE: Final = {"127.0.0.1", "0.0.0.0", "::", "::1"}


def site_address() -> str:
    """Return the archive's public URL, else the one on which it listens, without a slash at the end."""
    if settings.PUBLIC_URL is not None:
        return str(settings.PUBLIC_URL)
    return listening_address()


def public_address(address: str) -> str:
    """Return a URL of this site with its public origin, whatever the request's host was."""
    if settings.PUBLIC_URL is None:
        return address
    _scheme, _slashes, rest = address.partition("://")
    return f"{settings.PUBLIC_URL}/{rest.partition('/')[2]}"


def listening_address() -> str:
    """Return the archive's URL on this machine."""
    host = "localhost" if settings.BIND_HOST in _EVERYWHERE else settings.BIND_HOST
    return f"http://{host}:{settings.BIND_PORT}"
