"""Limits on the games of a text and on the parts of a game; the rest becomes unread text."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Final, Literal

LimitCode = Literal["main-line-limit", "forks-limit", "fork-moves-limit", "comments-limit"]
"""The codes of the issues about limits."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest game that is read: entries of the main line, forks, entries in all forks together, and
    bytes of comments in UTF-8, one more for each line."""

    plies: int = sys.maxsize
    forks: int = sys.maxsize
    fork_moves: int = sys.maxsize
    comment_bytes: int = sys.maxsize


UNLIMITED: Final = Limits()


@dataclass(slots=True)
class LimitBudget:
    """The rest of the limits while a game is read. `left_out` are the comments beyond them."""

    forks: int
    fork_moves: int
    comment_bytes: int
    left_out: list[str] = field(default_factory=list)
    reported: set[LimitCode] = field(default_factory=set)

    @classmethod
    def of(cls, limits: Limits) -> LimitBudget:
        """Return the full budget of a game."""
        return cls(limits.forks, limits.fork_moves, limits.comment_bytes)

    def report_once(self, code: LimitCode) -> bool:
        """Return whether a limit is reported for the first time, and mark it as reported."""
        if code in self.reported:
            return False
        self.reported.add(code)
        return True

    def comments(self, lines: list[str]) -> list[str]:
        """Return the comments of an entry that are within the budget.

        After the first comment beyond the budget, all others are left out.
        """
        size = comment_size(lines)
        if size <= self.comment_bytes:
            self.comment_bytes -= size
            return lines
        count = 0
        while (size := comment_size(lines[count : count + 1])) <= self.comment_bytes:
            self.comment_bytes -= size
            count += 1
        self.comment_bytes = -1
        self.left_out += lines[count:]
        return lines[:count]


def comment_size(lines: list[str]) -> int:
    """Count the bytes of comments as `Limits` does."""
    return sum(len(line.encode(errors="surrogatepass")) for line in lines) + len(lines)


def limit_of(limits: Limits, code: LimitCode) -> int:
    """Return the limit that an issue is about."""
    return {
        "main-line-limit": limits.plies,
        "forks-limit": limits.forks,
        "fork-moves-limit": limits.fork_moves,
        "comments-limit": limits.comment_bytes,
    }[code]


def most_games(text: str, least: int = 10_000) -> int:
    """Return the number of games to read of a text: more than a real text of its size has, at least `least`.

    The shortest games take a hundred times the memory of their text.
    """
    return max(least, len(text) // 60)
