"""Turn raw records into complete JKF: the one loop that replays what was written.

A format's reader supplies a `RawLine`: the steps of the main line with times, comments and forks.
`replay_line` plays the line on a board and fills in the fields that the format leaves out: source squares,
colours, pieces, captures, promotion, 同, relative words, total times. Linear in the number of steps, forks
included.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from kifu_core import jkf
from kifu_core.deadline import PIECE, check_time, watched
from kifu_core.decoding import MAX_ISSUES
from kifu_core.errors import AmbiguousMoveError, IllegalMoveError, Severity
from kifu_core.jkf import Consumption, MoveEntry, Record
from kifu_core.limits import UNLIMITED, LimitBudget, LimitCode, Limits, limit_of
from kifu_core.messages import Params
from kifu_core.shogi import rules, specials
from kifu_core.shogi.check_jkf import check
from kifu_core.shogi.lookahead import MOST_STEPS, Lookahead, reattach_forks
from kifu_core.shogi.move_resolution import (
    AGAIN,
    SAME,
    EndingStep,
    EndOfPlay,
    JkfMove,
    MovePlan,
    Search,
    SourcedMove,
    Step,
    csa_step,
    plan,
    sourced_step,
)
from kifu_core.shogi.move_times import complete_times
from kifu_core.shogi.pieces import BY_CODE, CAN_PROMOTE, FU, IN_HAND, NAMES, OU, UNPROMOTED
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.squares import CSA, square
from kifu_core.shogi.start import initial_of, start_position

_KINGS: Final = (OU, -OU)


@dataclass(frozen=True, slots=True)
class StepFinding:
    """A finding about one step of a line; the format adds its offset in the text."""

    code: str
    severity: Severity
    line: RawLine
    index: int
    ply: int
    params: Params = field(default_factory=dict)


@dataclass(slots=True)
class ReplayedLine:
    """A replayed line: the entries after the start, the position after the main line, and the findings.

    `ending` is the first ending of the main line with its ply and the side to move. `cuts` are the lines that
    could not be played to their end, each with the index of the first step not played; forks of later steps
    were not played either. `more` counts the warnings beyond the limit. `first` are the start's comments
    within the limit, `left_out` the comments beyond it.
    """

    entries: list[MoveEntry]
    final: Position
    findings: list[StepFinding] = field(default_factory=list)
    cuts: list[tuple[RawLine, int]] = field(default_factory=list)
    ending: tuple[EndingStep, int, int] | None = None
    more: int = 0
    first: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def replay_line(
    line: RawLine, position: Position, limits: Limits = UNLIMITED, comments: Sequence[str] = ()
) -> ReplayedLine:
    """Play a line and its forks from a position, which is left unchanged.

    Illegal but playable moves are played, with a finding. A step that cannot be played ends its line, and
    forks of later steps are not played either. The same applies to a step beyond the limits: the main line
    counts first, then forks, outer ones before inner ones. `comments` are the start's, which count too; those
    within the limit are returned as `first`.
    """
    replayed = _Replay(line, position.copy(), limits, comments).run()
    if line.flat and any(cut.level > 1 for cut, _ in replayed.cuts) and reattach_forks(line, position):
        return _Replay(line, position.copy(), limits, comments).run()
    return replayed


@dataclass(slots=True)
class _Job:
    """A line to be played, the position and ply before its first step, and the entry with its alternative."""

    line: RawLine
    position: Position
    ply: int
    last: int
    parent: MoveEntry | None


class _Replay:
    """The state of one replay; lines are queued, so that nesting needs no recursion."""

    def __init__(self, line: RawLine, position: Position, limits: Limits, comments: Sequence[str]) -> None:
        self.jobs = deque([_Job(line, position, 0, -1, None)])
        self.replayed = ReplayedLine([], position)
        self.hollow: list[list[MoveEntry]] = []
        self.limits = limits
        self.budget = LimitBudget.of(limits)
        self.lookahead = Lookahead(len(line.steps))
        if comments:
            self.replayed.first = self._comments(self.jobs[0], -1, list(comments))

    def run(self) -> ReplayedLine:
        self.replayed.left_out = self.budget.left_out
        while self.jobs:
            job = self.jobs.popleft()
            if job.parent is not None:
                job.position = job.position.copy()
            entries = self._line(job)
            if job.parent is None:
                self.replayed.entries = entries
            elif entries:
                job.parent.setdefault("forks", []).append(entries)
        for entries in self.hollow:
            entries[:] = [entry for entry in entries if entry]
        return self.replayed

    def _line(self, job: _Job) -> list[MoveEntry]:
        """Play one line and queue its forks; return its entries."""
        line, position = job.line, job.position
        entries: list[MoveEntry] = []
        begin, waiting = 0, list[tuple[int, Position, int]]()
        most = self.limits.plies if job.parent is None else self.budget.fork_moves
        end = min(len(line.steps), most)
        # An ending is not a ply.
        if end < len(line.steps) and isinstance(line.steps[end], EndingStep):
            end += 1
        marks = [mark for mark in sorted(line.forks) if mark < end] if line.forks else []
        for mark in (*marks, end):
            if not self._advance_to(job, begin, mark, entries):
                break
            if mark < end:
                waiting.append((mark, position.copy(), job.last))
            begin = mark
        else:
            if end < len(line.steps):
                self._beyond(job, "main-line-limit" if job.parent is None else "fork-moves-limit", end)
        if job.parent is not None:
            self.budget.fork_moves -= len(entries)
        if waiting:
            self._queue_forks(job, entries, waiting)
        for index, texts in line.comments.items():
            if 0 <= index < len(entries) and (allowed := self._comments(job, index, texts)):
                entries[index]["comments"] = allowed
        return entries

    def _beyond(self, job: _Job, code: LimitCode, index: int) -> None:
        """Cut a line at a step beyond a limit."""
        self.replayed.cuts.append((job.line, index))
        self._report_limit(job, code, index)

    def _report_limit(self, job: _Job, code: LimitCode, index: int) -> None:
        if self.budget.report_once(code):
            self._add_finding(job, code, "error", index, {"limit": limit_of(self.limits, code)})

    def _comments(self, job: _Job, index: int, texts: list[str]) -> list[str]:
        allowed = self.budget.comments(texts)
        if len(allowed) < len(texts):
            self._report_limit(job, "comments-limit", index)
        return allowed

    def _queue_forks(
        self, job: _Job, entries: list[MoveEntry], waiting: list[tuple[int, Position, int]]
    ) -> None:
        line = job.line
        reached = {mark for mark, _, _ in waiting if mark < len(entries)}
        for mark, position, last in waiting:
            if mark in reached:
                for fork in line.forks[mark]:
                    one = _Job(fork, position, job.ply + mark, last, entries[mark])
                    if self.budget.forks > 0:
                        self.budget.forks -= 1
                        self.jobs.append(one)
                    else:
                        self._beyond(one, "forks-limit", 0)

    def _advance_to(self, job: _Job, begin: int, end: int, entries: list[MoveEntry]) -> bool:
        """Play the steps in pieces, checking the time between them; return what `_advance` returns."""
        for at in range(begin, end, PIECE):
            check_time()
            if not self._advance(job, at, min(at + PIECE, end), entries):
                return False
        return True

    def _advance(self, job: _Job, begin: int, end: int, entries: list[MoveEntry]) -> bool:
        """Play the steps from `begin` up to `end`; return False if one of them cannot be played.

        This is the hot loop of the library: one pass for each move, all values in local names, and no call
        for a plain move.
        """
        line, position, last = job.line, job.position, job.last
        board, hands, turn = position.board, position.hands, position.turn
        restore_same = line.restore_same
        for step, time in zip(line.steps[begin:end], line.times[begin:end]):  # noqa: B905 (twice as fast)
            if isinstance(step, SourcedMove):
                chosen = step.white if turn else step.black
            else:
                if not isinstance(step, Search) or not (resolved := step.search(board, turn, last)):
                    position.turn = turn
                    try:
                        resolved = step.plan(position, last)
                    except EndOfPlay:
                        entries.append(self._ending(job, step, entries, time))
                        if self._move_follows(job, len(entries)):
                            self._add_finding(job, "after-ending", "warning", len(entries))
                        continue
                    except (IllegalMoveError, AmbiguousMoveError) as error:
                        only = self._only_way(job, step, len(entries), last, error)
                        if only is None:
                            return False
                        resolved = only
                chosen = resolved
            origin, to, piece = chosen.origin, chosen.to, chosen.piece
            taken = board[to]
            # Most moves go to an empty square with nothing on the way.
            if taken or chosen.between or board[origin] != piece:
                sound = not chosen.fault
                for square_between in chosen.between:
                    if board[square_between]:
                        sound = False
                if origin < 0:
                    kind = -piece if turn else piece
                    if not sound or not hands[turn][kind] or (kind == FU and piece in board[to % 9 :: 9]):
                        sound = False
                elif board[origin] != piece or (taken and (taken * piece > 0 or taken in _KINGS)):
                    sound = False
                if not sound:
                    position.turn = turn
                    settled = self._settle(job, step, chosen, len(entries), last)
                    if settled is None:
                        return False
                    chosen = settled
                    origin, to, piece = chosen.origin, chosen.to, chosen.piece
            move = chosen.move
            if origin < 0:
                hands[turn][-piece if turn else piece] -= 1
            else:
                board[origin] = 0
            for rival in chosen.rivals:
                if board[rival] == piece:
                    if words := rules.relative_words(board, origin, to, piece):
                        move = {**move, "relative": words}
                    break
            if taken:
                variant = 0
                if kind := IN_HAND[taken]:
                    hands[turn][kind] += 1
                    variant = taken
                if restore_same and to == last:
                    variant += AGAIN
                if variant:
                    added = chosen.variants.get(variant) or chosen.variant(variant)
                    move = {**move, **added} if "relative" in move else added
            board[to] = chosen.landed
            entries.append({"move": move} if time is None else {"move": move, "time": time})
            last = to
            turn ^= 1
        position.turn = turn
        job.last = last
        return True

    def _ending(self, job: _Job, step: Step, entries: list[MoveEntry], time: Consumption | None) -> MoveEntry:
        """Return the entry of an ending; one without a name in JKF keeps only time, comments and forks."""
        assert isinstance(step, EndingStep)
        turn, index = job.position.turn, len(entries)
        if self.replayed.ending is None and job.parent is None:
            self.replayed.ending = (step, index, turn)
        special = specials.name_of(step.word, step.special, step.winner)
        if special is None and specials.find(step.word) is None:
            self._add_finding(job, "unknown-ending", "warning", index, {"word": step.word[:40]})
        if special is not None:
            special = specials.loser_of_foul(special, turn, step.winner)
        entry: MoveEntry = {}
        if special in jkf.SPECIALS:
            entry["special"] = special
        else:
            if not self.hollow or self.hollow[-1] is not entries:
                self.hollow.append(entries)
        if time is not None:
            entry["time"] = time
        return entry

    def _move_follows(self, job: _Job, index: int) -> bool:
        steps = job.line.steps
        return index < len(steps) and not isinstance(steps[index], EndingStep)

    def _stop(self, job: _Job, code: str, index: int, params: Params | None = None) -> None:
        self._add_finding(job, code, "error", index, params)
        self.replayed.cuts.append((job.line, index))

    def _add_finding(
        self, job: _Job, code: str, severity: Severity, index: int, params: Params | None = None
    ) -> None:
        if severity == "warning" and len(self.replayed.findings) > MAX_ISSUES:
            self.replayed.more += 1
            return
        finding = StepFinding(code, severity, job.line, index, job.ply + index + 1, params or {})
        self.replayed.findings.append(finding)

    def _settle(self, job: _Job, step: Step, chosen: MovePlan, index: int, last: int) -> MovePlan | None:
        """Return the plan to play in place of one that breaks a rule; None if there is none.

        A search takes the only piece on its squares; the rules may exclude that piece.
        """
        if isinstance(step, Search):
            try:
                chosen = step.plan(job.position, last)
            except (IllegalMoveError, AmbiguousMoveError) as error:
                if (only := self._only_way(job, step, index, last, error)) is None:
                    return None
                chosen = only
        return self._repair(job, chosen, index)

    def _only_way(
        self, job: _Job, step: Step, index: int, last: int, error: IllegalMoveError | AmbiguousMoveError
    ) -> MovePlan | None:
        """Return the only plan of an ambiguous move by which the line goes on, else None."""
        if isinstance(error, AmbiguousMoveError) and isinstance(step, Search):
            following = job.line.steps[index + 1 : index + 1 + MOST_STEPS]
            if (chosen := self.lookahead.only_way(step, following, job.position, last)) is not None:
                self._add_finding(job, "source-inferred", "warning", index, {"square": CSA[chosen.origin]})
                return chosen
        self._stop(job, error.code, index, error.params)
        return None

    def _repair(self, job: _Job, chosen: MovePlan, index: int) -> MovePlan | None:
        """Return the plan to play although it breaks a rule, which is reported; None if it is impossible."""
        position = job.position
        code = _impossible(position, chosen)
        if code:
            self._stop(job, code, index)
            return None
        if chosen.origin >= 0 and position.board[chosen.origin] != chosen.piece:
            actual = position.board[chosen.origin]
            params = {"written": NAMES[abs(chosen.piece)], "found": NAMES[abs(actual)]}
            self._add_finding(job, "piece-mismatch", "warning", index, params)
            chosen = _with_piece(chosen, actual)
        if broken := _broken_rule(position, chosen):
            self._add_finding(job, broken, "error", index)
        return chosen


def _impossible(position: Position, chosen: MovePlan) -> str:
    """Return the code of a plan that makes no sense on the board, or an empty text."""
    board, sign = position.board, -1 if position.turn else 1
    if chosen.origin < 0:
        if chosen.fault == "bad-drop":  # hands have no place for it
            return chosen.fault
        if board[chosen.to]:
            return "occupied"
        return "" if position.hands[position.turn][abs(chosen.piece)] else "not-in-hand"
    piece = board[chosen.origin] * sign
    if not piece:
        return "no-piece"
    if piece < 0:
        return "wrong-side"
    return "occupied" if board[chosen.to] * sign > 0 else ""


def _with_piece(chosen: MovePlan, piece: int) -> MovePlan:
    """Return the plan with the piece that stands on its source.

    Some programs name the piece after the move: an unpromoted piece written as promoted promotes now.
    """
    grown = abs(chosen.landed) != abs(UNPROMOTED[chosen.landed]) and bool(CAN_PROMOTE[piece])
    relative = chosen.move.get("relative")
    color, same = chosen.move["color"], "same" in chosen.move
    return plan(chosen.origin, chosen.to, abs(piece), grown, color, relative, same)


def _broken_rule(position: Position, chosen: MovePlan) -> str:
    """Return the rule that a playable plan breaks, or an empty text; check is not considered."""
    board = position.board
    if chosen.fault:
        return chosen.fault
    if chosen.origin < 0:
        return "nifu" if abs(chosen.piece) == FU and chosen.piece in board[chosen.to % 9 :: 9] else ""
    if not rules.reaches(board, chosen.origin, chosen.to):
        return "unreachable"
    return "king-taken" if abs(board[chosen.to]) == OU else ""


# --- raw JKF ---------------------------------------------------------------------------------------------

Notation = Literal["jkf", "kif", "ki2", "csa"]


def normalize(raw: Mapping[str, object] | Record, notation: Notation = "jkf") -> Record:
    """Complete a raw JKF record, which is not changed. The result shares objects: see `ParsedGame`.

    `notation` decides how moves are understood: the meaning of a missing source (`ki2`: to be found, else a
    drop), whether `piece` is the piece after the move (`csa`), which formats have 同 (all but `csa` and
    minimal `jkf`). Raises ParseError with a JSON path for a malformed record, IllegalMoveError and
    AmbiguousMoveError with a ply for moves that cannot be played or are illegal.

    >>> moves = [{}, {"move": {"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}}}]
    >>> normalize({"header": {}, "moves": moves})["moves"][1]["move"]["piece"]
    'FU'
    """
    record = check(raw)
    replayed, result = complete_record(record, notation)
    for finding in replayed.findings:
        if finding.severity == "error":
            kind = AmbiguousMoveError if finding.code == "ambiguous" else IllegalMoveError
            raise kind(finding.code, ply=finding.ply, params=finding.params)
    return result


def complete_record(
    record: Record, notation: Notation = "jkf", limits: Limits = UNLIMITED
) -> tuple[ReplayedLine, Record]:
    """Replay a checked record; raise ParseError if it has no start position."""
    position = start_position(record.get("initial"))
    first = record["moves"][:1]
    comments = first[0].get("comments", []) if first else []
    replayed = replay_line(_line_of(record["moves"][1:], notation, 0), position, limits, comments)
    complete_times(replayed.entries, position.turn)
    start: MoveEntry = (
        {"comments": replayed.first} if replayed.first or first[:1] == [{"comments": []}] else {}
    )
    moves: list[MoveEntry] = [*([start] if first else []), *replayed.entries]
    result: Record = {"header": dict(record["header"]), "moves": moves}
    if "initial" in record:
        result["initial"] = initial_of(position) if notation == "csa" else record["initial"]
    return replayed, result


def _line_of(entries: Sequence[MoveEntry], notation: Notation, level: int) -> RawLine:
    line = RawLine(restore_same=notation == "csa", level=level, source_entries=entries)
    for entry in watched(entries):
        line.resume()
        index = len(line.steps)
        line.steps.append(_step_of(entry, notation))
        line.times.append(entry.get("time"))
        if "comments" in entry:
            line.comments[index] = entry["comments"]
        if entry.get("forks"):
            line.forks[index] = [_line_of(fork, notation, level + 1) for fork in entry["forks"] if any(fork)]
    return line


def _step_of(entry: MoveEntry, notation: Notation) -> Step:
    if "move" not in entry:
        word = entry.get("special", "")
        return EndingStep(word, word or None)
    move = entry["move"]
    kind = BY_CODE[move["piece"]] if "piece" in move else 0
    source = move.get("from")
    origin = square(source["x"], source["y"]) if source else -1
    to = square(move["to"]["x"], move["to"]["y"]) if "to" in move else SAME
    if notation in ("kif", "ki2") and move.get("same"):
        to = SAME
    if notation == "ki2" and kind and origin < 0:
        return Search(to, kind, bool(move.get("promote")), move.get("relative", ""))
    if notation == "kif" and kind:
        return sourced_step(origin, to, kind, bool(move.get("promote")))
    if notation == "csa" and kind and to != SAME:
        return csa_step(origin, to, kind)
    return JkfMove(
        origin=origin,
        to=to,
        kind=kind,
        promote=move.get("promote"),
        relative=move.get("relative"),
        same=move.get("same", False),
        complete="color" in move,
        null_origin="from" in move and source is None,
    )
