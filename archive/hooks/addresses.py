"""Addresses to which hooks may send: HTTP on hosts that everybody can reach.

A host name is looked up once for each delivery, and all of its IP addresses are checked. The connection then
goes to a checked IP address, so that a name that changes in between leads nowhere else (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import re
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings

from archive.hooks.errors import HookError
from archive.http.limits.throttling import LimitReachedError

LONGEST: Final = 500
"""Characters of an address."""
LOOK_UP_SECONDS: Final = 4

_PORTS: Final = {"http": 80, "https": 443}
_UNPRIVILEGED: Final = 1024
_PRINTABLE: Final = re.compile(r"[!-\[\]-~]+")
"""ASCII without the backslash, which some programs read as a slash."""
_HOST_AND_PORT: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(:\d{1,5})?")
_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*\.?")
_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses in IPv6 (NAT64, RFC 6052)."""
_SPECIAL: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
)  # fmt: skip
"""IANA's registries of special addresses (RFC 6890), since older versions of `ipaddress` lack some. 2001::/23
has Teredo, 2002::/16 is 6to4; both contain IPv4 addresses."""

BUSY_SECONDS: Final = 15
"""The time after which somebody who was refused for a running look-up may try again."""

# A look-up of the system has no timeout. So an account has at most one of the threads.
_threads: Final = ThreadPoolExecutor(max_workers=16, thread_name_prefix="hook-names")
_of_accounts: Final[dict[int, Future[Any]]] = {}
_lock: Final = Lock()


@dataclass(frozen=True, slots=True)
class HookTarget:
    """An address in parts: `host` without brackets, `path` with the query."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Return the value of the header `Host`: host and port, without the default port of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = _PORTS["https" if self.secure else "http"]
        return host if self.port == usual else f"{host}:{self.port}"


def target_of(address: str) -> HookTarget:
    """Parse an address without looking its host up. Raises HookError."""
    wrong = HookError("hook-address")
    if len(address) > LONGEST or not _PRINTABLE.fullmatch(address):
        raise wrong
    try:
        parts = urlsplit(address)
        if parts.scheme in _PORTS and "@" in parts.netloc:
            raise HookError("hook-user")
        if not _HOST_AND_PORT.fullmatch(parts.netloc):
            raise wrong
        port, host = parts.port, parts.hostname or ""
        if ":" in host:
            host = ipaddress.IPv6Address(host).compressed
    except ValueError:
        raise wrong from None
    if parts.scheme not in _PORTS or (":" not in host and not _NAME.fullmatch(host)) or parts.fragment:
        raise wrong
    secure = parts.scheme == "https"
    if not secure and not settings.ARCHIVE_HOOKS_HTTP:
        raise HookError("hook-http")
    port = _PORTS[parts.scheme] if port is None else port
    if port not in _PORTS.values() and port < _UNPRIVILEGED:
        raise HookError("hook-port")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return HookTarget(secure, host, port, path)


def look_up(target: HookTarget, account: int) -> tuple[str, ...]:
    """Return the IP addresses of a host. Raises HookError if hooks may not send to any one of them, and
    LimitReachedError if the last look-up of the account is still running, or no thread is free.
    """
    future = _begin(target, account)
    try:
        entries = future.result(timeout=LOOK_UP_SECONDS)
    except (OSError, UnicodeError) as error:  # OSError includes TimeoutError
        raise HookError("hook-unknown-host") from error
    addresses = tuple(dict.fromkeys(str(socket_address[0]) for *_kind, socket_address in entries))
    if not addresses:
        raise HookError("hook-unknown-host")
    if not all(map(is_allowed, addresses)):
        raise HookError("hook-private-host")
    return addresses


def _begin(target: HookTarget, account: int) -> Future[Any]:
    begun = Event()

    def find() -> Any:
        begun.set()
        return socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)

    with _lock:
        before = _of_accounts.get(account)
        if before is not None and not before.done():
            raise LimitReachedError(BUSY_SECONDS)
        for finished in [one for one, future in _of_accounts.items() if future.done()]:
            del _of_accounts[finished]
        future = _of_accounts[account] = _threads.submit(find)
    if not begun.wait(LOOK_UP_SECONDS) and future.cancel():
        raise LimitReachedError(BUSY_SECONDS)
    return future


def is_allowed(text: str) -> bool:
    """Return whether hooks may send to an IP address. Private ones need ARCHIVE_HOOKS_PRIVATE_NETWORKS."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS:
        return not (address.is_multicast or address.is_unspecified)
    return _is_public(address)


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address is public, and so is the IPv4 address that it may contain."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return _is_public(address.ipv4_mapped)
        if address in _TRANSLATED:
            return _is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in _GLOBAL_UNICAST:
            return False
    return address.is_global and not any(address in one for one in _SPECIAL)
