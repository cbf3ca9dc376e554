"""Replay records: from raw to complete ones, and position by position."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kifu_core.deadline import watched
from kifu_core.errors import KifuError, Severity
from kifu_core.limits import UNLIMITED, LimitBudget, LimitCode, Limits, limit_of
from kifu_core.lines import NO_MOVE, Branch, Visit, main_line_from, visit_all
from kifu_core.messages import Params
from kifu_core.quoridor import endings, keys
from kifu_core.quoridor.board import PAWN, name, orient
from kifu_core.quoridor.position import QuoridorPosition
from kifu_core.quoridor.qf_code import TOLERATED, QfState
from kifu_core.quoridor.record import (
    QuoridorEntry,
    QuoridorMove,
    QuoridorRecord,
    move_object,
    packed_move,
    start,
)
from kifu_core.quoridor.rules import fault, has_paths
from kifu_core.record import Ending


@dataclass(frozen=True, slots=True)
class EntryFinding:
    """A finding about one raw entry; the format's reader knows the entry's offset."""

    code: str
    severity: Severity
    entry: QuoridorEntry
    ply: int
    params: Params = field(default_factory=dict)


@dataclass(slots=True)
class ReplayedRecord:
    """A replayed record: its complete entries, the position after the main line, the findings.

    `cuts` are the raw entries that could not be played, from the first of each line on, the main line's
    first. `first` are the start's comments within the limit, `left_out` the comments beyond it.
    """

    entries: list[QuoridorEntry] = field(default_factory=list)
    final: QuoridorPosition = field(default_factory=QuoridorPosition.initial)
    findings: list[EntryFinding] = field(default_factory=list)
    cuts: list[list[QuoridorEntry]] = field(default_factory=list)
    ending: Ending | None = None
    first: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


class _PendingLine(NamedTuple):
    """A line to be played: raw entries, the start, and the list for its complete entries.

    `cut` is set if a pawn has no path from the beginning; it never gets one back.
    """

    entries: list[QuoridorEntry]
    position: QuoridorPosition
    ply: int
    out: list[QuoridorEntry]
    fork: bool
    cut: bool


class _GameBudget:
    """The limits of a game; each is reported once."""

    def __init__(self, limits: Limits, replayed: ReplayedRecord) -> None:
        self.limits = limits
        self.replayed = replayed
        self.budget = LimitBudget.of(limits)
        replayed.left_out = self.budget.left_out

    def comments(self, raw: QuoridorEntry, ply: int) -> list[str]:
        lines = list(raw.get("comments", ()))
        allowed = self.budget.comments(lines)
        if len(allowed) < len(lines):
            self._report_limit("comments-limit", raw, ply)
        return allowed

    def within_limits(self, line: _PendingLine, index: int, ply: int) -> bool:
        """Return whether an entry is within the limits; if not, cut the line there."""
        if not line.fork:
            # An ending is no ply.
            beyond = index >= self.limits.plies and "move" in line.entries[index]
            code: LimitCode | None = "main-line-limit" if beyond else None
        elif index == 0 and self.budget.forks <= 0:
            code = "forks-limit"
        else:
            code = "fork-moves-limit" if self.budget.fork_moves <= 0 else None
            self.budget.forks -= index == 0 and code is None
            self.budget.fork_moves -= 1
        if code is not None:
            self._report_limit(code, line.entries[index], ply)
            self.replayed.cuts.append(line.entries[index:])
        return code is None

    def _report_limit(self, code: LimitCode, raw: QuoridorEntry, ply: int) -> None:
        if self.budget.report_once(code):
            self.replayed.findings.append(
                EntryFinding(code, "error", raw, ply, {"limit": limit_of(self.limits, code)})
            )


def replay_line(
    entries: list[QuoridorEntry], state: QfState, limits: Limits = UNLIMITED, comments: Sequence[str] = ()
) -> ReplayedRecord:
    """Play raw entries and their forks from a state, which is left unchanged.

    A wall that closes a last path and moves after a win are played, with a finding, as boards without these
    rules write them; any other illegal move ends its line, and so does a move beyond the limits. `comments`
    are the start's, which count too. Linear in the number of entries; no recursion.
    """
    replayed = ReplayedRecord()
    limited = _GameBudget(limits, replayed)
    replayed.first = limited.comments({"comments": list(comments)}, 0)
    cut = not has_paths(state.position)
    waiting = [_PendingLine(entries, state.position.copy(), 1, replayed.entries, False, cut)]
    forked: list[QuoridorEntry] = []
    while waiting:
        line = waiting.pop()
        waiting += reversed(_play(line, replayed, forked, limited))
        if not line.fork:
            replayed.final = line.position
    for entry in forked:
        entry["forks"] = [fork for fork in entry["forks"] if fork]
        if not entry["forks"]:
            del entry["forks"]
    return replayed


def _play(
    line: _PendingLine, replayed: ReplayedRecord, forked: list[QuoridorEntry], limited: _GameBudget
) -> list[_PendingLine]:
    """Play one line and return its forks in reading order; entries with forks are added to `forked`."""
    forks: list[_PendingLine] = []
    position, ply = line.position, line.ply
    noted = {"no-path"} if line.cut else set[str]()
    for index, raw in enumerate(watched(line.entries)):
        if not limited.within_limits(line, index, ply):
            break
        comments = limited.comments(raw, ply)
        entry: QuoridorEntry = {"comments": comments} if comments else {}
        if "move" in raw:
            before, cut = position.copy() if "forks" in raw else position, "no-path" in noted
            if not _play_move(raw, entry, position, ply, noted, replayed):
                replayed.cuts.append(line.entries[index:])
                return forks
            if raw.get("forks"):
                alternatives = [
                    _PendingLine(fork, before.copy(), ply, [], True, cut) for fork in raw["forks"]
                ]
                entry["forks"] = [fork.out for fork in alternatives]
                forked.append(entry)
                forks += alternatives
            if not line.fork and replayed.ending is None and (won := position.winner()) is not None:
                replayed.ending = endings.goal(ply, won)
            ply += 1
            line.out.append(entry)
            continue
        if "special" in raw:
            _end(raw, entry, line, ply, replayed)
            rest = line.entries[index + 1 :]
            if rest:
                replayed.cuts.append(rest)
                replayed.findings.append(EntryFinding("after-ending", "warning", rest[0], ply))
        if "special" in entry or (entry and not line.out):
            line.out.append(entry)
        elif "comments" in entry:
            line.out[-1].setdefault("comments", []).extend(entry["comments"])
        if "special" in raw:
            break
    return forks


def _play_move(
    raw: QuoridorEntry,
    entry: QuoridorEntry,
    position: QuoridorPosition,
    ply: int,
    noted: set[str],
    replayed: ReplayedRecord,
) -> bool:
    """Play the move of an entry and complete the entry; return False if the move is illegal."""
    raw_move = raw["move"]
    move = packed_move(raw_move)
    broken = fault(position, move)
    if broken is not None and broken not in TOLERATED:
        replayed.findings.append(EntryFinding(broken, "error", raw, ply, {"move": name(move)}))
        return False
    if broken is not None and broken not in noted:
        noted.add(broken)
        replayed.findings.append(EntryFinding(broken, "warning", raw, ply))
    move_entry = entry["move"] = move_object(position, move)
    if len(raw_move) > 1:
        replayed.findings += _differences(raw, move_entry, ply)
    if "time" in raw:
        entry["time"] = raw["time"]
    position.do_move(move)
    return True


def _differences(raw: QuoridorEntry, actual: QuoridorMove, ply: int) -> Iterator[EntryFinding]:
    """Yield a finding for each field of a written move that contradicts the board."""
    raw_move = raw["move"]
    if raw_move.get("color", actual["color"]) != actual["color"]:
        yield EntryFinding("side-mark", "warning", raw, ply)
    if "from" in actual and raw_move.get("from", actual["from"]) != actual["from"]:
        yield EntryFinding(
            "from-mismatch", "warning", raw, ply, {"written": raw_move["from"], "found": actual["from"]}
        )


def _end(
    raw: QuoridorEntry, entry: QuoridorEntry, line: _PendingLine, ply: int, replayed: ReplayedRecord
) -> None:
    """Take an entry's ending; where it contradicts the board, the board decides."""
    special = raw["special"]
    ending = endings.ending(special, ply - 1, line.position.turn)
    if ending.special is None:
        replayed.findings.append(EntryFinding("unknown-ending", "warning", raw, ply, {"word": special[:40]}))
    elif line.fork or replayed.ending is None:
        entry["special"] = special
        if "time" in raw:
            entry["time"] = raw["time"]
    if line.fork:
        return
    if replayed.ending is None:
        replayed.ending = ending
    elif ending.winner is not None and ending.winner != replayed.ending.winner:
        replayed.findings.append(EntryFinding("result-mismatch", "warning", raw, ply, {"text": ending.word}))


def main_line(record: QuoridorRecord) -> Iterator[tuple[int, QuoridorPosition, int, QuoridorEntry]]:
    """Yield every position of the main line: ply, position, the next move or `NO_MOVE`, the ply's entry.

    The position is one object, changed between the steps: copy it to keep it.
    """
    position = start(record).position
    return main_line_from(position, record["moves"], packed_move, lambda position, move: True)


def main_moves(record: QuoridorRecord) -> list[int]:
    """Return the packed moves of the main line."""
    return [packed_move(entry["move"]) for entry in record["moves"] if "move" in entry]


def move_objects(position: QuoridorPosition, moves: Iterable[int]) -> Iterator[QuoridorMove]:
    """Yield the objects of packed moves that are played from a position, which stays as it is."""
    position = position.copy()
    for move in moves:
        yield move_object(position, move)
        position.do_move(move)


def start_text(record: QuoridorRecord) -> str:
    """Return the display key of the position where a record starts."""
    return keys.display_key(start(record).position)


def visits(record: QuoridorRecord) -> list[Visit]:
    """Return every node of a record: those of the main line, then those of forks.

    The order is that of `kifu_core.shogi.replay.visits`. Linear in the number of moves; no recursion.
    """
    return visit_all(record["moves"], start(record).position, _add_visits)


def _add_visits(
    branch: Branch[QuoridorPosition], visits: list[Visit], forks: list[Branch[QuoridorPosition]]
) -> None:
    entries, position, ply, fork = branch
    for entry in entries:
        if "forks" in entry:
            forks += [Branch(line, position.copy(), ply, True) for line in entry["forks"]]
        if "move" not in entry:
            continue
        move = packed_move(entry["move"])
        code, orientation, symmetric = keys.canonical(position)
        visits.append(Visit(ply, fork, code, orientation, symmetric, orient(move, orientation)))
        position.do_move(move)
        ply += 1
    if ply > branch.ply or not fork:
        visits.append(Visit(ply, fork, *keys.canonical(position), NO_MOVE))


def position_at(record: QuoridorRecord, ply: int | None) -> tuple[int, QfState, QuoridorEntry]:
    """Return ply, state and entry of a ply of the main line; `ply` None is its end.

    Raises KifuError `no-such-ply` if the main line is shorter, or `ply` negative.
    """
    state = start(record)
    last, number, before = state.last_wall, state.turn_number, NO_MOVE
    at = 0
    for at, position, move, entry in main_line(record):
        if before:
            last, number = (None if before & PAWN else before & 63), number + 1
        if at == ply or (ply is None and not move):
            return at, QfState(position.copy(), last, number), entry
        before = move
    raise KifuError("no-such-ply", params={"number": ply or 0, "last": at})
