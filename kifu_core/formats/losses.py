"""What a record loses when it is written in a format. Everything that is not named here survives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Literal

from kifu_core.deadline import watched
from kifu_core.errors import Issue, KifuError
from kifu_core.formats import bod, csa, ki2, kif
from kifu_core.formats.usen import ending_letter
from kifu_core.formats.writing import (
    Branch,
    branches,
    ending_kind,
    has_sentence,
    kept_headers,
    kind_beside,
)
from kifu_core.jkf import Record
from kifu_core.record import Ending, ParsedGame

Part = Literal["headers", "moves", "times", "fractions", "comments", "bookmarks", "forks", "ending"]

_ALL_BUT_MOVES: Final[tuple[Part, ...]] = (
    "headers", "times", "fractions", "comments", "bookmarks", "forks", "ending",
)  # fmt: skip

LOST: Final[dict[str, tuple[Part, ...]]] = {
    "jkf": ("fractions", "ending"),
    "kif": ("headers", "fractions", "ending"),
    "kifu": ("headers", "fractions", "ending"),
    "ki2": ("headers", "times", "fractions", "bookmarks", "ending"),
    "ki2u": ("headers", "times", "fractions", "bookmarks", "ending"),
    "csa": ("headers", "fractions", "forks", "bookmarks", "ending"),
    "usi": _ALL_BUT_MOVES,
    "sfen": ("moves", *_ALL_BUT_MOVES),
    "bod": ("moves", *_ALL_BUT_MOVES),
    "usen": ("headers", "times", "fractions", "comments", "bookmarks", "ending"),
}
"""The parts of a record that each format has no place for; of endings, those it has no word for, of headers
in formats that have them, those whose name or text cannot stand on a line of their own; of bookmarks in KI2,
those that become comments."""

_KEPT: Final[dict[str, Callable[[Record], dict[str, str]]]] = {
    **dict.fromkeys(["kif", "kifu"], partial(kept_headers, holds=kif.holds_header)),
    **dict.fromkeys(["ki2", "ki2u"], partial(kept_headers, holds=ki2.holds_header)),
    "csa": csa.kept_headers,
    "bod": bod.kept_headers,
}


def losses(game: ParsedGame | Record, file_format: str, *, csa: str = "2.2") -> tuple[Issue, ...]:
    """What this record loses in that format: an issue `lost-…` for each part, with how many there are.

    `ending-in-remark` are endings that are not lost but told where other programs do not read them.

    `csa` is the version of CSA; 3 keeps fractions of seconds. Of a bare record nothing is known of fractions
    and of endings that JKF has no name for. Raises KifuError `unknown-format`. Linear in the number of moves.
    """
    if file_format not in LOST:
        raise KifuError("unknown-format", params={"text": file_format[:40]})
    record, ending = (game.record, game.ending) if isinstance(game, ParsedGame) else (game, None)
    found = _parts(record)
    if isinstance(game, ParsedGame):
        found["fractions"] = len(game.fractions) if (file_format, csa) != ("csa", "3") else 0
    found["ending"] = sum(1 for _ in _lost_endings(record, ending, file_format))
    if file_format in _KEPT:
        kept = _KEPT[file_format](record)
        found["headers"] = sum(kept.get(name, "") != text for name, text in record["header"].items())
    codes = {f"lost-{part}": found[part] for part in LOST[file_format]}
    if file_format in ("ki2", "ki2u"):
        codes["lost-bookmarks"] = _surplus_bookmarks(record)
        codes["ending-in-remark"] = _endings_in_remarks(record, ending)
    return tuple(
        Issue(code, "warning", params={"format": file_format, "count": count})
        for code, count in codes.items()
        if count > 0
    )


def _surplus_bookmarks(record: Record) -> int:
    """The bookmarks beyond the first of an entry: KI2 has one, and none of endings."""
    entries = [*record["moves"][:1], *(entry for branch in branches(record) for entry in branch.entries)]
    marks = (
        (sum(text.startswith("&") for text in entry.get("comments", ())), "special" not in entry)
        for entry in watched(entries)
    )
    return sum(max(0, count - room) for count, room in marks)


def _endings_in_remarks(record: Record, ending: Ending | None) -> int:
    """The endings that KI2 has no sentence for which other programs know."""
    kinds = [
        ending_kind(entry, None if number else ending)
        for number, branch in enumerate(branches(record))
        for entry in watched(branch.entries)
        if "special" in entry
    ]
    if ending is not None and ending.special is None:
        kinds.append(kind_beside(ending))
    return sum(kind is not None and not has_sentence(kind) for kind in kinds)


def _parts(record: Record) -> Counter[str]:
    """How much there is of each part; endings are counted apart."""
    found = Counter(headers=len(record["header"]))
    for number, branch in enumerate(branches(record)):
        found["forks"] += number > 0
        for entry in watched(branch.entries):
            found["moves"] += "move" in entry
            found["times"] += "time" in entry
    for comments in _comments(record):
        marks = sum(comment.startswith("&") for comment in comments)
        found["bookmarks"] += marks
        found["comments"] += len(comments) - marks
    return found


def _comments(record: Record) -> Iterator[list[str]]:
    """The comments of every entry, those of the start first."""
    for entry in record["moves"][:1]:
        yield entry.get("comments", [])
    for branch in branches(record):
        for entry in watched(branch.entries):
            yield entry.get("comments", [])


def _lost_endings(record: Record, ending: Ending | None, file_format: str) -> Iterator[str]:
    """The endings that a format has no word for; those of lost variations do not count."""
    if ending is not None and ending.special is None and not _can_say(ending, file_format):
        yield ending.word
    for number, branch in enumerate(branches(record)):
        if number and file_format != "usen":
            return
        special = _special(branch)
        if special and not _can_write(branch, special, file_format):
            yield special


def _special(branch: Branch) -> str:
    return next((entry["special"] for entry in branch.entries if "special" in entry), "")


def _can_say(ending: Ending, file_format: str) -> bool:
    """Whether a format has a word for an ending that JKF has no name for."""
    kind = kind_beside(ending)
    if kind is None or file_format in ("jkf", "usi", "sfen", "bod", "usen"):
        return False
    return bool(kind.csa) if file_format == "csa" else True


def _can_write(branch: Branch, special: str, file_format: str) -> bool:
    """Whether a format has a word for an ending of JKF."""
    if file_format == "usen":
        moves = sum("move" in entry for entry in branch.entries)
        return bool(ending_letter(special, branch.turn ^ (moves & 1), moves))
    return file_format not in ("usi", "sfen", "bod")
