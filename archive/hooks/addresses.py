"""Where hooks may go: addresses of the web, on hosts that everybody can reach.

A name is looked up once for each sending, and all that it means is looked at; then the connection goes to
what was looked at, so that a name that means something else a moment later leads nowhere else.
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
_PRINTED: Final = re.compile(r"[!-\[\]-~]+")
"""What addresses are written with: ASCII, and no backslash, which others read as a slash."""
_HOST_AND_PORT: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(:\d{1,5})?")
_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*\.?")
_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as networks without IPv4 write them (NAT64, RFC 6052)."""
_SPECIAL: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
)  # fmt: skip
"""What IANA's registries of special addresses have (RFC 6890), whatever this Python knows of them: 2001::/23
has Teredo, 2002::/16 is 6to4; both hold IPv4 addresses."""

BUSY_SECONDS: Final = 15
"""After so long who has to wait for a look-up may come again."""

# Nothing limits how long the system looks for a name. So an account has one of a few threads, and not all.
_looking: Final = ThreadPoolExecutor(max_workers=16, thread_name_prefix="hook-names")
_of_accounts: Final[dict[int, Future[Any]]] = {}
_lock: Final = Lock()


@dataclass(frozen=True, slots=True)
class Target:
    """Where a hook goes: `host` without brackets, `path` with the query."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Return the host as requests name it, with the port where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = _PORTS["https" if self.secure else "http"]
        return host if self.port == usual else f"{host}:{self.port}"


def target_of(address: str) -> Target:
    """Return where an address leads, without looking its host up. Raises HookError."""
    wrong = HookError("hook-address")
    if len(address) > LONGEST or not _PRINTED.fullmatch(address):
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
    return Target(secure, host, port, path)


def look_up(target: Target, account: int) -> tuple[str, ...]:
    """Return the IP addresses of a host, all of which may be sent to. Raises HookError: one that may not is
    enough; and LimitReachedError where nobody could look, as for an account whose last name is still looked
    for.
    """
    asked = _begin(target, account)
    try:
        found = asked.result(timeout=LOOK_UP_SECONDS)
    except (OSError, UnicodeError) as error:  # also of a time that is over
        raise HookError("hook-unknown-host") from error
    addresses = tuple(dict.fromkeys(str(place[0]) for *_kind, place in found))
    if not addresses:
        raise HookError("hook-unknown-host")
    if not all(map(is_allowed, addresses)):
        raise HookError("hook-private-host")
    return addresses


def _begin(target: Target, account: int) -> Future[Any]:
    """Return a look-up that has begun. Raises LimitReachedError."""
    begun = Event()

    def find() -> Any:
        begun.set()
        return socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)

    with _lock:
        before = _of_accounts.get(account)
        if before is not None and not before.done():
            raise LimitReachedError(BUSY_SECONDS)
        for other in [one for one, asked in _of_accounts.items() if asked.done()]:
            del _of_accounts[other]
        asked = _of_accounts[account] = _looking.submit(find)
    if not begun.wait(LOOK_UP_SECONDS) and asked.cancel():
        raise LimitReachedError(BUSY_SECONDS)
    return asked


def is_allowed(text: str) -> bool:
    """Tell whether hooks may go to an IP address: to public ones, and where the setting says so to those of
    this network."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS:
        return not (address.is_multicast or address.is_unspecified)
    return _is_public(address)


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Tell whether an address is one of the whole internet's, also where it holds another one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return _is_public(address.ipv4_mapped)
        if address in _TRANSLATED:
            return _is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in _GLOBAL_UNICAST:
            return False
    return address.is_global and not any(address in one for one in _SPECIAL)
