"""Log lines of all processes: one format, nothing of visitors unescaped, the request of each."""

import logging
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

ACCESS: Final = "archive.access"
"""The logger of the access log."""

_LONGEST_TARGET: Final = 2000
_LONGEST_AGENT: Final = 200
"""Characters in a line of it."""

LEVELS: Final = ("debug", "info", "warning", "error")
_NOBODY: Final = "-"
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
_FROM_HERE: Final = 500
"""Statuses below tell of a visitor's mistake."""

_request: ContextVar[str] = ContextVar("request", default=_NOBODY)


def request_id(proposed: str | None = None) -> str:
    """Return the id that a proxy gave a request (8 to 64 letters, digits, `.`, `_`, `-`), else a new one."""
    return proposed if proposed and _WELL_FORMED.fullmatch(proposed) else secrets.token_hex(8)


def current_request() -> str:
    """Return the id of the request that this thread works on; `-` outside of any."""
    return _request.get()


@contextmanager
def about(identifier: str) -> Iterator[None]:
    """Let lines written inside tell this id: of a request, or of a task."""
    token = _request.set(identifier)
    try:
        yield
    finally:
        _request.reset(token)


def escaped(text: str) -> str:
    """Return the text on one line of what can be seen: everything else (line ends, control characters,
    terminal escapes, marks of direction, halves of surrogate pairs) as Python writes it in strings."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class Asked(NamedTuple):
    """What a visitor sent, for the access log: all of it but the address as it came."""

    address: str
    method: str | None
    target: str
    agent: str | None


_KEYS: Final = re.compile(
    r"(/(?:shared|join|sign-up)/|/account/email/confirm/|/account/password/reset/[0-9A-Za-z]+-|[?&]key=)[^/?&]+"
)


def without_keys(target: str) -> str:
    """Return an address without the keys of links in it: who reads the log is not asked in by them."""
    return _KEYS.sub(r"\1…", target)


def visits_are_told() -> bool:
    """Return whether there is an access log."""
    return logging.getLogger(ACCESS).isEnabledFor(logging.INFO)


def tell_visit(asked: Asked, status: int, size: int, seconds: float) -> None:
    """Write a request's line: address, method, target, status, bytes, milliseconds, name of the client."""
    logging.getLogger(ACCESS).info(
        '%s "%s %s" %d %d %dms "%s"',
        asked.address,
        _quotable(asked.method or _NOBODY),
        _quotable(asked.target[:_LONGEST_TARGET]),
        status,
        size,
        round(1000 * seconds),
        _quotable((asked.agent or _NOBODY)[:_LONGEST_AGENT]),
    )


def _quotable(text: str) -> str:
    """Return a text that may stand between quotation marks."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


class RequestIds(logging.Filter):
    """Gives every record the id of the request that it is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current_request()
        return True


class FaultsOnly(logging.Filter):
    """Leaves out what Django reports of visitors' mistakes: those are answered, and stand in the access log.

    Otherwise everybody could fill the log with warnings and tracebacks.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        of_django = record.name.startswith(("django.request", "django.security"))
        return not (of_django and getattr(record, "status_code", _FROM_HERE) < _FROM_HERE)


class Lines(logging.Formatter):
    """One line per record, with the lines of a traceback indented below: no text can begin a line."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s")
        self.default_msec_format = "%s.%03d"

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = escaped(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _indented(stack_info)


def _indented(text: str) -> str:
    return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


def configuration(level: str, *, access: bool) -> dict[str, Any]:
    """Return the LOGGING setting: what is of `level` (of `LEVELS`) or worse, and the access log."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "request-ids": {"()": "archive.logs.RequestIds"},
            "faults-only": {"()": "archive.logs.FaultsOnly"},
        },
        "formatters": {"lines": {"()": "archive.logs.Lines"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "filters": ["request-ids", "faults-only"],
                "formatter": "lines",
            }
        },
        "root": {"level": level.upper(), "handlers": ["stderr"]},
        "loggers": {
            # Django has handlers of its own, for mails and for developers.
            "django": {"handlers": [], "level": "NOTSET", "propagate": True},
            ACCESS: {"level": "INFO" if access else "CRITICAL"},
        },
    }
