"""From what a format's reader collected to a finished game."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from kifu_core import specials
from kifu_core.deadline import watched
from kifu_core.jkf import Initial, MoveEntry, Record
from kifu_core.kinds import record_kind
from kifu_core.normalize import Line, Played, complete_times, replay_line
from kifu_core.position import Position
from kifu_core.record import Ending, ParsedGame
from kifu_core.start import start_position
from kifu_core.steps import Special
from kifu_core.text import MAX_ISSUES, Notes, Source

Locate = Callable[[str], list[int]]
"""The offsets of the steps within a block of text."""

MAX_BOOKMARKS = 1000
"""Bookmarks that are more than comments: whoever sets more marks nothing."""


@dataclass(slots=True)
class Draft:
    """A game while it is being read.

    `initial` None is a record that says nothing of its start; `position` is where it starts all the same.
    `comments` belong to the start. `said` is the ending and the winner that a result line names, with its
    offset; it counts where no row of the main line is an ending. `lost` are variations that hang on nothing
    and are kept as text. `plain_times` marks times that may lack totals. `started` marks a source that says
    from where it starts: that is a record even without moves.
    """

    notes: Notes
    position: Position = field(default_factory=lambda: start_position(None))
    header: dict[str, str] = field(default_factory=dict)
    initial: Initial | None = None
    line: Line = field(default_factory=Line)
    comments: list[str] = field(default_factory=list)
    bookmarks: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    fractions: dict[int, str] = field(default_factory=dict)
    said: tuple[str, int | None, int] | None = None
    unread: list[str] = field(default_factory=list)
    lost: list[Line] = field(default_factory=list)
    first_offset: int = 0
    plain_times: bool = False
    playable: bool = True
    started: bool = False

    def finish(self, index: int, locate: Locate) -> ParsedGame | None:
        """The finished game, or None if there is neither a move nor an ending nor a start."""
        if not self.playable:
            return None
        played = replay_line(self.line, self.position, self.notes.source.limits, self.comments)
        if self.plain_times:
            complete_times(played.entries, self.position.turn)
        self._report(played, locate)
        bare = self.started and not self.line.steps
        if not (played.entries or played.ending or self._is_drawn() or bare):
            return None
        ending = self._ending(played)
        record = self._record(played)
        return ParsedGame(
            record=record,
            kind=record_kind(record, self.position, ending, len(self.line.forks)),
            ending=ending,
            issues=self.notes.all(),
            bookmarks=tuple(self.bookmarks[:MAX_BOOKMARKS]),
            unread="\n".join(self.unread),
            index=index,
            first_line=self.notes.source.place(self.first_offset)[0] if self.first_offset else 1,
            fractions=self._fractions(played),
            remarks=tuple(self.remarks),
        )

    def decide(self, winner: int | None, offset: int) -> None:
        """End the main line as a result alone tells, with nothing on how: nobody's win is a drawn game.

        Whoever lost and is to move has resigned, as readers of まで lines have it. Where the winner is to
        move, only who won is known.
        """
        steps = self.line.steps
        if winner is None:
            steps.append(Special("引き分け", "HIKIWAKE"))
            return
        if winner != self.position.turn ^ (len(steps) & 1):
            steps.append(Special("投了", "TORYO"))
        self.said = (f"{('先手', '後手')[winner]}の勝ち", winner, offset)

    def give_up(self, notes: Notes, said_anything: bool) -> None:
        """Hand the issues of a game that could not be read to the source's; at least one says why."""
        if said_anything and not any(issue.severity == "error" for issue in self.notes.issues):
            self.notes.add("no-moves", self.first_offset, "error")
        notes.take(self.notes)

    def _is_drawn(self) -> bool:
        return self.initial is not None and "data" in self.initial

    def _record(self, played: Played) -> Record:
        first: MoveEntry = {"comments": played.first} if played.first else {}
        record: Record = {"header": self.header, "moves": [first, *played.entries]}
        if self.initial is not None:
            record["initial"] = self.initial
        return record

    def _fractions(self, played: Played) -> dict[int, str]:
        """The fractions of the seconds of those moves that were played."""
        last = next((index for line, index in played.cuts if line is self.line), len(self.line.steps))
        return {ply: text for ply, text in self.fractions.items() if ply <= last}

    def _ending(self, played: Played) -> Ending | None:
        problem = self._is_drawn()
        if played.ending is not None:
            step, ply, turn = played.ending
            ending = specials.ending(step.word, step.special, ply, turn, problem=problem)
            self._compare(ending)
            return ending
        if self.said is None:
            return None
        word, side, _ = self.said
        plies = sum("move" in entry for entry in played.entries)
        kind = specials.find(word)
        return Ending(word, None, plies, side, side is None and kind is not None and kind.rule == "draw")

    def _compare(self, ending: Ending) -> None:
        """Note a result line that names another winner than the ending; the ending is believed."""
        if (
            self.said is not None
            and None not in (self.said[1], ending.winner)
            and self.said[1] != ending.winner
        ):
            self.notes.add("result-mismatch", self.said[2], text=self.said[0][:40])

    # --- findings ----------------------------------------------------------------------------------------

    def _report(self, played: Played, locate: Locate) -> None:
        """Turn the replay's findings into issues with their places, and keep the text not played."""
        if not (played.findings or played.cuts or played.left_out or self.lost):
            return
        places = _Places(self.notes.source, locate)
        for finding in played.findings[: MAX_ISSUES + 1]:
            offset = places.offset(finding.line, finding.index)
            self.notes.add(finding.code, offset, finding.severity, finding.ply, **finding.params)
        self.notes.more += len(played.findings[MAX_ISSUES + 1 :]) + played.more
        cuts = [*played.cuts, *((line, 0) for line in self.lost)]
        texts = [places.rest(line, index) for line, index in watched(cuts)]
        texts += [places.rest(fork, 0) for line, index in watched(cuts) for fork in line.forks_from(index)]
        self.unread += [text for _, text in sorted(texts) if text]
        self.unread += played.left_out


class _Places:
    """Where the steps of lines stand in the text; each block is searched once."""

    def __init__(self, source: Source, locate: Locate) -> None:
        self.text = source.text
        self.locate = locate
        self.blocks: dict[int, list[int]] = {}

    def offset(self, line: Line, index: int) -> int | None:
        """The offset of a step; None for a line without text."""
        spot = bisect_right(line.spots, index, key=_first_step) - 1
        if spot < 0:
            return None
        first, begin, end = line.spots[spot]
        if begin not in self.blocks:
            self.blocks[begin] = self.locate(self.text[begin:end])
        offsets = self.blocks[begin]
        return begin + (offsets[index - first] if index - first < len(offsets) else 0)

    def rest(self, line: Line, index: int) -> tuple[int, str]:
        """Where one of a line's steps stands, and the line's text from there on, without its forks."""
        begin = self.offset(line, index) if index else line.spots[0][1] if line.spots else None
        if begin is None:
            return 0, ""
        parts = (self.text[max(first, begin) : end] for _, first, end in line.spots if end > begin)
        return begin, "\n".join(part.rstrip("\n") for part in parts)


def _first_step(spot: tuple[int, int, int]) -> int:
    return spot[0]
