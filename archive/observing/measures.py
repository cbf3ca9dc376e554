"""What the database tells of how the archive fares, so cheaply that it can be asked every few seconds.

No large table is read at every question. What waits is found by the index of unfinished uploads, rows of the
position index are estimated from a thousand games, what is done is counted by who does it (`tally`). All
uploads and entries by their state are counted now and then: the longer that takes, the more rarely.
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
from archive.models import Entry, Game, HeardProcess, Upload
from archive.observing.heartbeats import LATELY
from archive.observing.outstanding import outstanding
from archive.store import unfinished

KEPT_SECONDS: Final = 10.0
"""How long the rows of the index are told without looking again."""

COUNTING_SECONDS: Final = 2.0
"""What counting all uploads, or all entries, may take; where it takes longer nothing is told."""

FAILURES: Final = 10
"""So many of the newest failures are told."""

FAILURES_SECONDS: Final = 0.5
"""What looking for them may take."""

RARELY: Final = 200
"""So many times as long as counting took, its result is told: it takes 0.5 % of the time at most."""

LEAST_KEPT: Final = 30.0
"""Seconds for which that is told in any case."""

SAMPLES: Final = 20
SAMPLE_GAMES: Final = 50
"""Places at which games are looked at, and games at each, to estimate how many rows the index has."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Queue:
    """Uploads that are worked on or wait for it; `oldest`: since when the oldest does, None for no upload."""

    waiting: int
    oldest: datetime | None

    @property
    def age(self) -> float:
        """Return the seconds for which the oldest has waited."""
        return (timezone.now() - self.oldest).total_seconds() if self.oldest else 0.0


def queue() -> Queue:
    """Return what waits for a worker."""
    found = unfinished().aggregate(waiting=Count("pk"), oldest=Min("received"))
    return Queue(found["waiting"], found["oldest"])


class Failure(NamedTuple):
    """That something of an upload could not be read, which was received then; the code of why, and
    the params of its text."""

    received: datetime
    upload: int
    code: str
    params: tuple[tuple[str, str | int], ...]


class _Kept(Generic[T]):
    """A value that is found out now and then; `again` says for how many seconds, from those that took."""

    def __init__(self, make: Callable[[], T], again: Callable[[float], float]) -> None:
        self.make = make
        self.again = again
        self.lock = threading.Lock()
        self.found: tuple[float, T] | None = None

    def get(self) -> T:
        with self.lock:
            began = time.monotonic()
            if self.found is None or began >= self.found[0]:
                value = self.make()
                ended = time.monotonic()
                self.found = (ended + self.again(ended - began), value)
            return self.found[1]

    def forget(self) -> None:
        with self.lock:
            self.found = None


def _count_states(model: type[Upload | Entry]) -> dict[str, int] | None:
    try:
        with engine().time_limit(COUNTING_SECONDS):
            rows = model._default_manager.values_list("state").annotate(n=Count("pk")).order_by()
            counted = dict(rows)
    except TimeoutError:
        return None
    return {state: counted.get(state, 0) for state in model.State.values}


def _rarely(seconds: float) -> float:
    return max(LEAST_KEPT, RARELY * seconds)


def _estimate_rows() -> int:
    last = Game.objects.aggregate(last=Max("slot"))["last"] or 0
    step = max(1, last // SAMPLES)
    rows = slots = 0
    with connection.cursor() as cursor:
        for first in range(0, last + 1, step):
            cursor.execute(_SAMPLE, [first, first + step, SAMPLE_GAMES])
            found = cursor.fetchall()
            full = len(found) == SAMPLE_GAMES
            slots += found[-1][0] + 1 - first if full else min(step, last + 1 - first)
            rows += sum(own for _slot, own in found)
    return round(rows * (last + 1) / slots) if slots else 0


_SAMPLE: Final = """
    SELECT slot, index_rows FROM archive_game WHERE slot >= %s AND slot < %s ORDER BY slot LIMIT %s
"""


def _find_failures() -> Sequence[Failure] | None:
    failed = Upload.objects.filter(state=Upload.State.FAILED).order_by("-pk")
    entries = Entry.objects.filter(state=Entry.State.FAILED).order_by("-pk")
    try:
        with engine().time_limit(FAILURES_SECONDS):
            found = [
                *failed.values_list("pk", "received", "reason")[:FAILURES],
                *entries.values_list("upload_id", "upload__received", "issues")[:FAILURES],
            ]
            told = {Failure(received, upload, *_gravest(why)) for upload, received, why in found}
    except TimeoutError:
        return None
    return sorted(told, key=lambda one: one[:3], reverse=True)[:FAILURES]


def _gravest(why: Any) -> tuple[str, tuple[tuple[str, str | int], ...]]:
    """Return the code of a reason, or of the gravest of issues, and its params."""
    issues = why if isinstance(why, list) else [why] if why else []
    errors = [issue for issue in issues if issue.get("severity", "error") == "error"]
    if not errors:
        return "unknown", ()
    ply = errors[0].get("ply")
    params = ({} if ply is None else {"ply": ply}) | dict(errors[0].get("params") or {})
    # Texts of records of libraries, and names in them, are not for all of the staff.
    told = {name: value if isinstance(value, int) else "…" for name, value in params.items()}
    return str(errors[0]["code"]), tuple(told.items())


_uploads: Final = _Kept(partial(_count_states, Upload), _rarely)
_entries: Final = _Kept(partial(_count_states, Entry), _rarely)
_outstanding: Final = _Kept(outstanding, _rarely)
_rows: Final = _Kept(_estimate_rows, lambda seconds: KEPT_SECONDS)
_columns: Final = _Kept(lag, lambda seconds: KEPT_SECONDS)
_failures: Final = _Kept(_find_failures, lambda seconds: max(KEPT_SECONDS, RARELY * seconds))


def uploads_by_state() -> Mapping[str, int] | None:
    """Return how many uploads there are in each state, as it was lately; None where they are too many to
    count in `COUNTING_SECONDS`."""
    return _uploads.get()


def entries_by_state() -> Mapping[str, int] | None:
    """Return the same of entries."""
    return _entries.get()


def index_rows() -> int:
    """Return about how many rows the index has: exactly where there are up to a thousand games."""
    return _rows.get()


def newest_failures() -> Sequence[Failure] | None:
    """Return the uploads and entries that failed last; None where it takes longer than `FAILURES_SECONDS` to
    find them, for there is no index of what failed."""
    return _failures.get()


def segments() -> Sequence[Segment]:
    """Return the segments of the index with the room in them; none where it is not divided."""
    return engine().segments()


def work_left() -> dict[str, int]:
    """Return what an update has left to be done, as it was lately."""
    return _outstanding.get()


def column_lag() -> Lag:
    """Return how far the files of columns are behind, as it was lately."""
    return _columns.get()


def heard() -> Sequence[HeardProcess]:
    """Return the processes that were heard of within a day, the latest first."""
    return list(HeardProcess.objects.order_by("-seen", "name"))


def heard_lately(processes: Sequence[HeardProcess]) -> dict[str, int]:
    """Return how many of each role were heard of lately."""
    since = timezone.now() - LATELY
    return {
        role: sum(one.role == role and one.seen >= since for one in processes)
        for role in HeardProcess.Role.values
    }


def forget() -> None:
    """Find out everything anew when it is asked for again."""
    _uploads.forget()
    _entries.forget()
    _outstanding.forget()
    _rows.forget()
    _failures.forget()
    _columns.forget()
