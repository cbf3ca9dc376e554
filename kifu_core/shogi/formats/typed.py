"""Read blocks of KI2 moves as people type them: without marks, with numbers before moves, with remarks, times
or words in brackets after them."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kifu_core.deadline import watched
from kifu_core.memo import Memo
from kifu_core.shogi.formats.draft import QUOTED_LENGTH
from kifu_core.shogi.formats.rows import PLAIN, TYPED_MOVE, typed_step
from kifu_core.shogi.formats.times import CLOCK, TIMES
from kifu_core.shogi.move_resolution import Step, UnreadableStep
from kifu_core.shogi.specials import BY_WORD
from kifu_core.shogi.spelling import APART, MARKS, MOVE, NUMBER

TEXT: Final = rf"[^{MARKS}\n*(（]{{1,24}}+"
TOKEN: Final = rf"[{MARKS}]({TEXT})"

_BRACKETS: Final = rf"(?:[(（]({CLOCK})[)）])?"
ENDING: Final = "|".join(map(re.escape, sorted(BY_WORD, key=len, reverse=True)))

_MARKED: Final = re.compile(TOKEN + _BRACKETS)
_SOURCE: Final = re.compile(" ?[1-9][ ,-]?[1-9一二三四五六七八九] ?|00")
_TYPED: Final = re.compile(
    rf"([▲△]|[先後上下]手 ?[▲△]?)?[ :.]*{TYPED_MOVE}(?:(?={APART}|[→~〜/;|)(*まで一①-⑳-])|(?<=\))){_BRACKETS}"
)
_ENDED: Final = re.compile(rf"[▲△]?[ ]*({ENDING})(?=[\s、,。.・(]|\Z){_BRACKETS}")

_BETWEEN: Final = re.compile(rf"{NUMBER}|[0-9]{{1,4}}+(?=[\s▲△])|[①-⑳]|[ 、,。.・→~〜/;|)一-]++")
_SIGNS: Final = re.compile("[!?]++")

_ALONE: Final = re.compile(rf"(?<= )[▲△] *{MOVE}(?=[ \n(]|\Z)")
"""A marked move after words."""

_STEPS: Final = Memo(typed_step)


class TypedItem(NamedTuple):
    """A step with the text of its time, or a comment, and the offset."""

    at: int
    step: Step | None
    clock: str = ""
    comment: str = ""


def items(block: str, read: Callable[[str], Step]) -> Iterator[TypedItem]:
    """Yield the items of a block of moves and comments; `read` reads the text of a move.

    Words after a move are its comment, to the end of the line or to a separate move with a mark. Words
    before the first move of a line are an unreadable step.
    """
    plain = block.translate(PLAIN)
    for line in watched(re.finditer(r"[^\n]++", block)):
        yield from _line(block, plain, line.start(), line.end(), read)


def _line(block: str, plain: str, at: int, end: int, read: Callable[[str], Step]) -> Iterator[TypedItem]:
    after_move = False
    while at < end:
        if plain[at] == "*":
            yield TypedItem(at, None, comment=block[at + 1 : end])
            return
        if (step_at := _step(plain, at, end, read)) is not None:
            stop, step, clock = step_at
            yield from _with_brackets(at, step, clock)
            after_move = True
        elif match := _BETWEEN.match(plain, at, end):
            stop = match.end()
        else:
            match = _SIGNS.match(plain, at, end)
            stop = match.end() if match else _words_end(plain, at, end)
            words = block[at:stop].strip()
            yield (
                TypedItem(at, None, comment=words)
                if after_move
                else TypedItem(at, UnreadableStep(words[:QUOTED_LENGTH]))
            )
        at = stop


def _step(plain: str, at: int, end: int, read: Callable[[str], Step]) -> tuple[int, Step, str] | None:
    """Return the end, the step and the clock's text of the step at an offset; None if there is none.

    Tried in turn: a complete token, a token with words after it, a marked text that cannot be read.
    """
    marked = _MARKED.match(plain, at, end)
    step = read(marked[1]) if marked else None
    if marked and step is not None and _numbers_next(plain, marked):
        return marked.end(1), step, ""
    sourced = marked is not None and _SOURCE.fullmatch(marked[2] or "") is not None
    if marked and step is not None and not isinstance(step, UnreadableStep) and not sourced:
        return marked.end(), step, marked[2] or ""
    if (typed := _TYPED.match(plain, at, end)) and (other := _STEPS[typed.groups()[1:10]]):
        return typed.end(), other, typed[11] or ""
    if ended := _ENDED.match(plain, at, end):
        return ended.end(), read(ended[1]), ended[2] or ""
    return (marked.end(), step, marked[2] or "") if marked and step else None


def _numbers_next(plain: str, marked: re.Match[str]) -> bool:
    """Return whether a number in brackets is that of the next move: after a blank, right before a mark."""
    if not (marked[2] or "").isdecimal() or not marked[1].endswith(" "):
        return False
    return plain[marked.end() : marked.end() + 1] in ("▲", "△")


def _with_brackets(at: int, step: Step, text: str) -> Iterator[TypedItem]:
    """Yield a step and its time; words in the brackets are a comment."""
    is_words = TIMES[text] is None and any(char.isalpha() for char in text)
    yield TypedItem(at, step, "" if is_words else text)
    if is_words:
        yield TypedItem(at, None, comment=text.strip())


def _words_end(block: str, at: int, end: int) -> int:
    match = _ALONE.search(block, at, end)
    return match.start() if match else end
