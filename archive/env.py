"""Reads typed settings from the environment; a bad value stops the program with a sentence that names it."""

from __future__ import annotations

import ipaddress
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    """The variable's value without surrounding white space; `default` where it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool) -> bool:
    """A yes/no variable. Raises ImproperlyConfigured on any other word."""
    value = text(name).lower()
    if not value:
        return default
    if value in TRUE or value in FALSE:
        return value in TRUE
    raise ImproperlyConfigured(f"{name}={value!r} is neither yes nor no; write 1 or 0")


def number(name: str, default: int, minimum: int = 1) -> int:
    """A whole number of at least `minimum`. Raises ImproperlyConfigured otherwise."""
    value = text(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or int(value) < minimum:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number of at least {minimum}")
    return int(value)


def choice(name: str, options: tuple[str, ...], default: str) -> str:
    """One of several words. Raises ImproperlyConfigured on any other."""
    value = text(name, default)
    if value not in options:
        raise ImproperlyConfigured(f"{name}={value!r} is none of {', '.join(options)}")
    return value


def words(name: str, default: list[str]) -> list[str]:
    """A comma-separated list."""
    value = text(name)
    return [word.strip() for word in value.split(",") if word.strip()] if value else default


def address(name: str, default: str) -> tuple[str, int]:
    """`host:port` as a pair; an IPv6 host stands in brackets. Raises ImproperlyConfigured otherwise."""
    value = text(name, default)
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ImproperlyConfigured(f"{name}={value!r} is not host:port, such as 127.0.0.1:8000")
    return host.strip("[]"), int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def secret(name: str, keep_in: Path | None) -> str:
    """The secret of that name; where it is unset, one made once and kept in `keep_in` (mode 0600).

    Raises ImproperlyConfigured where it is unset and `keep_in` is None: a server with a database of its own
    has several processes on several machines, which must share one secret.
    """
    value = text(name)
    if value:
        return value
    if keep_in is None:
        raise ImproperlyConfigured(f"{name} must be set where DATABASE_URL is")
    return _kept_secret(keep_in)


def _kept_secret(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        # O_EXCL: of two processes that start together one makes the secret, the other reads it.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()
