"""Measurements from the database, cheap enough for a scrape every few seconds.

Most read no large table: waiting uploads have an index, rows of the position index are estimated from a
thousand games, finished work is counted by the workers (`tally`). Counts of all uploads and entries by state
are cached; the longer a count takes, the longer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from django.db import connection
from django.db.models import Count, Max, Min
from django.utils import timezone

from archive.columns.building import Lag, lag
from archive.index.engine import engine
from archive.index.schema import Segment
from archive.models import Entry, Game, HeardProcess, ProcessRole, Upload
from archive.observing.heartbeats import LATELY
from archive.observing.outstanding import outstanding
from archive.store import unfinished

CACHE_SECONDS: Final = 10.0
"""How long the estimated rows of the index are cached."""

COUNTING_SECONDS: Final = 2.0
"""The time limit for a count of all uploads, or of all entries."""

FAILURES: Final = 10
"""The number of newest failures that are returned."""

FAILURES_SECONDS: Final = 0.5
"""The time limit for their search."""

CACHE_FACTOR: Final = 200
"""A count is cached for this multiple of the time that it took, so counting takes 0.5 % of the time."""

MIN_CACHE_SECONDS: Final = 30.0

SAMPLES: Final = 20
SAMPLE_GAMES: Final = 50
"""The number of samples of consecutive games, and their size, for the estimate of the index's rows."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Queue:
    """Unfinished uploads; `oldest` is when the oldest was received, None without any."""

    waiting: int
    oldest: datetime | None

    @property
    def age(self) -> float:
        """Return the seconds since the oldest was received."""
        return (timezone.now() - self.oldest).total_seconds() if self.oldest else 0.0


def queue() -> Queue:
    """Return the number and the age of unfinished uploads."""
    return Queue(**unfinished().aggregate(waiting=Count("pk"), oldest=Min("received")))


class Failure(NamedTuple):
    """A failed upload or entry: when the upload was received, its id, and the issue's code and params."""

    received: datetime
    upload: int
    code: str
    params: tuple[tuple[str, str | int], ...]


class _CachedValue(Generic[T]):
    """A cached value; `lifetime` returns for how many seconds, by those that its computation took."""

    def __init__(self, compute: Callable[[], T], lifetime: Callable[[float], float]) -> None:
        self.compute = compute
        self.lifetime = lifetime
        self.lock = threading.Lock()
        self.cached: tuple[float, T] | None = None

    def get(self) -> T:
        with self.lock:
            began = time.monotonic()
            if self.cached is None or began >= self.cached[0]:
                value = self.compute()
                ended = time.monotonic()
                self.cached = (ended + self.lifetime(ended - began), value)
            return self.cached[1]

    def clear(self) -> None:
        with self.lock:
            self.cached = None


def _count_states(model: type[Upload | Entry]) -> dict[str, int] | None:
    try:
        with engine().time_limit(COUNTING_SECONDS):
            rows = model._default_manager.values_list("state").annotate(n=Count("pk")).order_by()
            counts = dict(rows)
    except TimeoutError:
        return None
    return {state: counts.get(state, 0) for state in model.State.values}


def _by_duration(seconds: float) -> float:
    return max(MIN_CACHE_SECONDS, CACHE_FACTOR * seconds)


def _estimate_rows() -> int:
    last = Game.objects.aggregate(last=Max("slot"))["last"] or 0
    step = max(1, last // SAMPLES)
    rows = slots = 0
    with connection.cursor() as cursor:
        for first in range(0, last + 1, step):
            cursor.execute(_SAMPLE, [first, first + step, SAMPLE_GAMES])
            sample = cursor.fetchall()
            full = len(sample) == SAMPLE_GAMES
            slots += sample[-1][0] + 1 - first if full else min(step, last + 1 - first)
            rows += sum(index_rows for _slot, index_rows in sample)
    return round(rows * (last + 1) / slots) if slots else 0


_SAMPLE: Final = """
    SELECT slot, index_rows FROM archive_game WHERE slot >= %s AND slot < %s ORDER BY slot LIMIT %s
"""


def _find_failures() -> Sequence[Failure] | None:
    failed = Upload.objects.filter(state=Upload.State.FAILED).order_by("-pk")
    entries = Entry.objects.filter(state=Entry.State.FAILED).order_by("-pk")
    try:
        with engine().time_limit(FAILURES_SECONDS):
            rows = [
                *failed.values_list("pk", "received", "reason")[:FAILURES],
                *entries.values_list("upload_id", "upload__received", "issues")[:FAILURES],
            ]
            failures = {
                Failure(received, upload, *_first_error(reasons)) for upload, received, reasons in rows
            }
    except TimeoutError:
        return None
    return sorted(failures, key=lambda failure: failure[:3], reverse=True)[:FAILURES]


def _first_error(reasons: Any) -> tuple[str, tuple[tuple[str, str | int], ...]]:
    """Return code and params of an upload's reason, or of the first error among an entry's issues."""
    issues = reasons if isinstance(reasons, list) else [reasons] if reasons else []
    errors = [issue for issue in issues if issue.get("severity", "error") == "error"]
    if not errors:
        return "unknown", ()
    ply = errors[0].get("ply")
    params = ({} if ply is None else {"ply": ply}) | dict(errors[0].get("params") or {})
    # Not all staff may read texts of libraries' records.
    shown = {name: value if isinstance(value, int) else "…" for name, value in params.items()}
    return str(errors[0]["code"]), tuple(shown.items())


_uploads: Final = _CachedValue(partial(_count_states, Upload), _by_duration)
_entries: Final = _CachedValue(partial(_count_states, Entry), _by_duration)
_outstanding: Final = _CachedValue(outstanding, _by_duration)
_rows: Final = _CachedValue(_estimate_rows, lambda seconds: CACHE_SECONDS)
_columns: Final = _CachedValue(lag, lambda seconds: CACHE_SECONDS)
_failures: Final = _CachedValue(_find_failures, lambda seconds: max(CACHE_SECONDS, CACHE_FACTOR * seconds))


def uploads_by_state() -> Mapping[str, int] | None:
    """Return the cached number of uploads by state; None if counting takes over `COUNTING_SECONDS`."""
    return _uploads.get()


def entries_by_state() -> Mapping[str, int] | None:
    """Return the cached number of entries by state; None if counting takes over `COUNTING_SECONDS`."""
    return _entries.get()


def index_rows() -> int:
    """Return the estimated number of rows of the index; exact up to a thousand games."""
    return _rows.get()


def newest_failures() -> Sequence[Failure] | None:
    """Return the newest failed uploads and entries. None if the search takes over `FAILURES_SECONDS`: there
    is no index by failure."""
    return _failures.get()


def segments() -> Sequence[Segment]:
    """Return the segments of the index with their free room; none if it is not partitioned."""
    return engine().segments()


def work_left() -> dict[str, int]:
    """Return the cached amount of work after an update (`outstanding`)."""
    return _outstanding.get()


def column_lag() -> Lag:
    """Return the cached lag of the files of columns."""
    return _columns.get()


def processes() -> Sequence[HeardProcess]:
    """Return the processes with a heartbeat within a day, the latest first."""
    return list(HeardProcess.objects.order_by("-seen", "name"))


def running_by_role(processes: Sequence[HeardProcess]) -> dict[str, int]:
    """Return the number of running processes by role."""
    since = timezone.now() - LATELY
    return {
        role: sum(one.role == role and one.seen >= since for one in processes) for role in ProcessRole.values
    }


def clear() -> None:
    """Drop all cached values."""
    for value in (_uploads, _entries, _outstanding, _rows, _failures, _columns):
        value.clear()
