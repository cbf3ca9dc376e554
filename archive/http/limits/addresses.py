"""The address of whoever sends a request: the one place that knows which forwarded headers count.

Anybody can write `X-Forwarded-For`. So what a proxy tells about its visitor counts only where the proxy's own
address is one of `ARCHIVE_TRUSTED_PROXIES`. The header `Forwarded` (RFC 7239) is never read: of two headers
that tell the same, a visitor could send the one that the proxy does not write.
"""

import ipaddress
import logging
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

log = logging.getLogger(__name__)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

UNKNOWN: Final = "unknown"
"""In the place of an address where the server tells none, as on a Unix socket."""

_HOPS: Final = 20
"""So many proxies are looked through, from the right; nobody has as many."""
_LONGEST: Final = 64
"""Characters; no address with brackets, zone and port is longer."""
_SITE_BITS: Final = 64
"""Of an IPv6 address: the network of one household or machine, which has all the rest to itself."""

_PROTO: Final = "HTTP_X_FORWARDED_PROTO"
_HOST: Final = "HTTP_X_FORWARDED_HOST"
_FOR: Final = "HTTP_X_FORWARDED_FOR"
REQUEST_ID: Final = "HTTP_X_REQUEST_ID"
_PASSED_ON: Final = "archive.http.limits.passed_on"
_OTHERS: Final = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_PORT", "HTTP_X_REAL_IP")


class HasMeta(Protocol):
    """A request of Django or of REST framework."""

    @property
    def META(self) -> dict[str, Any]: ...


def client_address(request: HasMeta) -> str:
    """Return the visitor's address in its usual spelling (IPv4 in IPv6 as IPv4), or `unknown`.

    That is the peer; where the peer is a trusted proxy, the right-most address of `X-Forwarded-For` that is
    not one. At an entry that is no address the search ends with the proxy that passed it on.
    """
    found = parsed(str(request.META.get("REMOTE_ADDR", "")))
    if found is None:
        return UNKNOWN
    if is_trusted(found):
        for entry in reversed(str(request.META.get(_FOR, "")).rsplit(",", _HOPS)[-_HOPS:]):
            before = parsed(entry)
            if before is None:
                break
            found = before
            if not is_trusted(found):
                break
    return str(found)


def comes_from(request: HasMeta, networks: Iterable[Network]) -> bool:
    """Return whether the visitor's address is known to be of one of these networks.

    It is not where a proxy passed the request on that nobody has named, or that does not say for whom: its
    own address would stand for those of all its visitors.
    """
    found = parsed(client_address(request))
    return found is not None and _PASSED_ON not in request.META and any(found in one for one in networks)


def neighbourhood(address: str) -> str:
    """Return what counts as one visitor: an IPv4 address, or an IPv6 address's network of 64 bits."""
    found = parsed(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, _SITE_BITS), strict=False))
    return address


def parsed(written: str) -> Address | None:
    """Return the address of a header's entry, also with a port or a zone; None where it is no address."""
    written = written.strip()
    if len(written) > _LONGEST:
        return None
    if written.startswith("["):
        written = written[1:].partition("]")[0]
    elif written.count(":") == 1:
        written = written.partition(":")[0]
    try:
        found = ipaddress.ip_address(written.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def is_proxy(written: str) -> bool:
    """Return whether this is the address of a proxy whose word counts."""
    found = parsed(written)
    return found is not None and is_trusted(found)


def is_trusted(address: Address) -> bool:
    """Return whether it is a proxy's whose word counts."""
    return any(address in network for network in settings.TRUSTED_PROXIES)


class ForwardedHeaders:
    """Takes forwarded headers away that do not count, before anything reads them.

    The id that a request has already is of these headers: strangers would have theirs look like another's.
    Of a trusted proxy, scheme and host are what the nearest one says, the right-most value. One that tells no
    scheme is taken to be asked by the public one; otherwise it would be redirected for ever.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.warned = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        meta = request.META
        passed_on = any(name in meta for name in (_PROTO, _HOST, _FOR, *_OTHERS))
        told = {name: str(meta.pop(name, "")).rpartition(",")[2].strip() for name in (_PROTO, _HOST)}
        for name in _OTHERS:
            meta.pop(name, None)
        peer = parsed(str(meta.get("REMOTE_ADDR", "")))
        if peer is None or not is_trusted(peer):
            meta.pop(REQUEST_ID, None)
            if passed_on:
                meta[_PASSED_ON] = True
            if meta.pop(_FOR, None) is not None and peer is not None and peer.is_loopback:
                self._warn()
        else:
            if passed_on and parsed(str(meta.get(_FOR, "")).rpartition(",")[2]) is None:
                meta[_PASSED_ON] = True
            meta[_PROTO] = told[_PROTO].lower() or _public_scheme()
            if told[_HOST]:
                meta[_HOST] = told[_HOST]
        return self.get_response(request)

    def _warn(self) -> None:
        """Say once what is likely: strangers do not ask from this machine, a proxy does."""
        if not self.warned:
            self.warned = True
            log.warning("X-Forwarded-For from this machine is ignored: is there a proxy to trust?")


def _public_scheme() -> str:
    return settings.PUBLIC_URL.scheme if settings.PUBLIC_URL else "http"
