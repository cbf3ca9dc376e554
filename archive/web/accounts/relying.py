"""Where passkeys work: at the site's own name, over HTTPS or on localhost.

A passkey is bound to the relying party's id (https://www.w3.org/TR/webauthn-3/#rp-id), a host name that is
never a network address. Elsewhere browsers offer no passkeys, and the pages do not mention them.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest


def site_origin(request: HttpRequest) -> str:
    """Return the origin that browsers pass to authenticators: `PUBLIC_URL` if set, else that of the
    request."""
    return str(settings.PUBLIC_URL or _request_origin(request))


def relying_party(request: HttpRequest) -> str:
    """Return the host name to which passkeys of this site are bound."""
    return urlsplit(site_origin(request)).hostname or ""


def passkeys_work(request: HttpRequest) -> bool:
    """Return whether browsers offer passkeys on the requested page."""
    name = relying_party(request)
    local = name == "localhost" or name.endswith(".localhost")
    is_own_site = site_origin(request) == _request_origin(request)
    return is_own_site and (request.is_secure() or local) and not _is_address(name)


def _request_origin(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}".lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
