"""Blocks of KI2 moves as people type them: without marks, with numbers before moves, with remarks, times or
words in brackets behind them."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kifu_core.deadline import watched
from kifu_core.shogi.formats.times import CLOCK, TIMES
from kifu_core.shogi.move_resolution import Garbled, Step
from kifu_core.shogi.specials import BY_WORD
from kifu_core.shogi.spelling import APART, MARKS, MOVE, NUMBER

TEXT: Final = rf"[^{MARKS}\n*(（]{{1,24}}+"
TOKEN: Final = rf"[{MARKS}]({TEXT})"

_BRACKETS: Final = rf"(?:[(（]({CLOCK})[)）])?+"
ENDING: Final = "|".join(map(re.escape, sorted(BY_WORD, key=len, reverse=True)))
_PLAY: Final = rf"({MOVE}{APART}|(?:{ENDING})(?=[\s　、，,。．.(（]|\Z))"

_MARKED: Final = re.compile(TOKEN + _BRACKETS)
_CLEAR: Final = re.compile(rf"[{MARKS}]?+[ 　\t]*+{_PLAY}{_BRACKETS}")
"""A move or an ending whatever stands behind it."""

_BETWEEN: Final = re.compile(rf"{NUMBER}|[0-9]{{1,4}}+(?=\s)|[ 　\t、，,。．.・]++")
_SIGNS: Final = re.compile("[!?！？]++")
_ALONE: Final = re.compile(rf"(?<=[ 　\t])[{MARKS}][ 　]*+{MOVE}(?=[ 　\t\n(（]|\Z)")
"""A move behind words that is none of them."""

SHOWN: Final = 40
"""Characters that are told of what cannot be read."""


class Item(NamedTuple):
    """A step with the text of its time, or a comment; and where it stands."""

    at: int
    step: Step | None
    clock: str = ""
    comment: str = ""


def items(block: str, read: Callable[[str], Step]) -> Iterator[Item]:
    """Yield what a block of moves and comments consists of; `read` reads the text of a move.

    Words behind a move are its comment, to the end of their line or to a move with its mark that stands by
    itself. Words before any move of a line are a step that cannot be read.
    """
    for line in watched(re.finditer(r"[^\n]++", block)):
        yield from _line(block, line.start(), line.end(), read)


def _line(block: str, at: int, end: int, read: Callable[[str], Step]) -> Iterator[Item]:
    played = False
    while at < end:
        if block[at] == "*":
            yield Item(at, None, comment=block[at + 1 : end])
            return
        match, step = _step(block, at, end, read)
        if match is not None and step is not None:
            yield from _with_brackets(at, step, match[2] or "")
            played = True
        elif (match := _BETWEEN.match(block, at, end)) is None:
            match = _SIGNS.match(block, at, end)
            stop = match.end() if match else _words_end(block, at, end)
            words = block[at:stop].strip()
            yield Item(at, None, comment=words) if played else Item(at, Garbled(words[:SHOWN]))
            at = stop
            continue
        at = match.end()


def _step(
    block: str, at: int, end: int, read: Callable[[str], Step]
) -> tuple[re.Match[str] | None, Step | None]:
    """Return the step that begins at a place, with the match of its text; None for both where there is none.

    It is a token that is one as a whole, one with words behind it, or a marked text that cannot be read.
    """
    marked = _MARKED.match(block, at, end)
    step = read(marked[1]) if marked else None
    if step is not None and not isinstance(step, Garbled):
        return marked, step
    if clear := _CLEAR.match(block, at, end):
        return clear, read(clear[1])
    return marked, step


def _with_brackets(at: int, step: Step, text: str) -> Iterator[Item]:
    """Yield a step with the time in its brackets; words without a number there are a comment behind it."""
    is_words = TIMES[text] is None and any(char.isalpha() for char in text)
    yield Item(at, step, "" if is_words else text)
    if is_words:
        yield Item(at, None, comment=text.strip())


def _words_end(block: str, at: int, end: int) -> int:
    found = _ALONE.search(block, at, end)
    return found.start() if found else end
