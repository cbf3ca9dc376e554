"""Finish a game that a format's reader has collected."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kifu_core.deadline import watched
from kifu_core.decoding import MAX_ISSUES, Notes
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import QfState
from kifu_core.quoridor.record import QuoridorEntry, QuoridorRecord, as_jkf, new_record
from kifu_core.quoridor.replay import ReplayedRecord, replay_line
from kifu_core.quoridor.rules import has_paths
from kifu_core.record import TREE_FORKS, Ending, ParsedGame, RecordKind, has_players


@dataclass(slots=True)
class QuoridorDraft:
    """A game while it is being read: `entries` are raw and begin after the start.

    `offsets` maps the ids of entries to their offsets in the text; it is called only if there are findings.
    """

    notes: Notes
    header: dict[str, str] = field(default_factory=dict)
    state: QfState = field(default_factory=lambda: QfState(QuoridorPosition.initial()))
    comments: list[str] = field(default_factory=list)
    entries: list[QuoridorEntry] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    offsets: Callable[[], Mapping[int, int]] = dict
    first_line: int = 1

    def finish(self, index: int, unread: str = "") -> ParsedGame | None:
        """Return the finished game; None if no move could be played and the game begins at the start.

        Entries that could not be played become unread text, and so does `unread`.
        """
        if not has_paths(self.state.position):
            self.notes.add("no-path", None, "warning", 0)
        replayed = replay_line(self.entries, self.state, self.notes.source.limits, self.comments)
        offsets = self.offsets() if replayed.findings else {}
        for finding in replayed.findings[:MAX_ISSUES]:
            offset = offsets.get(id(finding.entry))
            self.notes.add(finding.code, offset, finding.severity, finding.ply, **finding.params)
        self.notes.more += len(replayed.findings[MAX_ISSUES:])
        if (
            (replayed.cuts or unread)
            and not replayed.entries
            and self.state == QfState(QuoridorPosition.initial())
        ):
            return None
        first: QuoridorEntry = {"comments": replayed.first} if replayed.first else {}
        record = new_record(self.header, self.state, [first, *replayed.entries])
        return ParsedGame(
            record=as_jkf(record),
            record_kind=record_kind(record, replayed.ending),
            ending=replayed.ending,
            issues=self.notes.all(),
            unread="\n".join(filter(None, [*_unread(replayed), unread])),
            index=index,
            first_line=self.first_line,
            remarks=tuple(self.remarks),
        )

    def give_up(self, notes: Notes) -> None:
        """Move the issues of a game that could not be read to the source's; at least one is an error."""
        if not any(issue.severity == "error" for issue in self.notes.issues):
            self.notes.add("no-moves", None, "error")
        notes.take(self.notes)


def _unread(replayed: ReplayedRecord) -> list[str]:
    cuts = [
        json.dumps(entries, ensure_ascii=False, separators=(",", ":")) for entries in watched(replayed.cuts)
    ]
    return cuts + replayed.left_out


def record_kind(record: QuoridorRecord, ending: Ending | None) -> RecordKind:
    """Return the kind of a record: a position has no moves, a tree no players and many forks."""
    moves = record["moves"]
    if not any("move" in entry for entry in moves) and ending is None:
        return "position"
    if sum("forks" in entry for entry in watched(moves)) >= TREE_FORKS and not has_players(record["header"]):
        return "tree"
    return "game"
