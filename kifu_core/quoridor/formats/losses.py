"""What a record of Quoridor loses when it is written in a format. What is not named here survives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from kifu_core.deadline import watched
from kifu_core.errors import Issue, KifuError
from kifu_core.jkf import Record as JkfRecord
from kifu_core.quoridor.endings import GOAL
from kifu_core.quoridor.formats.write_alg import kept_headers
from kifu_core.quoridor.record import MoveEntry, Record, from_jkf
from kifu_core.record import Ending, ParsedGame

_PARTS: Final = ("headers", "times", "comments", "forks", "ending")
LOST: Final[dict[str, tuple[str, ...]]] = {
    "json": ("ending",),
    "alg": ("headers", "times", "ending"),
    "qf": _PARTS,
}
"""The parts that each format has no place for; of endings in `json` and `alg`, those without a name; of
headers in `alg`, those whose name or text no tag can hold."""


def losses(game: ParsedGame | JkfRecord, file_format: str) -> tuple[Issue, ...]:
    """An issue `lost-…` for each part that this record loses in that format, with how many there are.

    Raises KifuError `unknown-format`. Linear in the number of moves.
    """
    if file_format not in LOST:
        raise KifuError("unknown-format", params={"text": file_format[:40]})
    record, ending = (game.record, game.ending) if isinstance(game, ParsedGame) else (game, None)
    found = _parts(from_jkf(record))
    if file_format == "alg":
        kept = kept_headers(from_jkf(record))
        found["headers"] = sum(kept.get(name, "") != text for name, text in record["header"].items())
    found["ending"] = _endings(from_jkf(record), ending, file_format)
    return tuple(
        Issue(f"lost-{part}", "warning", params={"format": file_format, "count": found[part]})
        for part in LOST[file_format]
        if found[part]
    )


def _parts(record: Record) -> Counter[str]:
    """How much there is of each part but the endings."""
    found = Counter(headers=len(record["header"]))
    for entry in _entries(record):
        found["times"] += "time" in entry
        found["comments"] += len(entry.get("comments", ()))
        found["forks"] += len(entry.get("forks", ()))
    return found


def _entries(record: Record) -> Iterator[MoveEntry]:
    """Every entry, those of forks included."""
    lines = [record["moves"]]
    while lines:
        for entry in watched(lines.pop()):
            yield entry
            lines += entry.get("forks", ())


def _endings(record: Record, ending: Ending | None, file_format: str) -> int:
    """The endings that are lost; that of a pawn's arrival never is."""
    if ending is not None and ending.special is None:
        return 1
    if file_format != "qf":
        return 0
    if ending is not None and ending.special == GOAL:
        return 0
    return sum("special" in entry for entry in record["moves"])
