"""Patterns as text: what a person types and a program sends, and how it is printed back.

    K9i L9h n8a s8b             own king and lance, enemy knight and silver (in lower case) on these squares
    +P5c {G,S}7h X5e -5f !P7f   promoted pawn; gold or silver; any own piece; empty; anything but an own pawn
    hand:B,P>=3,r=0 board:P=9   in hand a bishop, three pawns or more, no enemy rook; nine pawns on the board
    turn:own ply:10..60 kept:6  own side to move, from ply 10 to 60, and for six plies more
    own:black mirror:yes        whose side is meant, and the mirror image too
    line:main                   not in variations
    K8h then<=20 K9i            and within 20 plies after it; `then` alone: at any later ply
    8八玉、△5一玉 ７七成銀       as K8h k5a +S7g: in Japanese, of the own side without △

Wide letters, as Japanese keyboards write them, are read as the others are, and 、 parts words as blanks do.
What is printed is in one order, so that two texts that ask for the same print alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

from kifu_core.errors import ParseError
from kifu_core.shogi.patterns.pattern import ANYTHING, EMPTY, ENEMY, OWN, Count, Pattern, Step, content
from kifu_core.shogi.pieces import BLACK, BY_LETTER, BY_NAME, HAND_KINDS, LETTERS, WHITE
from kifu_core.shogi.squares import BY_JAPANESE, BY_USI, RANK_KANJI, USI

LONGEST: Final = 1000
"""Characters of a text."""
MOST_STEPS: Final = 8
MOST: Final = 999
"""The largest number that can be asked for."""

_WORD: Final = re.compile(r"[^\s、]+")
_PLACED: Final = re.compile(r"(!?)(\{[^{}]*\}|\+?[A-Za-z]|-)([0-9]\S*)")
_JAPANESE: Final = re.compile(f"(?:[☗▲]|([☖△▽]))?([1-9][1-9{RANK_KANJI}])({'|'.join(BY_NAME)})")
_THEN: Final = re.compile(r"then(?:<=([0-9]{1,9}))?")
_COUNTED: Final = re.compile(r"(\+?[A-Za-z])(?:(>=|<=|=)([0-9]{1,9}))?")
_RANGE: Final = re.compile(r"([0-9]{0,9})(\.\.)?([0-9]{0,9})")

PIECES: Final = {
    text: sign * value
    for letter, value in BY_LETTER.items()
    for text, sign in ((letter, 1), (letter.lower(), -1))
}
"""Signed pieces by what they are called in a pattern."""
_CONTENTS: Final = {
    **{text: 1 << content(piece) for text, piece in PIECES.items()},
    "X": OWN,
    "x": ENEMY,
    "-": EMPTY,
}
_OWNERS: Final = {"black": BLACK, "white": WHITE}


def parse(text: str) -> Pattern:
    """Return the pattern that a text asks for.

    Raises ParseError, with the column: `pattern-long`, `pattern-nothing`, `pattern-steps`, `pattern-item`,
    `pattern-pieces`, `pattern-square`, `pattern-counts`, `pattern-value`, `pattern-twice`, `pattern-never`.
    """
    if len(text) > LONGEST:
        raise ParseError("pattern-long", column=LONGEST + 1, params={"limit": LONGEST})
    return _Reader(text).pattern()


class _Reader:
    """One reading of a text: the steps so far, the one that is being read, and what is said of all."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[Step] = []
        self.gaps: list[int | None] = []
        self.whole: dict[str, Any] = {}
        self._begin()

    def _begin(self) -> None:
        self.squares: dict[int, int] = {}
        self.asked: dict[str, Any] = {}

    def pattern(self) -> Pattern:
        for word in _WORD.finditer(self.text):
            self.column = word.start() + 1
            text = _spelled(word[0])
            if then := _THEN.fullmatch(text):
                self._end_step()
                self.gaps.append(self._gap(then[1]) if then[1] else None)
            elif placed := _PLACED.fullmatch(text):
                self._place(*placed.groups())
            else:
                self._option(*text.partition(":"))
        self.column = len(self.text) + 1
        self._end_step()
        return Pattern(tuple(self.steps), tuple(self.gaps), **self.whole)

    def _end_step(self) -> None:
        if not (self.squares or self.asked):
            self._fail("pattern-nothing")
        if len(self.steps) == MOST_STEPS:
            self._fail("pattern-steps", limit=MOST_STEPS)
        self.steps.append(Step(self.squares, **self.asked))
        self._begin()

    def _place(self, negated: str, pieces: str, square: str) -> None:
        if square not in BY_USI:
            self._fail("pattern-square", text=square)
        allowed = 0
        for name in pieces.strip("{}").split(","):
            if name not in _CONTENTS:
                self._fail("pattern-pieces", text=name)
            allowed |= _CONTENTS[name]
        allowed = ANYTHING & ~allowed if negated else allowed
        both = self.squares.get(BY_USI[square], ANYTHING) & allowed
        if not both:
            self._fail("pattern-never", text=square)
        self.squares[BY_USI[square]] = both

    def _option(self, name: str, colon: str, value: str) -> None:
        if not colon or name not in _OPTIONS:
            self._fail("pattern-item", text=f"{name}{colon}{value}")
        options, read = _OPTIONS[name]
        target = self.whole if name in _WHOLE else self.asked
        found = dict(zip(options, read(self, value), strict=True))
        if found.keys() & target.keys():
            self._fail("pattern-twice", text=name)
        target.update(found)

    def _counts(self, value: str) -> tuple[Count, ...]:
        found: dict[int, Count] = {}
        for item in value.split(","):
            read = _COUNTED.fullmatch(item)
            if read is None or read[1] not in PIECES:
                self._fail("pattern-counts", text=item)
            piece = PIECES[read[1]]
            count = self._count(piece, read[2] or ">=", self._number(read[3] or "1"))
            before = found.get(piece, Count(piece))
            found[piece] = _both(before, count)
            if _is_never(found[piece]):
                self._fail("pattern-never", text=item)
        return tuple(sorted(found.values()))

    @staticmethod
    def _count(piece: int, sign: str, number: int) -> Count:
        return Count(piece, 0 if sign == "<=" else number, None if sign == ">=" else number)

    def _hands(self, value: str) -> tuple[tuple[Count, ...]]:
        counts = self._counts(value)
        for count in counts:
            if abs(count.piece) not in HAND_KINDS:
                self._fail("pattern-counts", text=_letter(count.piece))
        return (counts,)

    def _board(self, value: str) -> tuple[tuple[Count, ...]]:
        return (self._counts(value),)

    def _one_of(self, values: dict[str, Any], value: str) -> tuple[Any]:
        if value not in values:
            self._fail("pattern-value", text=value, values=", ".join(values))
        return (values[value],)

    def _plies(self, value: str) -> tuple[int | None, int | None]:
        read = _RANGE.fullmatch(value)
        if read is None or not (read[1] or read[3]):
            self._fail("pattern-value", text=value, values="20, 10.., ..60, 10..60")
        first = self._number(read[1]) if read[1] else None
        last = (self._number(read[3]) if read[3] else None) if read[2] else first
        if first is not None and last is not None and last < first:
            self._fail("pattern-never", text=value)
        return first, last

    def _kept(self, value: str) -> tuple[int]:
        if not (value.isascii() and value.isdigit()):
            self._fail("pattern-value", text=value, values=f"0..{MOST}")
        return (self._number(value),)

    def _gap(self, digits: str) -> int:
        # What follows stands later than what it follows.
        return self._number(digits) or self._fail("pattern-never", text=f"then<={digits}")

    def _number(self, digits: str) -> int:
        number = int(digits)
        if number > MOST:
            self._fail("pattern-value", text=digits, values=f"0..{MOST}")
        return number

    def _fail(self, code: str, **params: str | int) -> NoReturn:
        shown = {name: value[:40] if isinstance(value, str) else value for name, value in params.items()}
        raise ParseError(code, column=self.column, params=shown)


_Read = Callable[[_Reader, str], tuple[Any, ...]]
_OPTIONS: Final[dict[str, tuple[tuple[str, ...], _Read]]] = {
    "hand": (("hands",), _Reader._hands),
    "board": (("board",), _Reader._board),
    "turn": (("own_turn",), lambda reader, value: reader._one_of({"own": True, "enemy": False}, value)),
    "ply": (("first", "last"), _Reader._plies),
    "kept": (("kept",), _Reader._kept),
    "own": (("own",), lambda reader, value: reader._one_of(_OWNERS, value)),
    "mirror": (("mirrored",), lambda reader, value: reader._one_of({"yes": True, "no": False}, value)),
    "line": (("main",), lambda reader, value: reader._one_of({"main": True, "all": False}, value)),
}
_WHOLE: Final = frozenset({"own", "mirror", "line"})
"""Options that are said of all steps together."""


def _spelled(word: str) -> str:
    """Return a word as it would be printed, whatever keyboard wrote it, and a square and its piece in
    Japanese as a letter and a square."""
    plain = unicodedata.normalize("NFKC", word)
    told = _JAPANESE.fullmatch(plain)
    if told is None:
        return plain
    enemy, square, name = told.groups()
    return _letter(-BY_NAME[name] if enemy else BY_NAME[name]) + USI[BY_JAPANESE[square]]


def _both(one: Count, other: Count) -> Count:
    most = [limit for limit in (one.most, other.most) if limit is not None]
    return Count(one.piece, max(one.least, other.least), min(most, default=None))


def _is_never(count: Count) -> bool:
    return count.most is not None and count.most < count.least


def text_of(pattern: Pattern) -> str:
    """Return the text of a pattern, in one order: `parse` makes the same of it."""
    parts = [*_step_words(pattern.steps[0])]
    for step, gap in zip(pattern.steps[1:], pattern.gaps, strict=True):
        parts += ["then" if gap is None else f"then<={gap}", *_step_words(step)]
    if pattern.own is not None:
        parts.append(f"own:{'white' if pattern.own else 'black'}")
    parts += ["mirror:yes"] * pattern.mirrored + ["line:main"] * pattern.main
    return " ".join(parts)


def _step_words(step: Step) -> Iterator[str]:
    for square in sorted(step.squares):
        yield _contents(step.squares[square]) + USI[square]
    for name, counts in (("hand", step.hands), ("board", step.board)):
        if counts:
            yield f"{name}:{','.join(word for count in counts for word in _count_words(count))}"
    if step.own_turn is not None:
        yield f"turn:{'own' if step.own_turn else 'enemy'}"
    if step.first is not None or step.last is not None:
        yield f"ply:{_plies_text(step.first, step.last)}"
    if step.kept:
        yield f"kept:{step.kept}"


def contents(allowed: int) -> tuple[bool, list[str]]:
    """Return what a square may hold in the fewest names: whether these are of what it may not hold, and they:
    letters of pieces, lower ones for the enemy's, `X` and `x` for any of a side, `-` for nothing."""
    names, others = _names(allowed), _names(ANYTHING & ~allowed)
    negated = bool(others) and len(others) < len(names)
    return negated, others if negated else names


def _contents(allowed: int) -> str:
    negated, shorter = contents(allowed)
    return "!" * negated + (shorter[0] if len(shorter) == 1 else f"{{{','.join(shorter)}}}")


def _names(allowed: int) -> list[str]:
    found = []
    for name, side in (("X", OWN), ("x", ENEMY)):
        if allowed & side == side:
            found.append(name)
            allowed &= ~side
    return found + [name for name, bits in _CONTENTS.items() if name not in "Xx" and allowed & bits]


def _count_words(count: Count) -> Iterator[str]:
    letter = _letter(count.piece)
    if count.least == count.most:
        yield f"{letter}={count.least}"
        return
    if count.least or count.most is None:
        yield letter if count.least == 1 and count.most is None else f"{letter}>={count.least}"
    if count.most is not None:
        yield f"{letter}<={count.most}"


def _letter(piece: int) -> str:
    return LETTERS[piece] if piece > 0 else LETTERS[-piece].lower()


def _plies_text(first: int | None, last: int | None) -> str:
    if first == last:
        return str(first)
    return f"{'' if first is None else first}..{'' if last is None else last}"
