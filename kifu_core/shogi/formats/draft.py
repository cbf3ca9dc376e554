"""Finish the games that the readers of formats have collected."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final, NamedTuple, Protocol, TypeVar

from kifu_core.deadline import check_time, watched
from kifu_core.decoding import MAX_ISSUES, Notes, Source
from kifu_core.errors import SOURCE_LINE_LIMIT, Issue
from kifu_core.jkf import Initial, MoveEntry, Record
from kifu_core.limits import most_games
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi import specials
from kifu_core.shogi.classify import record_kind
from kifu_core.shogi.move_resolution import EndingStep
from kifu_core.shogi.move_times import complete_times, wrong_totals
from kifu_core.shogi.normalize import ReplayedLine, replay_line
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.start import start_position


class StatedResult(NamedTuple):
    """The content of a result line: the word of the ending, the winner it names, and its offset.

    The winner of a `believed` line counts whatever the ending: a server wrote it, or there is no other
    ending.
    """

    word: str
    winner: int | None
    offset: int
    believed: bool = False


Locate = Callable[[str], list[int]]
"""The offsets of the steps within a block of text."""

QUOTED_LENGTH: Final = 40
"""Characters of a line that issues show."""

MAX_BOOKMARKS = 1000
"""The most bookmarks; with more, none of them marks a ply."""


_EVEN: Final = start_position(None)
"""The usual start; no code changes a draft's position."""


@dataclass(slots=True)
class Draft:
    """A game while it is being read.

    `initial` is None if the record does not name its start; `position` is the start in any case. `comments`
    belong to the start. `stated` is the content of a result line, which counts if no row of the main line is
    an ending, or if the line is believed. `lost` are variations without a place; they are kept as text.
    `plain_times` marks times that may lack totals. A source that names its start has `started`, and is a
    record even without moves. One whose start has an unknown name has `doubtful_start`, and is a record only
    if it can be played from the usual start. `adds_up` marks a main line whose totals are sums of its times.
    """

    notes: Notes
    position: Position = field(default_factory=lambda: _EVEN)
    header: dict[str, str] = field(default_factory=dict)
    initial: Initial | None = None
    line: RawLine = field(default_factory=RawLine)
    comments: list[str] = field(default_factory=list)
    bookmarks: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    fractions: dict[int, str] = field(default_factory=dict)
    stated: StatedResult | None = None
    unread: list[str] = field(default_factory=list)
    lost: list[RawLine] = field(default_factory=list)
    first_offset: int = 0
    plain_times: bool = False
    playable: bool = True
    doubtful_start: bool = False
    started: bool = False
    adds_up: bool = False

    def finish(self, index: int, locate: Locate) -> ParsedGame | None:
        """Return the finished game; None if it cannot be played or has no move, ending or start."""
        if not self.playable:
            return None
        replayed = replay_line(self.line, self.position, self.notes.source.limits, self.comments)
        if self.doubtful_start and not self._starts_even(replayed):
            return None
        if self._is_garbled(replayed):
            self._report(replayed, locate)
            return None
        if self.plain_times:
            complete_times(replayed.entries, self.position.turn)
        self._check_totals(replayed, locate)
        self._report(replayed, locate)
        bare = self.started and not self.line.steps
        if not (replayed.entries or replayed.ending or self._is_drawn() or bare):
            return None
        ending = self._ending(replayed)
        record = self._record(replayed)
        return ParsedGame(
            record=record,
            record_kind=record_kind(record, self.position, ending, len(self.line.forks)),
            ending=ending,
            issues=self.notes.all(),
            bookmarks=tuple(self.bookmarks[:MAX_BOOKMARKS]),
            unread="\n".join(self.unread),
            index=index,
            first_line=self.notes.source.place(self.first_offset)[0] if self.first_offset else 1,
            fractions=self._fractions(replayed),
            remarks=tuple(self.remarks),
            place=PlyLocator(self.notes.source, self.line, locate),
        )

    def _is_garbled(self, replayed: ReplayedLine) -> bool:
        """Return whether there are several rows and none can be read."""
        if len(replayed.findings) < 2:
            return False
        words = sum(finding.code == "unknown-ending" for finding in replayed.findings)
        return words > 1 and not any("move" in entry for entry in replayed.entries)

    def decide(self, winner: int | None, offset: int) -> None:
        """End the main line by a result without a reason; without a winner it is drawn.

        If the loser is to move, the loser has resigned, as readers of まで lines understand it. If the winner
        is to move, only the winner is known.
        """
        steps = self.line.steps
        if winner is None:
            steps.append(EndingStep("引き分け", "HIKIWAKE"))
            return
        if winner != self.position.turn ^ (len(steps) & 1):
            steps.append(EndingStep("投了", "TORYO"))
        self.stated = StatedResult(f"{('先手', '後手')[winner]}の勝ち", winner, offset)

    def _check_totals(self, replayed: ReplayedLine, locate: Locate) -> None:
        """Note totals that are not the sums of the times: formats without totals lose them."""
        if self.line.restore_same or not any(self.line.times):
            return  # CSA and USI have none
        if self.adds_up and (replayed.ending is None or replayed.ending[1] == len(self.line.steps) - 1):
            return
        if wrong := wrong_totals(replayed.entries, self.position.turn):
            offset = StepOffsets(self.notes.source, locate).offset(self.line, wrong[0] - 1)
            self.notes.add("total-mismatch", offset, "warning", wrong[0], count=len(wrong))

    def _starts_even(self, replayed: ReplayedLine) -> bool:
        """Return whether a game with an unknown start can be played from the usual one.

        If so, the error about its start becomes a warning.
        """
        if not any("move" in entry for entry in replayed.entries):
            return False
        if any(one.severity == "error" and one.line is self.line for one in replayed.findings):
            return False
        issues = self.notes.issues
        issues[:] = [
            replace(one, severity="warning") if one.code == "unknown-handicap" else one for one in issues
        ]
        return True

    def note_unknown(self, line: str, at: int, expected: str) -> None:
        """Note an unknown line; a line longer than issues can show is also kept as unread text."""
        text = line.strip()
        self.notes.add("unknown-line", at, text=text[:QUOTED_LENGTH], expected=expected)
        if len(line) > SOURCE_LINE_LIMIT:
            self.unread.append(text)

    def source_text(self) -> str:
        """Return the text of an unreadable game, from its beginning to the end of its moves."""
        lines = [self.line, *self.line.forks_from(0), *self.lost]
        end = max((line.spots[-1][2] for line in lines if line.spots), default=0)
        return self.notes.source.text[self.first_offset : end].strip("\n")

    def give_up(self, notes: Notes, has_content: bool) -> None:
        """Move the issues of an unreadable game to those of the source; at least one is an error."""
        if has_content and not any(issue.severity == "error" for issue in self.notes.issues):
            self.notes.add("no-moves", self.first_offset, "error")
        notes.take(self.notes)

    def _is_drawn(self) -> bool:
        return self.initial is not None and "data" in self.initial

    def _record(self, replayed: ReplayedLine) -> Record:
        first: MoveEntry = {"comments": replayed.first} if replayed.first else {}
        record: Record = {"header": self.header, "moves": [first, *replayed.entries]}
        if self.initial is not None:
            record["initial"] = self.initial
        return record

    def _fractions(self, replayed: ReplayedLine) -> dict[int, str]:
        if not self.fractions:
            return {}
        last = next((index for line, index in replayed.cuts if line is self.line), len(self.line.steps))
        return {ply: text for ply, text in self.fractions.items() if ply <= last}

    def _ending(self, replayed: ReplayedLine) -> Ending | None:
        problem = self._is_drawn()
        if replayed.ending is not None:
            step, ply, turn = replayed.ending
            ending = specials.ending(
                step.word, step.special, ply, turn, problem=problem, named_winner=step.winner
            )
            return self._with_stated_winner(ending)
        if self.stated is None:
            return None
        plies = sum("move" in entry for entry in replayed.entries)
        turn = self.position.turn ^ (plies & 1)
        kind, side = specials.find(self.stated.word), self.stated.winner
        draw = side is None and kind is not None and kind.rule == "draw"
        special = None
        if side is not None and self._lost_by_foul(replayed):
            special = specials.loser_of_foul("ILLEGAL_MOVE", turn, side)
            replayed.entries.append({"special": special})
        return Ending(self.stated.word, special, plies, side, draw)

    def _lost_by_foul(self, replayed: ReplayedLine) -> bool:
        """Return whether the last move lost the game by breaking a rule; the game ends before it."""
        steps, cut = (
            self.line.steps,
            next((index for line, index in replayed.cuts if line is self.line), None),
        )
        if cut is None or not all(isinstance(step, EndingStep) for step in steps[cut + 1 :]):
            return False
        last = steps[-1]
        return isinstance(last, EndingStep) and (last.special or "").endswith(
            ("ILLEGAL_ACTION", "ILLEGAL_MOVE")
        )

    def _with_stated_winner(self, ending: Ending) -> Ending:
        """Return the ending, with the winner of a `believed` result line; note a contradiction."""
        stated = self.stated
        if stated is None or stated.winner is None or stated.winner == ending.winner:
            return ending
        if ending.winner is not None:
            self.notes.add("result-mismatch", stated.offset, text=stated.word[:40])
        return replace(ending, winner=stated.winner, draw=False) if stated.believed else ending

    # --- findings ----------------------------------------------------------------------------------------

    def _report(self, replayed: ReplayedLine, locate: Locate) -> None:
        """Turn findings into issues with offsets, and keep the text that was not played."""
        if not (replayed.findings or replayed.cuts or replayed.left_out or self.lost):
            return
        places = StepOffsets(self.notes.source, locate)
        for finding in replayed.findings[: MAX_ISSUES + 1]:
            offset = places.offset(finding.line, finding.index)
            self.notes.add(finding.code, offset, finding.severity, finding.ply, **finding.params)
        self.notes.more += len(replayed.findings[MAX_ISSUES + 1 :]) + replayed.more
        cuts = [*replayed.cuts, *((line, 0) for line in self.lost)]
        texts = [places.rest(line, index) for line, index in watched(cuts)]
        texts += [places.rest(fork, 0) for line, index in watched(cuts) for fork in line.forks_from(index)]
        self.unread += [text for _, text in sorted(texts) if text]
        self.unread += replayed.left_out


class StepOffsets:
    """The offsets of lines' steps; each block is searched once."""

    def __init__(self, source: Source, locate: Locate) -> None:
        self.text = source.text
        self.locate = locate
        self.blocks: dict[int, list[int]] = {}

    def offset(self, line: RawLine, index: int) -> int | None:
        """Return the offset of a step; None for a line without text."""
        spot = bisect_right(line.spots, index, key=itemgetter(0)) - 1
        if spot < 0:
            return None
        first, begin, end = line.spots[spot]
        if begin not in self.blocks:
            self.blocks[begin] = self.locate(self.text[begin:end])
        offsets = self.blocks[begin]
        return begin + (offsets[index - first] if index - first < len(offsets) else 0)

    def rest(self, line: RawLine, index: int) -> tuple[int, str]:
        """Return the offset of a step, and the line's text from there on, without its forks."""
        begin = self.offset(line, index) if index else line.spots[0][1] if line.spots else None
        if begin is None:
            return 0, ""
        parts = (self.text[max(first, begin) : end] for _, first, end in line.spots if end > begin)
        return begin, "\n".join(part.rstrip("\n") for part in parts)


class PlyLocator:
    """Locates the plies of a main line; the offsets are computed on first use."""

    def __init__(self, source: Source, line: RawLine, locate: Locate) -> None:
        self.source = source
        self.line = line
        self.places = StepOffsets(source, locate)
        self.moves: list[int] | None = None

    def __call__(self, issue: Issue) -> Issue:
        """Return an issue with the line of its ply.

        The issue is returned unchanged if it has no ply, or if the text has no place for it.
        """
        index = self._index(issue.ply)
        offset = None if index is None else self.places.offset(self.line, index)
        if offset is None:
            return issue
        return self.source.issue(issue.code, offset, issue.severity, issue.ply, **issue.params)

    def _index(self, ply: int | None) -> int | None:
        """Return the index of the step of a ply, counted from 1; endings are steps but no plies."""
        if not ply:
            return None
        if self.moves is None:
            steps = enumerate(watched(self.line.steps))
            self.moves = [index for index, step in steps if not isinstance(step, EndingStep)]
        return self.moves[ply - 1] if ply <= len(self.moves) else None


class GameReader(Protocol):
    """Reads one game of a text with several games into a draft."""

    draft: Draft
    has_content: bool

    def finish(self, index: int) -> ParsedGame | None: ...


def with_unread(games: list[ParsedGame], unread: dict[int, list[str]]) -> list[ParsedGame]:
    """Return games with the texts of unreadable games, by the index of the game before them."""
    result = games[:]
    for index, texts in unread.items():
        if index >= 0 and any(texts):
            parts = [result[index].unread, *texts]
            result[index] = replace(result[index], unread="\n".join(part for part in parts if part))
    return result


R = TypeVar("R", bound=GameReader)


def finished(readers: Iterable[R], source: Source, notes: Notes) -> Iterator[tuple[R, ParsedGame | None]]:
    """Yield each reader with its game, or None.

    The issues of readers without a game go to `notes`; an issue reports games beyond the limit.
    """
    most, count = most_games(source.text), 0
    for number, reader in enumerate(readers):
        check_time()
        if number == most:
            notes.add("too-many-games", reader.draft.first_offset, "error", limit=most)
            return
        game = reader.finish(count)
        if game is None:
            reader.draft.give_up(notes, reader.has_content)
        else:
            count += 1
        yield reader, game
