"""The client's address, from the connection or from the headers of trusted proxies.

Anybody can write `X-Forwarded-For`, so it counts only if the proxy's own address is one of
`ARCHIVE_TRUSTED_PROXIES`. The header `Forwarded` (RFC 7239) is never read: a client could send it past a
proxy that writes only `X-Forwarded-For`.
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
"""The address of a connection without one, such as a Unix socket."""

_MAX_HOPS: Final = 20
"""Entries of `X-Forwarded-For` that are read, from the right."""
_MAX_LENGTH: Final = 64
"""Characters of an address with brackets, zone and port."""
_SITE_BITS: Final = 64
"""The prefix of an IPv6 address that belongs to one household or machine."""

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
    """Return the client's address in its canonical spelling (IPv4 in IPv6 as IPv4), or `unknown`.

    It is the peer, or if that is a trusted proxy, the right-most untrusted address of `X-Forwarded-For`. An
    entry that is no address ends the search at the proxy that passed it on.
    """
    address = parse_address(str(request.META.get("REMOTE_ADDR", "")))
    if address is None:
        return UNKNOWN
    if is_trusted(address):
        for entry in reversed(str(request.META.get(_FOR, "")).rsplit(",", _MAX_HOPS)[-_MAX_HOPS:]):
            before = parse_address(entry)
            if before is None:
                break
            address = before
            if not is_trusted(address):
                break
    return str(address)


def comes_from(request: HasMeta, networks: Iterable[Network]) -> bool:
    """Return whether the client is in one of these networks.

    False behind an untrusted proxy, or one that does not name the client: its own address would count for all
    of its clients.
    """
    address = parse_address(client_address(request))
    if address is None or _PASSED_ON in request.META:
        return False
    return any(address in network for network in networks)


def client_network(address: str) -> str:
    """Return the unit that limits count: an IPv4 address, or the 64-bit network of an IPv6 address."""
    parsed = parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, _SITE_BITS), strict=False))
    return address


def parse_address(text: str) -> Address | None:
    """Return the address in a header's entry, which may have a port or a zone; None if it is invalid."""
    text = text.strip()
    if len(text) > _MAX_LENGTH:
        return None
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def is_proxy(text: str) -> bool:
    """Return whether this is the address of a trusted proxy."""
    address = parse_address(text)
    return address is not None and is_trusted(address)


def is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


class ForwardedHeaders:
    """Middleware that removes forwarded headers that do not count, before anything reads them.

    `X-Request-ID` is one of them: clients could forge another request's id. Scheme and host are those of the
    nearest trusted proxy, the right-most values. A proxy that sends no scheme gets the public one, since
    otherwise its requests would be redirected to https for ever.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.warned = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        meta = request.META
        passed_on = any(name in meta for name in (_PROTO, _HOST, _FOR, *_OTHERS))
        nearest = {name: str(meta.pop(name, "")).rpartition(",")[2].strip() for name in (_PROTO, _HOST)}
        for name in _OTHERS:
            meta.pop(name, None)
        peer = parse_address(str(meta.get("REMOTE_ADDR", "")))
        if peer is None or not is_trusted(peer):
            meta.pop(REQUEST_ID, None)
            if passed_on:
                meta[_PASSED_ON] = True
            if meta.pop(_FOR, None) is not None and peer is not None and peer.is_loopback:
                self._warn()
        else:
            if passed_on and parse_address(str(meta.get(_FOR, "")).rpartition(",")[2]) is None:
                meta[_PASSED_ON] = True
            meta[_PROTO] = nearest[_PROTO].lower() or _public_scheme()
            if nearest[_HOST]:
                meta[_HOST] = nearest[_HOST]
        return self.get_response(request)

    def _warn(self) -> None:
        """Log once: requests with this header from this machine probably come from an untrusted proxy."""
        if not self.warned:
            self.warned = True
            log.warning("X-Forwarded-For from this machine is ignored: is there a proxy to trust?")


def _public_scheme() -> str:
    return settings.PUBLIC_URL.scheme if settings.PUBLIC_URL else "http"
