"""Reads typed settings from the environment; a bad value stops the program with a sentence that names it."""

import ipaddress
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from email.utils import parseaddr
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}
_MAIL = re.compile(r"[!-?A-~]+@[!-?A-~]+")
_CONTACT = re.compile(r"mailto:[!-?A-~]+@[!-?A-~]+|https://[!-~]+")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_NAME: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})*\.?")
_PORTS: Final = {"http": 80, "https": 443}
_OURS: Final = "ARCHIVE_"
_FILE: Final = "_FILE"
_DIGITS: Final = 15
"""Digits of a number, at most: more fit into no column and no clock."""
_LEAST_SECRET: Final = 50
_LEAST_DIFFERENT: Final = 5
_DATABASES: Final = ("postgresql", "postgres", "pgsql")
_BROKERS: Final = ("filesystem", "redis", "rediss", "amqp", "amqps")

_read: set[str] = set()
"""The variables that were read, set or not."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a site is: `scheme` is http or https, `host` as hosts stand in requests (IPv6 in brackets),
    `port` is None where it is the scheme's own."""

    scheme: str
    host: str
    port: int | None = None

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def netloc(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"


def text(name: str, default: str = "") -> str:
    """Return the variable's value without surrounding white space; `default` where it is unset or empty.

    Where `name` is unset and `name`_FILE is not, the value is what stands in that file, as secrets of
    containers and of services do. Raise ImproperlyConfigured where both are set, or the file says nothing.
    """
    _read.update((name, name + _FILE))
    value = os.environ.get(name, "").strip()
    file = os.environ.get(name + _FILE, "").strip()
    if not file:
        return value or default
    if value:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: which one counts?")
    return _content(Path(file), name + _FILE)


def unknown() -> Iterator[tuple[str, str]]:
    """Yield variables that are named like settings of ours, and are none; with each the setting that it looks
    like, or nothing."""
    for name in sorted(os.environ):
        if name.startswith(_OURS) and name not in _read:
            yield name, next(iter(get_close_matches(name, sorted(_read), 1, 0.8)), "")


def _content(path: Path, name: str) -> str:
    try:
        found = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}: {path} cannot be read ({error})") from None
    if not found:
        raise ImproperlyConfigured(f"{name}: there is nothing in {path}")
    return found


def flag(name: str, default: bool) -> bool:
    """Read a yes/no variable. Raise ImproperlyConfigured on any other word."""
    value = text(name).lower()
    if not value:
        return default
    if value in TRUE or value in FALSE:
        return value in TRUE
    raise ImproperlyConfigured(f"{name}={value!r} is neither yes nor no; write 1 or 0")


def number(name: str, default: int, minimum: int = 1) -> int:
    """Read a whole number of at least `minimum` and at most fifteen digits. Raise ImproperlyConfigured
    otherwise."""
    value = text(name)
    if not value:
        return default
    if not _is_number(value) or int(value) < minimum:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number of at least {minimum}")
    return int(value)


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= _DIGITS


def by_role(name: str, default: Mapping[str, int]) -> dict[str, int]:
    """Read whole numbers by role, such as `anonymous=9,contributor=50`; other roles have those of `default`.
    Raise ImproperlyConfigured for another role, or what is no number."""
    found = dict(default)
    for part in filter(None, (piece.strip() for piece in text(name).split(","))):
        role, _sign, value = (one.strip() for one in part.partition("="))
        if role not in default or not _is_number(value):
            raise ImproperlyConfigured(f"{name}: {part!r} is no number for one of {', '.join(default)}")
        found[role] = int(value)
    return found


def choice(name: str, options: tuple[str, ...], default: str) -> str:
    """Read one of several words. Raise ImproperlyConfigured on any other."""
    value = text(name, default)
    if value not in options:
        raise ImproperlyConfigured(f"{name}={value!r} is none of {', '.join(options)}")
    return value


def words(name: str, default: list[str]) -> list[str]:
    """Read a comma-separated list."""
    value = text(name)
    return [word.strip() for word in value.split(",") if word.strip()] if value else default


def several(name: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """Read some of several words, all where it is unset. Raise ImproperlyConfigured on any other."""
    found = words(name, [*options])
    for word in found:
        if word not in options:
            raise ImproperlyConfigured(f"{name}: {word!r} is none of {', '.join(options)}")
    if not found:
        raise ImproperlyConfigured(f"{name} names none of {', '.join(options)}")
    return tuple(found)


def hosts(name: str, default: list[str]) -> list[str]:
    """Read names of hosts between commas, as they stand in requests; one that begins with a dot is for all
    below it, `*` for all. Raise ImproperlyConfigured on addresses of sites and the like."""
    found = words(name, default)
    for word in found:
        try:
            known = word == "*" or bool(_host(word.removeprefix(".").strip("[]")))
        except ValueError:
            known = False
        if not known:
            raise ImproperlyConfigured(
                f"{name}: {word!r} is not the name of a host, such as kifu.example, without https:// and port"
            )
    return found


def origins(name: str) -> list[str]:
    """Read origins between commas, such as `https://kifu.example`. Raise ImproperlyConfigured otherwise."""
    found = words(name, [])
    for word in found:
        if not re.fullmatch(r"https?://[^/?#\s]+", word):
            raise ImproperlyConfigured(f"{name}: {word!r} is not an origin, such as https://kifu.example")
    return found


def sender(name: str, default: str) -> str:
    """Read the sender of mails, `a@b.example` or `Name <a@b.example>`. Raise ImproperlyConfigured
    otherwise."""
    value = text(name, default)
    if not _MAIL.fullmatch(parseaddr(value)[1]) or "\n" in value:
        raise ImproperlyConfigured(f"{name}={value!r} is not an address of mail, such as kifu@kifu.example")
    return value


def time_zone(name: str, default: str) -> str:
    """Read the name of a time zone. Raise ImproperlyConfigured on one that is unknown here."""
    value = text(name, default)
    try:
        ZoneInfo(value)
    except (OSError, ValueError, KeyError):
        raise ImproperlyConfigured(
            f"{name}={value!r} is not the name of a time zone, such as Asia/Tokyo or UTC"
        ) from None
    return value


def database(name: str) -> str:
    """Read the address of a PostgreSQL, or nothing. Raise ImproperlyConfigured otherwise."""
    return _server(name, _DATABASES, "of a PostgreSQL, such as postgresql://user:password@host:5432/name")


def databases(name: str) -> list[str]:
    """Read addresses as `database` does, between commas."""
    found = words(name, [])
    for value in found:
        _checked(
            name, value, _DATABASES, "of a PostgreSQL, such as postgresql://user:password@host:5432/name"
        )
    return found


def broker(name: str, default: str) -> str:
    """Read the address of a broker. Raise ImproperlyConfigured otherwise."""
    return _server(name, _BROKERS, "of a broker, such as redis://host:6379/0 or amqp://host", default)


def _server(name: str, schemes: tuple[str, ...], expected: str, default: str = "") -> str:
    value = text(name, default)
    if value:
        _checked(name, value, schemes, expected)
    return value


def _checked(name: str, value: str, schemes: tuple[str, ...], expected: str) -> None:
    """Raise ImproperlyConfigured where a value is not the address of a server, without the password in it."""
    try:
        parts = urlsplit(value)
        right = parts.scheme in schemes and bool(parts.netloc or parts.path.strip("/"))
        _port = parts.port
    except ValueError:
        right = False
    if not right:
        told = re.sub(r"//.*@", "//...@", value)
        raise ImproperlyConfigured(f"{name}={told!r} is not the address {expected}")


def contact(name: str) -> str:
    """Read an address of mail or of a page as a URI, or nothing. Raise ImproperlyConfigured otherwise."""
    value = text(name)
    if not value or _CONTACT.fullmatch(value):
        return value
    if _MAIL.fullmatch(value):
        return f"mailto:{value}"
    raise ImproperlyConfigured(f"{name}={value!r} is neither an address of mail nor of a page (https://)")


def address(name: str, default: str) -> tuple[str, int]:
    """Read `host:port` as a pair; an IPv6 host stands in brackets. Raise ImproperlyConfigured otherwise."""
    value = text(name, default)
    host, _, port = value.rpartition(":")
    if not host or not _is_number(port) or int(port) > 65535:
        raise ImproperlyConfigured(f"{name}={value!r} is not host:port, such as 127.0.0.1:8000")
    return host.strip("[]"), int(port)


def networks(name: str, default: list[str]) -> tuple[Network, ...]:
    """Read addresses and networks (`10.0.0.0/8`) between commas. Raise ImproperlyConfigured otherwise."""
    found = []
    for word in words(name, default):
        try:
            found.append(ipaddress.ip_network(word))
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name}: {word!r} is neither an address nor a network such as 10.0.0.0/8 ({error})"
            ) from None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class MailServer:
    """A server that takes mails; `tls` is `always`, `starttls` or `never`."""

    host: str
    port: int
    user: str
    password: str
    tls: str


_MAIL_PORTS: Final = {"smtps": (465, "always"), "smtp": (587, "starttls"), "smtp+plain": (25, "never")}


def mail_server(name: str) -> MailServer | None:
    """Read the address of a mail server, such as `smtps://user:password@mail.example`; None if unset.

    `smtp` asks for TLS after it has greeted, `smtp+plain` for none. Characters with a meaning in addresses
    are written with percent signs. Raises ImproperlyConfigured for anything else.
    """
    value = text(name)
    if not value:
        return None
    # The value may hold a password: it is not repeated.
    wrong = ImproperlyConfigured(
        f"{name} is not the address of a mail server, such as smtps://user:password@host"
    )
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in _MAIL_PORTS or not parts.hostname or parts.path.rstrip("/") or parts.query:
        raise wrong
    usual, tls = _MAIL_PORTS[parts.scheme]
    return MailServer(
        parts.hostname, port or usual, unquote(parts.username or ""), unquote(parts.password or ""), tls
    )


def sentry(name: str) -> str:
    """Read the address at which a Sentry takes what it is told, `https://key@sentry.example/1`, or nothing.

    Raises ImproperlyConfigured for anything else, and where the library that tells it is not installed.
    """
    value = text(name)
    if not value:
        return value
    # The value has a key in it: it is not repeated.
    wrong = ImproperlyConfigured(
        f"{name} is not the address of a project of a Sentry, https://key@host/number"
    )
    try:
        parts = urlsplit(value)
        _port = parts.port
    except ValueError:
        raise wrong from None
    project = parts.path.rpartition("/")[2]
    if parts.scheme not in _PORTS or not parts.hostname or not parts.username or not project.isdigit():
        raise wrong
    if find_spec("sentry_sdk") is None:
        raise ImproperlyConfigured(f"{name} needs sentry-sdk: pip install 'sentry-sdk>=2.20,<3'")
    return value


def counts_store(name: str) -> str:
    """Read where throttles are counted: `sqlite`, `postgresql` or the address of a Valkey or Redis; or empty.

    Raises ImproperlyConfigured for anything else.
    """
    value = text(name)
    if value and value not in ("sqlite", "postgresql") and not value.startswith(("redis://", "rediss://")):
        raise ImproperlyConfigured(f"{name}={value!r} is none of sqlite, postgresql and redis://...")
    return value


def origin(name: str) -> Origin | None:
    """Read the address of a site, such as `https://kifu.example` or `http://192.168.1.5:8000`; None if unset.

    Raises ImproperlyConfigured for anything else, also for one with a path: the archive is at a host's root.
    """
    value = text(name)
    if not value:
        return None
    wrong = ImproperlyConfigured(
        f"{name}={value!r} is not the address of a site, such as https://kifu.example, without a path"
    )
    try:
        parts = urlsplit(value)
        port, host = parts.port, _host(parts.hostname or "")
    except ValueError:
        raise wrong from None
    extra = parts.username, parts.password, parts.query, parts.fragment, parts.path.rstrip("/")
    if parts.scheme not in _PORTS or not host or any(extra) or port == 0:
        raise wrong
    return Origin(parts.scheme, host, None if port == _PORTS[parts.scheme] else port)


def _host(written: str) -> str:
    """Return a host as browsers send it, empty for none. Raise ValueError otherwise."""
    if ":" in written and "%" not in written:
        return f"[{ipaddress.IPv6Address(written).compressed}]"
    host = written.encode("idna").decode() if written else ""
    return host if _NAME.fullmatch(host) else ""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def folder(path: Path, name: str) -> Path:
    """Create a folder unless it is there; return its path. Raise ImproperlyConfigured, which names the
    setting, where nothing can be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, name, error) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise _unwritable(path, name, "this user may not write there")
    return path


def _unwritable(path: Path, name: str, error: OSError | str) -> ImproperlyConfigured:
    why = error if isinstance(error, str) else error.strerror
    return ImproperlyConfigured(f"{name}: nothing can be written in {path} ({why})")


def private_file(path: Path, name: str) -> Path:
    """Create a file that only its owner can read (mode 0600), unless it is there; return its path. Raise
    ImproperlyConfigured, which names the setting of its folder, where it cannot be written."""
    folder(path.parent, name)
    try:
        if not path.exists():
            path.touch(mode=0o600)
    except OSError as error:
        raise _unwritable(path.parent, name, error) from None
    if not os.access(path, os.R_OK | os.W_OK):
        raise _unwritable(path, name, "this user may not read and write it")
    return path


def secret(name: str, keep_in: Path | None, of_folder: str) -> str:
    """Return the secret of that name. Where it is unset, one is made once and kept in `keep_in` (mode 0600),
    in the folder that the setting `of_folder` names.

    Raises ImproperlyConfigured where it is unset and `keep_in` is None: a server with a database of its own
    has several processes on several machines, which must share one secret.
    """
    value = text(name)
    if value:
        return value
    if keep_in is None:
        raise ImproperlyConfigured(
            f"{name} must be set where DATABASE_URL is: openssl rand -hex 32 writes one"
        )
    folder(keep_in.parent, of_folder)
    try:
        return _kept_secret(keep_in)
    except OSError as error:
        raise _unwritable(keep_in, of_folder, error) from None


def check_secret(name: str, value: str, site: Origin | None) -> None:
    """Raise ImproperlyConfigured where a secret can be guessed, and others can reach the site."""
    if site is None or is_loopback(site.host):
        return
    if len(value) < _LEAST_SECRET or len(set(value)) < _LEAST_DIFFERENT:
        raise ImproperlyConfigured(
            f"{name} can be guessed, and {site} can be reached by others: set one of at least "
            f"{_LEAST_SECRET} characters, as openssl rand -hex 32 writes it"
        )


def _kept_secret(path: Path) -> str:
    if not path.exists():
        made = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(50))
            # Of processes that start together one gives its secret the name, complete; the others read it.
            with suppress(FileExistsError):
                path.hardlink_to(made)
        finally:
            made.unlink(missing_ok=True)
    return _content(path, "SECRET_KEY")
