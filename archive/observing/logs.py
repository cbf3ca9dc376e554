"""The log format of all processes: lines with their context, and with visitors' texts escaped.

The context is a request, an upload or a task. An upload has the id of the request that created it, so the
lines of its workers have it too. `docs/operations.md` lists the fields of JSON lines.
"""

import json
import logging
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, NamedTuple

ACCESS: Final = "archive.access"
"""The logger of the access log."""

_MAX_TARGET: Final = 2000
_MAX_AGENT: Final = 200
"""Characters in a line of the access log."""

LEVELS: Final = ("debug", "info", "warning", "error")
FORMATS: Final = ("text", "json")
_NONE: Final = "-"
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
_SERVER_ERROR: Final = 500


class LogContext(NamedTuple):
    """The work of a thread: the request that it began with, an upload, a task; empty without any."""

    request: str = ""
    upload: int | None = None
    task: str = ""
    task_id: str = ""


_EMPTY: Final = LogContext()
_context: ContextVar[LogContext] = ContextVar("log_context", default=_EMPTY)
_ATTRIBUTE: Final = "_archive_log_context"
"""The attribute of an exception with the context in which it was raised."""
_process = "manage"


def request_id(proposed: str | None = None) -> str:
    """Return the id that a proxy proposes (8 to 64 letters, digits, `.`, `_`, `-`), else a new one."""
    return proposed if proposed and _REQUEST_ID.fullmatch(proposed) else secrets.token_hex(8)


def current_request() -> str:
    """Return the id of the request that this thread's work began with; empty if there is none."""
    return _context.get().request


@contextmanager
def context(**changed: Any) -> Iterator[None]:
    """Change fields of the `LogContext` for lines that are written inside, and for errors that leave it."""
    changed_context = _context.get()._replace(**changed)
    token = _context.set(changed_context)
    try:
        yield
    except BaseException as error:
        if not hasattr(error, _ATTRIBUTE):
            setattr(error, _ATTRIBUTE, changed_context)
        raise
    finally:
        _context.reset(token)


def begin_task(name: str, task_id: str) -> None:
    """Set the context of this thread to a task."""
    _context.set(LogContext(task=name, task_id=task_id))


def end_task() -> None:
    """Clear the context of this thread."""
    _context.set(_EMPTY)


def begin_process(name: str) -> None:
    """Set the process's name in log lines (`web`, `worker`, `scheduler`, `supervisor`); also log warnings and
    uncaught exceptions."""
    global _process
    _process = name
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught


def _log_uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if not isinstance(error, KeyboardInterrupt):
        logging.getLogger(__name__).critical("this process fails", exc_info=(kind, error, traceback))


def context_of(record: logging.LogRecord) -> LogContext:
    """Return the context of a record's exception if it has one, else of this thread."""
    error = record.exc_info[1] if record.exc_info else None
    context: LogContext = getattr(error, _ATTRIBUTE, None) or _context.get()
    return context


def escaped(text: str) -> str:
    """Return a text as one printable line: other characters (line ends, terminal escapes, marks of direction,
    lone surrogates) are escaped as in Python's strings."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class AccessedUrl(NamedTuple):
    """A request in the access log. `target` is its URL, escaped; `log_access` removes the keys of links."""

    address: str
    method: str | None
    target: str
    agent: str | None


_SLASH: Final = "(?:/|%2F)"
_KEYS: Final = re.compile(
    rf"({_SLASH}(?:(?:shared|join|sign-up|confirm){_SLASH}|reset{_SLASH}[0-9A-Z]+-)"
    r"|(?:[?&]|%3F|%26)(?:key|user_code)(?:=|%3D))[^/?&]+",
    re.IGNORECASE,
)
_WITH_URLS: Final = ("django.request", "front_server", "archive.http")
"""The loggers whose messages may have the URL of a request."""


def _without_keys(text: str) -> str:
    """Return a text without the secret keys of links and the codes of devices: readers of the log must not be
    able to use them."""
    return _KEYS.sub(r"\1…", text)


def _message(record: logging.LogRecord) -> str:
    text = record.getMessage()
    return _without_keys(text) if record.name.startswith(_WITH_URLS) else text


def has_access_log() -> bool:
    return logging.getLogger(ACCESS).isEnabledFor(logging.INFO)


def log_access(accessed: AccessedUrl, status: int, size: int, seconds: float) -> None:
    """Write a line about a request that took so many seconds and answered with `size` bytes."""
    visit = {
        "address": accessed.address,
        "method": accessed.method or _NONE,
        "target": _without_keys(accessed.target)[:_MAX_TARGET],
        "status": status,
        "bytes": size,
        "milliseconds": round(1000 * seconds),
        "agent": (accessed.agent or _NONE)[:_MAX_AGENT],
    }
    quoted = {name: _quotable(value) if isinstance(value, str) else value for name, value in visit.items()}
    logging.getLogger(ACCESS).info(
        '%(address)s "%(method)s %(target)s" %(status)d %(bytes)d %(milliseconds)dms "%(agent)s"',
        quoted,
        extra={"visit": visit},
    )


def _quotable(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


class ContextFilter(logging.Filter):
    """Adds the context to every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.context = context_of(record)
        return True


class ServerErrorsOnly(logging.Filter):
    """Drops Django's records about client errors: visitors could fill the log with them, and the access log
    has the requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        of_django = record.name.startswith(("django.request", "django.security"))
        return not (of_django and getattr(record, "status_code", _SERVER_ERROR) < _SERVER_ERROR)


class TextFormatter(logging.Formatter):
    """One line per record; tracebacks are indented, so that no text of a visitor can forge a line."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(work)s] %(message)s")
        self.default_msec_format = "%s.%03d"

    def formatMessage(self, record: logging.LogRecord) -> str:
        context: LogContext = record.__dict__["context"]
        record.work = context.request or context.task_id or _NONE
        record.message = escaped(_message(record))
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _indented(stack_info)


def _indented(text: str) -> str:
    return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


class JsonFormatter(logging.Formatter):
    """One JSON object per record, in ASCII, so it stays one line and cannot control a terminal. Empty fields
    are left out."""

    def format(self, record: logging.LogRecord) -> str:
        context: LogContext = record.__dict__["context"]
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": _process,
            "pid": os.getpid(),
            **{name: value for name, value in context._asdict().items() if value},
            "message": _message(record),
            **getattr(record, "visit", {}),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields)


def configuration(level: str, *, access: bool, form: str = "text", sentry: str = "") -> dict[str, Any]:
    """Return the LOGGING setting: records from `level` (of `LEVELS`) on, and the access log, in a format of
    `FORMATS`. `sentry` is the DSN of a Sentry that also gets the errors."""
    handlers: dict[str, dict[str, Any]] = {
        "stderr": {"class": "logging.StreamHandler", "formatter": form},
        # By name, since sentry-sdk is an optional library.
        **({"sentry": {"class": "archive.observing.sentry.Faults", "dsn": sentry}} if sentry else {}),
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "context": {"()": "archive.observing.logs.ContextFilter"},
            "server-errors": {"()": "archive.observing.logs.ServerErrorsOnly"},
        },
        "formatters": {
            "text": {"()": "archive.observing.logs.TextFormatter"},
            "json": {"()": "archive.observing.logs.JsonFormatter"},
        },
        "handlers": {
            name: handler | {"filters": ["context", "server-errors"]} for name, handler in handlers.items()
        },
        "root": {"level": level.upper(), "handlers": [*handlers]},
        "loggers": {
            # Replaces Django's own handlers, which send mails and write to the console.
            "django": {"handlers": [], "level": "NOTSET", "propagate": True},
            ACCESS: {"level": "INFO" if access else "CRITICAL"},
        },
    }
