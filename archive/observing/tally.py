"""Counts of events in all processes, summed in the database every few seconds.

Prometheus cannot scrape workers: they serve no HTTP, run on other machines and are replaced. So they write
their counts to the database, and any web process reports the sums. A killed process loses its last seconds.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from django.db import connection, transaction

from archive.models import Tally

TASKS: Final = "task"
ENTRIES: Final = "entry"

_ADD: Final = """
    INSERT INTO archive_tally (what, label, outcome, n, seconds) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (what, label, outcome) DO UPDATE
    SET n = archive_tally.n + excluded.n, seconds = archive_tally.seconds + excluded.seconds
"""


class TallyKey(NamedTuple):
    """A kind of event, its label and its outcome."""

    what: str
    label: str
    outcome: str


_counts: defaultdict[TallyKey, list[float]] = defaultdict(lambda: [0, 0.0])
_lock = threading.Lock()


def add(what: str, label: str, outcome: str, n: int = 1, seconds: float = 0.0) -> None:
    """Count events in this process."""
    with _lock:
        count = _counts[TallyKey(what, label, outcome)]
        count[0] += n
        count[1] += seconds


def write() -> None:
    """Add the counts of this process to the sums. If the database fails they stay in the process."""
    with _lock:
        counts = {key: tuple(count) for key, count in _counts.items()}
        _counts.clear()
    if not counts:
        return
    try:
        # In the same order in all processes, to avoid deadlocks.
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_ADD, [(*key, *counts[key]) for key in sorted(counts)])
    except BaseException:
        for key, (n, seconds) in counts.items():
            add(*key, int(n), seconds)
        raise


def sums() -> Iterator[tuple[TallyKey, int, float]]:
    """Yield the sum of each key: the number of events and their total seconds."""
    for row in Tally.objects.order_by("what", "label", "outcome"):
        yield TallyKey(row.what, row.label, row.outcome), row.n, row.seconds
