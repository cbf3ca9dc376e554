"""Log lines of all processes: one format, nothing of visitors unescaped, what each is about.

That is a request, and what it leads to elsewhere: an upload keeps the id of the request that brought it, and
who works on it later tells that again. `docs/operations.md` has the fields of lines in JSON.
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

_LONGEST_TARGET: Final = 2000
_LONGEST_AGENT: Final = 200
"""Characters in a line of it."""

LEVELS: Final = ("debug", "info", "warning", "error")
FORMATS: Final = ("text", "json")
_NOBODY: Final = "-"
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
_FROM_HERE: Final = 500
"""Statuses below tell of a visitor's mistake."""


class Subject(NamedTuple):
    """What a thread works on: the request that it began with, an upload, a task; empty without any."""

    request: str = ""
    upload: int | None = None
    task: str = ""
    """Its name, as of a function."""
    task_id: str = ""


_NOTHING: Final = Subject()
_subject: ContextVar[Subject] = ContextVar("subject", default=_NOTHING)
_TOLD_IN: Final = "_archive_subject"
_process = "manage"


def request_id(proposed: str | None = None) -> str:
    """Return the id that a proxy gave a request (8 to 64 letters, digits, `.`, `_`, `-`), else a new one."""
    return proposed if proposed and _WELL_FORMED.fullmatch(proposed) else secrets.token_hex(8)


def current_request() -> str:
    """Return the id of the request that this thread's work began with; empty outside of any."""
    return _subject.get().request


@contextmanager
def about(**changed: Any) -> Iterator[None]:
    """Let lines written inside tell this of their `Subject`, and all else as before.

    An error that leaves is told with it, too, wherever that is.
    """
    subject = _subject.get()._replace(**changed)
    token = _subject.set(subject)
    try:
        yield
    except BaseException as error:
        if not hasattr(error, _TOLD_IN):
            setattr(error, _TOLD_IN, subject)
        raise
    finally:
        _subject.reset(token)


def begin_task(name: str, task_id: str) -> None:
    """Let lines of this thread tell this task, until it is ended."""
    _subject.set(Subject(task=name, task_id=task_id))


def end_task() -> None:
    """Let lines of this thread tell nothing more of a task."""
    _subject.set(_NOTHING)


def begin_process(name: str) -> None:
    """Let this process tell what it is (`web`, `worker`, `scheduler`, `supervisor`), and write lines of its
    warnings and of what ends it, too."""
    global _process
    _process = name
    logging.captureWarnings(True)
    sys.excepthook = _tell_end


def _tell_end(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
    if not isinstance(error, KeyboardInterrupt):
        logging.getLogger(__name__).critical("this process fails", exc_info=(kind, error, place))


def subject_of(record: logging.LogRecord) -> Subject:
    """Return what a record is about: its error's subject where it has one, else this thread's."""
    error = record.exc_info[1] if record.exc_info else None
    found: Subject = getattr(error, _TOLD_IN, None) or _subject.get()
    return found


def escaped(text: str) -> str:
    """Return the text on one line of what can be seen: everything else (line ends, control characters,
    terminal escapes, marks of direction, halves of surrogate pairs) as Python writes it in strings."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class AccessedTarget(NamedTuple):
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


def has_access_log() -> bool:
    """Return whether there is an access log."""
    return logging.getLogger(ACCESS).isEnabledFor(logging.INFO)


def log_access(accessed: AccessedTarget, status: int, size: int, seconds: float) -> None:
    """Write a request's line: address, method, target, status, bytes, milliseconds, name of the client."""
    visit = {
        "address": accessed.address,
        "method": accessed.method or _NOBODY,
        "target": accessed.target[:_LONGEST_TARGET],
        "status": status,
        "bytes": size,
        "milliseconds": round(1000 * seconds),
        "agent": (accessed.agent or _NOBODY)[:_LONGEST_AGENT],
    }
    told = {name: _quotable(value) if isinstance(value, str) else value for name, value in visit.items()}
    logging.getLogger(ACCESS).info(
        '%(address)s "%(method)s %(target)s" %(status)d %(bytes)d %(milliseconds)dms "%(agent)s"',
        told,
        extra={"visit": visit},
    )


def _quotable(text: str) -> str:
    """Return a text that may stand between quotation marks."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


class Subjects(logging.Filter):
    """Gives every record what it is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.subject = subject_of(record)
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
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(about)s] %(message)s")
        self.default_msec_format = "%s.%03d"

    def formatMessage(self, record: logging.LogRecord) -> str:
        subject: Subject = record.__dict__["subject"]
        record.about = subject.request or subject.task_id or _NOBODY
        record.message = escaped(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _indented(stack_info)


def _indented(text: str) -> str:
    return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


class Objects(logging.Formatter):
    """One JSON object per record, in ASCII: it stays one line, and nothing in it moves a terminal's cursor.

    Fields that have nothing to say are left out.
    """

    def format(self, record: logging.LogRecord) -> str:
        subject: Subject = record.__dict__["subject"]
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": _process,
            "pid": os.getpid(),
            **{name: value for name, value in subject._asdict().items() if value},
            "message": record.getMessage(),
            **getattr(record, "visit", {}),
        }
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told)


def configuration(level: str, *, access: bool, form: str = "text", sentry: str = "") -> dict[str, Any]:
    """Return the LOGGING setting: what is of `level` (of `LEVELS`) or worse, and the access log, as lines of
    this form (of `FORMATS`); `sentry` is the address of one that errors are told to, too."""
    handlers: dict[str, dict[str, Any]] = {
        "stderr": {"class": "logging.StreamHandler", "formatter": form},
        # Named, not imported: the library for it is there by choice.
        **({"sentry": {"class": "archive.observing.sentry.Faults", "dsn": sentry}} if sentry else {}),
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "subjects": {"()": "archive.observing.logs.Subjects"},
            "faults-only": {"()": "archive.observing.logs.FaultsOnly"},
        },
        "formatters": {
            "text": {"()": "archive.observing.logs.Lines"},
            "json": {"()": "archive.observing.logs.Objects"},
        },
        "handlers": {
            name: handler | {"filters": ["subjects", "faults-only"]} for name, handler in handlers.items()
        },
        "root": {"level": level.upper(), "handlers": [*handlers]},
        "loggers": {
            # Django has handlers of its own, for mails and for developers.
            "django": {"handlers": [], "level": "NOTSET", "propagate": True},
            ACCESS: {"level": "INFO" if access else "CRITICAL"},
        },
    }
