"""What a peer read of a record, against what we wrote: the differences by name."""

from __future__ import annotations

from typing import Any

from kifu_core.jkf import MoveEntry, Record
from kifu_core.moves import to_usi
from kifu_core.replay import packed_move

Line = list[dict[str, Any]]


def lines(record: Record) -> Line:
    """A record as the peers' drivers tell theirs: moves as USI, comments, forks, endings."""
    return _line(record["moves"])


def _line(entries: list[MoveEntry]) -> Line:
    found = []
    for entry in entries:
        comments = [line for text in entry.get("comments", []) for line in (text.splitlines() or [""])]
        forks = [_line(fork) for fork in entry.get("forks", [])]
        one: dict[str, Any] = {"comments": comments, "forks": forks}
        if "move" in entry:
            one["move"] = to_usi(packed_move(entry["move"]))
        elif "special" in entry:
            one["special"] = entry["special"]
        found.append(one)
    return found


def moves(line: Line) -> list[str]:
    return [entry["move"] for entry in line if "move" in entry]


def tree(line: Line) -> Any:
    return [(entry["move"], sorted(map(tree, entry["forks"]))) for entry in line if "move" in entry] + [
        ("", sorted(map(tree, entry["forks"]))) for entry in line if "move" not in entry and entry["forks"]
    ]


def said(line: Line) -> Any:
    """comments"""
    found = []
    for entry in line:
        texts = [text for text in entry["comments"] if not text.startswith("&")]
        found.append(("\n".join(texts).strip("\n"), [said(fork) for fork in entry["forks"]]))
    while found and found[-1] == ("", []):
        found.pop()
    return found


def special(line: Line) -> str | None:
    return next((entry["special"] for entry in line if "special" in entry), None)
