"""Where the archive is, for what no request asks for: mails, commands, webhooks."""

from __future__ import annotations

from typing import Final

from django.conf import settings

_EVERYWHERE: Final = {"127.0.0.1", "0.0.0.0", "::", "::1"}


def site_address() -> str:
    """Return the address of the archive without a slash at its end: the public one, else where it listens."""
    if settings.PUBLIC_URL is not None:
        return str(settings.PUBLIC_URL)
    return listening_address()


def public(address: str) -> str:
    """Return an address of this site as it is known outside, whatever a request says of its host."""
    if settings.PUBLIC_URL is None:
        return address
    _scheme, _slashes, rest = address.partition("://")
    return f"{settings.PUBLIC_URL}/{rest.partition('/')[2]}"


def listening_address() -> str:
    """Return the address at which this machine finds the archive."""
    host = "localhost" if settings.BIND_HOST in _EVERYWHERE else settings.BIND_HOST
    return f"http://{host}:{settings.BIND_PORT}"
