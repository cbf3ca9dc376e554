"""What has happened, counted by every process and added up in the database now and then.

Workers have no address at which anybody could ask them, they are on other machines, and their processes are
replaced: so what they count is written down every few seconds, and any web process tells the sums. One that
is killed takes the counts of its last seconds with it.
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


class Counted(NamedTuple):
    """What is counted: something of a kind, and what became of it."""

    what: str
    label: str
    outcome: str


_counts: defaultdict[Counted, list[float]] = defaultdict(lambda: [0, 0.0])
_lock = threading.Lock()


def add(what: str, label: str, outcome: str, n: int = 1, seconds: float = 0.0) -> None:
    """Count something, in this process for now."""
    with _lock:
        found = _counts[Counted(what, label, outcome)]
        found[0] += n
        found[1] += seconds


def write() -> None:
    """Add what was counted to the sums. What the database does not take is counted still."""
    with _lock:
        taken = {counted: tuple(found) for counted, found in _counts.items()}
        _counts.clear()
    if not taken:
        return
    try:
        # In one order in all processes: none waits for another that waits for it.
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_ADD, [(*counted, *taken[counted]) for counted in sorted(taken)])
    except BaseException:
        for counted, (n, seconds) in taken.items():
            add(*counted, int(n), seconds)
        raise


def sums() -> Iterator[tuple[Counted, int, float]]:
    """Yield what was counted, how often it happened and how many seconds it took."""
    for what, label, outcome, n, seconds in Tally.objects.order_by("what", "label", "outcome").values_list(
        "what", "label", "outcome", "n", "seconds"
    ):
        yield Counted(what, label, outcome), n, seconds
