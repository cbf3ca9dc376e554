"""How many games of a text are read, and how much of one is kept: the rest is not played and left unread."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Final, Literal

LimitCode = Literal["main-line-limit", "forks-limit", "fork-moves-limit", "comments-limit"]
"""The codes of the issues that tell of a limit."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is kept of a game: entries of the main line, forks, entries in all forks together, and
    bytes of comments in UTF-8, one more for each line."""

    plies: int = sys.maxsize
    forks: int = sys.maxsize
    fork_moves: int = sys.maxsize
    comment_bytes: int = sys.maxsize


UNLIMITED: Final = Limits()


@dataclass(slots=True)
class Budget:
    """What the limits leave while a game is read. `left_out` are comments for which there was no room."""

    forks: int
    fork_moves: int
    comment_bytes: int
    left_out: list[str] = field(default_factory=list)
    reported: set[LimitCode] = field(default_factory=set)

    @classmethod
    def of(cls, limits: Limits) -> Budget:
        """Return all the room that the limits give a game."""
        return cls(limits.forks, limits.fork_moves, limits.comment_bytes)

    def report_once(self, code: LimitCode) -> bool:
        """Tell whether a limit is met for the first time, and remember that it was: each is told of once."""
        if code in self.reported:
            return False
        self.reported.add(code)
        return True

    def comments(self, lines: list[str]) -> list[str]:
        """Return those of an entry's comments for which there is room.

        Once there is no more room, all others are left out.
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
    """Return the limit that an issue tells of."""
    return {
        "main-line-limit": limits.plies,
        "forks-limit": limits.forks,
        "fork-moves-limit": limits.fork_moves,
        "comments-limit": limits.comment_bytes,
    }[code]


def most_games(text: str, least: int = 10_000) -> int:
    """Return how many games are read of a text: more than a real one of its size has, and at least `least`.

    A game may be so short that what is kept of it takes a hundred times its room.
    """
    return max(least, len(text) // 60)
