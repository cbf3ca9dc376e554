"""The union of records with the same start: the moves, forks and comments of all, in one tree."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from kifu_core.jkf import FORK_LEVELS, MoveEntry, Record
from kifu_core.limits import UNLIMITED, Limits, comment_size
from kifu_core.lines import NO_MOVE
from kifu_core.shogi.evaluations import is_evaluation
from kifu_core.shogi.specials import BY_SPECIAL

Line = list[MoveEntry]
PackedMove = Callable[[Any], int]
"""Packs a move of a record, as `Replay.packed_move` of its game does."""

_START: Final = 1
"""The index of the first move: `moves[0]` is the start."""


def unite(base: Record, other: Record, packed_move: PackedMove, *, keep_endings: bool = False) -> bool:
    """Add the moves, forks and comments of another record to `base`; return whether anything was added.

    `base` changes in place and may then share parts with `other`. A line that differs becomes a fork. New
    comments come below those of `base`; a comment without lost characters, or with the mark of an evaluation,
    replaces a damaged one. With `keep_endings` an ending of `other` where `base` goes on becomes a comment;
    otherwise it is dropped. Forks may become nested too deep: see `depth`. Linear in the nodes of both, times
    the number of parallel forks.
    """
    lines = [(base["moves"], _START, other["moves"], _START)]
    changed = _take_comments(base["moves"][0], other["moves"][0])
    while lines:
        union = _Union(packed_move, keep_endings, *lines.pop())
        changed |= union.run()
        lines += union.shared
    return changed


def depth(record: Record) -> int:
    """Return the depth of nested forks; 0 without forks."""
    deepest, lines = 0, [(record["moves"], 0)]
    while lines:
        line, level = lines.pop()
        deepest = max(deepest, level)
        lines += [(fork, level + 1) for entry in line for fork in entry.get("forks", ())]
    return deepest


def fits(record: Record, limits: Limits = UNLIMITED) -> bool:
    """Return whether a record is within the limits, and its forks are not nested too deep."""
    forks, moves, comments = 0, 0, 0
    lines = [record["moves"]]
    while lines:
        line = lines.pop()
        for entry in line:
            if "comments" in entry:
                comments += comment_size(entry["comments"])
            if "forks" in entry:
                forks += len(entry["forks"])
                moves += sum(map(len, entry["forks"]))
                lines += entry["forks"]
    return (
        depth(record) <= FORK_LEVELS
        and len(record["moves"]) <= limits.plies + _START
        and forks <= limits.forks
        and moves <= limits.fork_moves
        and comments <= limits.comment_bytes
    )


def _take_comments(entry: MoveEntry, other: MoveEntry) -> bool:
    """Add another edition's comments; return whether there are new or better ones."""
    theirs = other.get("comments", [])
    mine = entry.get("comments", [])
    if not theirs or theirs == mine:
        return False
    texts = _Comments(mine)
    more = [comment for comment in theirs if not texts.has(comment)]
    if _joined(more) == _joined(mine):  # the same text in other lines
        more = []
    if any(map(_key, more)):
        texts.comments += more
    if texts.comments == mine:
        return False
    entry["comments"] = texts.comments
    return True


class _Comments:
    """The comments of an entry, compared regardless of how an edition writes them."""

    def __init__(self, comments: list[str]) -> None:
        self.comments = [*comments]
        self.by_key = {_key(comment): index for index, comment in enumerate(comments)}
        self.by_lossy_key = {_lossy_key(comment): index for index, comment in enumerate(comments)}
        self.lines = {_key(line) for comment in comments for line in comment.split("\n")} | {""}

    def has(self, comment: str) -> bool:
        """Return whether an equal comment exists; a worse version of this one is replaced."""
        index = self.by_key.get(_key(comment))
        if index is not None:
            if is_evaluation(comment) and not is_evaluation(self.comments[index]):
                self.comments[index] = comment
            return True
        index = self.by_lossy_key.get(_lossy_key(comment))
        if index is not None and (lost := _lost(self.comments[index])) != _lost(comment):
            if lost > _lost(comment):
                self.comments[index] = comment
            return True
        return {_key(line) for line in comment.split("\n")} <= self.lines


def _key(comment: str) -> str:
    """Return a comment in a form that is equal in all editions.

    KIF's mark of a comment follows CSA's own in CSA files (`'*…`), and converters add or remove one. Editions
    also differ in blanks, widths and dashes. A comment of stars alone is its own key.
    """
    plain = "".join(unicodedata.normalize("NFKC", comment).split()).translate(_DASHES)
    return plain.lstrip("*") or plain


_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—―−ー", "-") | {"〜": "~", "∥": "‖"})
_OFTEN_LOST: Final = re.compile("[-~‖¢£¬?\ufffd]")


def _lossy_key(comment: str) -> tuple[int, str]:
    """Return the length of a comment, and its text without characters that some programs write as question
    marks in Shift_JIS (`▲藤井棋王?△増田八段`)."""
    key = _key(comment)
    text = key.encode("cp932", "replace").decode("cp932")
    return len(key), _OFTEN_LOST.sub("", text)


def _lost(comment: str) -> int:
    return sum(map(_key(comment).count, "?\ufffd"))


def _joined(comments: Iterable[str]) -> str:
    return "".join(map(_key, comments))


def _alternatives(entry: MoveEntry) -> Iterator[Line]:
    """Yield all lines that replace an entry, also those nested in one another."""
    waiting = list(entry.get("forks", ()))
    while waiting:
        line = waiting.pop(0)
        if line:
            yield line
            waiting += line[0].get("forks", ())


class _Union:
    """Adds one line to another that begins in the same position.

    `shared` collects pairs of lines that begin with the same move, to be united next.
    """

    def __init__(
        self, packed_move: PackedMove, keep_endings: bool, line: Line, at: int, other: Line, other_at: int
    ) -> None:
        self.packed_move = packed_move
        self.keep_endings = keep_endings
        self.line = line
        self.at = at
        self.other = other[other_at:]
        self.shared: list[tuple[Line, int, Line, int]] = []

    def run(self) -> bool:
        changed = False
        for index, entry in enumerate(self.other):
            self._skip_endings(entry)
            if self.at == len(self.line):
                return self._extend(self.other[index:]) or changed
            mine = self.line[self.at]
            for fork in _alternatives(entry):
                changed |= self._add(mine, fork)
            if "move" not in entry:
                changed |= self._keep_ending(entry)
                continue
            if self._move(entry) != self._move(mine):
                return self._add(mine, self.other[index:]) or changed
            changed |= _take_comments(mine, entry)
            self.at += 1
        return changed

    def _skip_endings(self, entry: MoveEntry) -> None:
        while "move" in entry and self.at + 1 < len(self.line) and "move" not in self.line[self.at]:
            self.at += 1

    def _extend(self, rest: Line) -> bool:
        """Append the rest of the other line, unless it is only an ending."""
        if not any("move" in entry or entry.get("forks") for entry in rest):
            return False
        self.line += rest
        return True

    def _keep_ending(self, entry: MoveEntry) -> bool:
        if not self.keep_endings or "special" not in entry or "move" not in self.line[self.at] or not self.at:
            return False
        kind = BY_SPECIAL.get(entry["special"])
        word = kind.word if kind and kind.word else entry["special"]
        return _take_comments(self.line[self.at - 1], {"comments": [word, *entry.get("comments", [])]})

    def _add(self, mine: MoveEntry, fork: Line) -> bool:
        """Add a fork, or unite it with the one that begins with the same move."""
        first = self._move(fork[0])
        if first == self._move(mine):
            self.shared.append((self.line, self.at, _bare(fork), 0))
            return False
        for existing in _alternatives(mine):
            if self._move(existing[0]) == first:
                self.shared.append((existing, 0, _bare(fork), 0))
                return False
        mine.setdefault("forks", []).append(_bare(fork))
        return True

    def _move(self, entry: MoveEntry) -> int:
        return self.packed_move(entry["move"]) if "move" in entry else NO_MOVE


def _bare(line: Line) -> Line:
    """Return a line without the forks of its first entry, which `_alternatives` yields separately."""
    first = line[0].copy()
    first.pop("forks", None)
    return [first, *line[1:]]
