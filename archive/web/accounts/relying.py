"""Where passkeys work: on pages that came encrypted, or from this machine, under the site's own name.

A passkey is bound to the name of a site (the relying party's id, https://www.w3.org/TR/webauthn-3/#rp-id),
which is never a network address. Browsers offer none elsewhere, and nothing of it is shown or taken there.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest


def origin(request: HttpRequest) -> str:
    """Return where this site is, as browsers tell it to authenticators; what is set goes before what a
    request says."""
    return str(settings.PUBLIC_URL or _asked(request))


def party(request: HttpRequest) -> str:
    """Return the name that passkeys of this site are kept for."""
    return urlsplit(origin(request)).hostname or ""


def possible(request: HttpRequest) -> bool:
    """Return whether the page that is asked for can have to do with passkeys."""
    name = party(request)
    local = name == "localhost" or name.endswith(".localhost")
    here = origin(request) == _asked(request)
    return here and (request.is_secure() or local) and not _is_address(name)


def _asked(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}".lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
