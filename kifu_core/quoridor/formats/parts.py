"""Count the parts of a record of Quoridor that formats may lose."""

from collections import Counter
from collections.abc import Iterator

from kifu_core.deadline import watched
from kifu_core.formats import PartCounts
from kifu_core.jkf import Record
from kifu_core.quoridor.endings import GOAL
from kifu_core.quoridor.record import QuoridorEntry, QuoridorRecord, from_jkf
from kifu_core.record import Ending


def count_parts(record: Record) -> PartCounts:
    """Count each part but headers and endings."""
    counts: PartCounts = Counter()
    for entry in _entries(from_jkf(record)):
        counts["times"] += "time" in entry
        counts["comments"] += len(entry.get("comments", ()))
        counts["forks"] += len(entry.get("forks", ()))
    return counts


def _entries(record: QuoridorRecord) -> Iterator[QuoridorEntry]:
    lines = [record["moves"]]
    while lines:
        for entry in watched(lines.pop()):
            yield entry
            lines += entry.get("forks", ())


def endings_without_name(record: Record, ending: Ending | None) -> int:
    """Count the endings that have no name in records."""
    return int(ending is not None and ending.special is None)


def all_endings(record: Record, ending: Ending | None) -> int:
    """Count all endings but a pawn's arrival, which the moves show."""
    if ending is not None and ending.special in (None, GOAL):
        return int(ending.special is None)
    return sum("special" in entry for entry in record["moves"])
