"""Read typed settings from the environment. Invalid values raise ImproperlyConfigured with the variable."""

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
_MAX_DIGITS: Final = 15
"""Digits of a number; larger ones exceed columns and clocks."""
_MIN_SECRET: Final = 50
_MIN_DIFFERENT: Final = 5
_DATABASES: Final = ("postgresql", "postgres", "pgsql")
_BROKERS: Final = ("filesystem", "redis", "rediss", "amqp", "amqps")

_read: set[str] = set()
"""The names of variables that were read, set or not."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a site: `scheme` is http or https, `host` is as in requests (IPv6 in brackets), `port` is
    None for the scheme's default."""

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
    """Return a variable's value, stripped; `default` if it is unset or empty.

    If only `name`_FILE is set, the value is the content of that file, as for secrets of containers. Raises
    ImproperlyConfigured if both are set, or the file is empty or unreadable.
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
    """Yield variables with our prefix that are no settings, each with a similar setting or nothing."""
    for name in sorted(os.environ):
        if name.startswith(_OURS) and name not in _read:
            yield name, next(iter(get_close_matches(name, sorted(_read), 1, 0.8)), "")


def _content(path: Path, name: str) -> str:
    try:
        content = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}: {path} cannot be read ({error})") from None
    if not content:
        raise ImproperlyConfigured(f"{name}: there is nothing in {path}")
    return content


def flag(name: str, default: bool) -> bool:
    """Return a yes/no variable as a bool."""
    value = text(name).lower()
    if not value:
        return default
    if value in TRUE or value in FALSE:
        return value in TRUE
    raise ImproperlyConfigured(f"{name}={value!r} is neither yes nor no; write 1 or 0")


def number(name: str, default: int, minimum: int = 1) -> int:
    """Return an integer of at least `minimum` and at most `_MAX_DIGITS` digits."""
    value = text(name)
    if not value:
        return default
    if not _is_number(value) or int(value) < minimum:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number of at least {minimum}")
    return int(value)


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS


def by_role(name: str, default: Mapping[str, int]) -> dict[str, int]:
    """Return integers by role, such as `anonymous=9,contributor=50`; the others are those of `default`."""
    numbers = dict(default)
    for item in words(name, []):
        role, _sign, value = (part.strip() for part in item.partition("="))
        if role not in default or not _is_number(value):
            raise ImproperlyConfigured(f"{name}: {item!r} is no number for one of {', '.join(default)}")
        numbers[role] = int(value)
    return numbers


def choice(name: str, options: tuple[str, ...], default: str) -> str:
    """Return one of several words."""
    value = text(name, default)
    if value not in options:
        raise ImproperlyConfigured(f"{name}={value!r} is none of {', '.join(options)}")
    return value


def words(name: str, default: list[str]) -> list[str]:
    """Return a comma-separated list."""
    value = text(name)
    return [word.strip() for word in value.split(",") if word.strip()] if value else default


def several(name: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """Return some of several words; all of them if unset."""
    chosen = words(name, [*options])
    for word in chosen:
        if word not in options:
            raise ImproperlyConfigured(f"{name}: {word!r} is none of {', '.join(options)}")
    if not chosen:
        raise ImproperlyConfigured(f"{name} names none of {', '.join(options)}")
    return tuple(chosen)


def hosts(name: str, default: list[str]) -> list[str]:
    """Return a list of host names, as in Django's ALLOWED_HOSTS: `.kifu.example` is for all subdomains, `*`
    for all hosts."""
    names = words(name, default)
    for word in names:
        try:
            valid = word == "*" or bool(_host(word.removeprefix(".").strip("[]")))
        except ValueError:
            valid = False
        if not valid:
            raise ImproperlyConfigured(
                f"{name}: {word!r} is not the name of a host, such as kifu.example, without https:// and port"
            )
    return names


def origins(name: str) -> list[str]:
    """Return a list of origins such as `https://kifu.example`."""
    urls = words(name, [])
    for url in urls:
        if not re.fullmatch(r"https?://[^/?#\s]+", url):
            raise ImproperlyConfigured(f"{name}: {url!r} is not an origin, such as https://kifu.example")
    return urls


def sender(name: str, default: str) -> str:
    """Return the sender of mails, `a@b.example` or `Name <a@b.example>`."""
    value = text(name, default)
    if not _MAIL.fullmatch(parseaddr(value)[1]) or "\n" in value:
        raise ImproperlyConfigured(f"{name}={value!r} is not an address of mail, such as kifu@kifu.example")
    return value


def time_zone(name: str, default: str) -> str:
    """Return the name of a time zone."""
    value = text(name, default)
    try:
        ZoneInfo(value)
    except (OSError, ValueError, KeyError):
        raise ImproperlyConfigured(
            f"{name}={value!r} is not the name of a time zone, such as Asia/Tokyo or UTC"
        ) from None
    return value


def database(name: str) -> str:
    """Return the URL of a PostgreSQL database, or nothing."""
    return _database_url(name, value) if (value := text(name)) else ""


def databases(name: str) -> list[str]:
    """Return a list of URLs of PostgreSQL databases."""
    return [_database_url(name, value) for value in words(name, [])]


def _database_url(name: str, value: str) -> str:
    expected = "of a PostgreSQL, such as postgresql://user:password@host:5432/name"
    return _server_url(name, value, _DATABASES, expected)


def broker(name: str, default: str) -> str:
    """Return the URL of a broker."""
    expected = "of a broker, such as redis://host:6379/0 or amqp://host"
    return _server_url(name, text(name, default), _BROKERS, expected)


def _server_url(name: str, value: str, schemes: tuple[str, ...], expected: str) -> str:
    """Return the URL of a server after checking it. The error does not contain its password."""
    try:
        parts = urlsplit(value)
        valid = parts.scheme in schemes and bool(parts.netloc or parts.path.strip("/"))
        _port = parts.port
    except ValueError:
        valid = False
    if not valid:
        shown = re.sub(r"//.*@", "//...@", value)
        raise ImproperlyConfigured(f"{name}={shown!r} is not the address {expected}")
    return value


def contact(name: str) -> str:
    """Return a mail address or a page as a URI, or nothing."""
    value = text(name)
    if not value or _CONTACT.fullmatch(value):
        return value
    if _MAIL.fullmatch(value):
        return f"mailto:{value}"
    raise ImproperlyConfigured(f"{name}={value!r} is neither an address of mail nor of a page (https://)")


def address(name: str, default: str) -> tuple[str, int]:
    """Return host and port of `host:port`; an IPv6 host is in brackets."""
    value = text(name, default)
    host, _, port = value.rpartition(":")
    if not host or not _is_number(port) or int(port) > 65535:
        raise ImproperlyConfigured(f"{name}={value!r} is not host:port, such as 127.0.0.1:8000")
    return host.strip("[]"), int(port)


def networks(name: str, default: list[str]) -> tuple[Network, ...]:
    """Return a list of addresses and networks such as `10.0.0.0/8`."""
    result = []
    for word in words(name, default):
        try:
            result.append(ipaddress.ip_network(word))
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name}: {word!r} is neither an address nor a network such as 10.0.0.0/8 ({error})"
            ) from None
    return tuple(result)


@dataclass(frozen=True, slots=True)
class MailServer:
    """An SMTP server; `tls` is `always`, `starttls` or `never`."""

    host: str
    port: int
    user: str
    password: str
    tls: str


_MAIL_PORTS: Final = {"smtps": (465, "always"), "smtp": (587, "starttls"), "smtp+plain": (25, "never")}


def mail_server(name: str) -> MailServer | None:
    """Return the mail server of a URL such as `smtps://user:password@mail.example`; None if unset.

    `smtp` uses STARTTLS, `smtp+plain` no TLS. Reserved characters of user and password are percent-encoded.
    """
    value = text(name)
    if not value:
        return None
    # The value may contain a password, so the error does not repeat it.
    invalid = ImproperlyConfigured(
        f"{name} is not the address of a mail server, such as smtps://user:password@host"
    )
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise invalid from None
    if parts.scheme not in _MAIL_PORTS or not parts.hostname or parts.path.rstrip("/") or parts.query:
        raise invalid
    default, tls = _MAIL_PORTS[parts.scheme]
    return MailServer(
        parts.hostname, port or default, unquote(parts.username or ""), unquote(parts.password or ""), tls
    )


def sentry(name: str) -> str:
    """Return a Sentry DSN, `https://key@sentry.example/1`, or nothing. Raises ImproperlyConfigured also if
    sentry-sdk is not installed."""
    value = text(name)
    if not value:
        return value
    # The value contains a key, so the error does not repeat it.
    invalid = ImproperlyConfigured(
        f"{name} is not the address of a project of a Sentry, https://key@host/number"
    )
    try:
        parts = urlsplit(value)
        _port = parts.port
    except ValueError:
        raise invalid from None
    project = parts.path.rpartition("/")[2]
    if parts.scheme not in _PORTS or not parts.hostname or not parts.username or not project.isdigit():
        raise invalid
    if find_spec("sentry_sdk") is None:
        raise ImproperlyConfigured(f"{name} needs sentry-sdk: pip install 'sentry-sdk>=2.20,<3'")
    return value


def counts_store(name: str) -> str:
    """Return the store of rate limits: `sqlite`, `postgresql`, the URL of a Valkey or Redis, or nothing."""
    value = text(name)
    if value and value not in ("sqlite", "postgresql") and not value.startswith(("redis://", "rediss://")):
        raise ImproperlyConfigured(f"{name}={value!r} is none of sqlite, postgresql and redis://...")
    return value


def origin(name: str) -> Origin | None:
    """Return the origin of a site such as `https://kifu.example` or `http://192.168.1.5:8000`; None if unset.
    Raises ImproperlyConfigured for a URL with a path: the archive is at the root of its host."""
    value = text(name)
    if not value:
        return None
    invalid = ImproperlyConfigured(
        f"{name}={value!r} is not the address of a site, such as https://kifu.example, without a path"
    )
    try:
        parts = urlsplit(value)
        port, host = parts.port, _host(parts.hostname or "")
    except ValueError:
        raise invalid from None
    extra = parts.username, parts.password, parts.query, parts.fragment, parts.path.rstrip("/")
    if parts.scheme not in _PORTS or not host or any(extra) or port == 0:
        raise invalid
    return Origin(parts.scheme, host, None if port == _PORTS[parts.scheme] else port)


def _host(name: str) -> str:
    """Return a host as browsers send it; empty for an invalid name. May raise ValueError."""
    if ":" in name and "%" not in name:
        return f"[{ipaddress.IPv6Address(name).compressed}]"
    host = name.encode("idna").decode() if name else ""
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
    """Create a folder unless it exists; return its path. `name` is its setting, for errors if this user
    cannot write there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, name, error) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise _unwritable(path, name, "this user may not write there")
    return path


def _unwritable(path: Path, name: str, error: OSError | str) -> ImproperlyConfigured:
    reason = error if isinstance(error, str) else error.strerror
    return ImproperlyConfigured(f"{name}: nothing can be written in {path} ({reason})")


def private_file(path: Path, name: str) -> Path:
    """Create a file with mode 0600 unless it exists; return its path. `name` is the setting of its folder,
    for errors."""
    folder(path.parent, name)
    try:
        if not path.exists():
            path.touch(mode=0o600)
    except OSError as error:
        raise _unwritable(path.parent, name, error) from None
    if not os.access(path, os.R_OK | os.W_OK):
        raise _unwritable(path, name, "this user may not read and write it")
    return path


def secret(name: str, file: Path | None, folder_setting: str) -> str:
    """Return a secret. If it is unset, it is generated once and stored in `file` (mode 0600), in the folder
    of `folder_setting`.

    Raises ImproperlyConfigured if it is unset and `file` is None: with a database server, processes may run
    on several machines and must share the secret.
    """
    value = text(name)
    if value:
        return value
    if file is None:
        raise ImproperlyConfigured(
            f"{name} must be set where DATABASE_URL is: openssl rand -hex 32 writes one"
        )
    folder(file.parent, folder_setting)
    try:
        return _stored_secret(file)
    except OSError as error:
        raise _unwritable(file, folder_setting, error) from None


def check_secret(name: str, value: str, site: Origin | None) -> None:
    """Raise ImproperlyConfigured for a weak secret of a site that others can reach."""
    if site is None or is_loopback(site.host):
        return
    if len(value) < _MIN_SECRET or len(set(value)) < _MIN_DIFFERENT:
        raise ImproperlyConfigured(
            f"{name} can be guessed, and {site} can be reached by others: set one of at least "
            f"{_MIN_SECRET} characters, as openssl rand -hex 32 writes it"
        )


def _stored_secret(path: Path) -> str:
    if not path.exists():
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(50))
            # Of processes that start together, one links its complete file; the others read that.
            with suppress(FileExistsError):
                path.hardlink_to(temporary)
        finally:
            temporary.unlink(missing_ok=True)
    return _content(path, "SECRET_KEY")
