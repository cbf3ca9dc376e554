"""Patterns as text: what a person types and a program sends, and how it is printed back.

    K9i L9h n8a s8b             own king and lance, enemy knight and silver (in lower case) on these squares
    +P5c {G,S}7h X5e -5f !P7f   promoted pawn; gold or silver; any own piece; empty; anything but an own pawn
    hand:B,P>=3,r=0 board:P=9   in hand a bishop, three pawns or more, no enemy rook; nine pawns on the board
    turn:own ply:10..60 kept:6  own side to move, from ply 10 to 60, and for six plies more
    own:black mirror:yes        whose side is meant, and the mirror image too
    line:main                   not in variations
    K8h then<=20 K9i            and within 20 plies after it; `then` alone: at any later ply
    8八玉△5一玉、銀7七           as K8h k5a S7g: in Japanese, of the own side without △
    {金,△銀}7八 -5五             as {G,s}7h -5e
    持駒:角、歩3、△飛なし        as hand:B,P>=3,r=0
    8八玉その後20手以内に9九玉   as K8h then<=20 K9i

Wide letters, as Japanese keyboards write them, are read as the others are, and 、 parts words as blanks do
(`japanese` has what is read of Japanese).
What is printed is in one order, so that two texts that ask for the same print alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterator
from typing import Any, Final, NoReturn

from kifu_core.errors import ParseError
from kifu_core.shogi.patterns import japanese
from kifu_core.shogi.patterns.pattern import ANYTHING, EMPTY, ENEMY, OWN, Count, Pattern, Step, content
from kifu_core.shogi.pieces import BLACK, BY_LETTER, BY_NAME, HAND_KINDS, LETTERS, WHITE
from kifu_core.shogi.squares import BY_JAPANESE, BY_USI, USI

LONGEST: Final = 1000
"""Characters of a text."""
MOST_STEPS: Final = 8
MOST: Final = 999
"""The largest number that can be asked for."""

_WORD: Final = re.compile(japanese.WORD)
_PLACED: Final = re.compile(r"(!?)(\{[^{}]*\}|\+?[A-Za-z]|-)([0-9]\S*)")
_IN_JAPANESE: Final = re.compile(f"{japanese.THEN}|{japanese.PLACED}|{japanese.ALLOWED}")
_THEN: Final = re.compile(r"then(?:<=([0-9]{1,9}))?")
_COUNTED: Final = re.compile(r"(\+?[A-Za-z])(?:(>=|<=|=)([0-9]{1,9}))?")
_NAMED: Final = re.compile(japanese.NAMED)
_IN_WORDS: Final = re.compile(japanese.COUNTED)
_COMMA: Final = re.compile("[,、]")
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
        self.plain, self.columns = _plain(text)
        self.steps: list[Step] = []
        self.gaps: list[int | None] = []
        self.whole: dict[str, Any] = {}
        self._begin()

    def _begin(self) -> None:
        self.squares: dict[int, int] = {}
        self.asked: dict[str, Any] = {}

    def pattern(self) -> Pattern:
        for word in _WORD.finditer(self.plain):
            rest = word.start()
            while told := _IN_JAPANESE.match(self.plain, rest, word.end()):
                self._go(rest)
                self._in_japanese(told)
                rest = told.end()
            if rest < word.end():
                self._go(rest)
                text = self.plain[rest : word.end()]
                self._word(japanese.WORDS.get(text, text))
        self._go(len(self.plain))
        self._end_step()
        return Pattern(tuple(self.steps), tuple(self.gaps), **self.whole)

    def _go(self, place: int) -> None:
        """Be at a place of the plain text, which errors are told with."""
        self.place, self.column = place, self.columns[place]

    def _in_japanese(self, told: re.Match[str]) -> None:
        within, enemy, square, name, other_name, other_square, *allowed = told.groups()
        if allowed[1]:
            self._place(*allowed)
        elif name or other_name:
            piece = BY_NAME[name or other_name]
            self._place("", _letter(-piece if enemy else piece), square or other_square)
        else:
            self._then(told[0], within)

    def _word(self, text: str) -> None:
        if then := _THEN.fullmatch(text):
            self._then(text, then[1])
        elif placed := _PLACED.fullmatch(text):
            self._place(*placed.groups())
        else:
            self._option(text)

    def _then(self, text: str, within: str | None) -> None:
        self._end_step()
        # What follows stands later than what it follows.
        self.gaps.append((self._number(within) or self._fail("pattern-never", text=text)) if within else None)

    def _end_step(self) -> None:
        if not (self.squares or self.asked):
            self._fail("pattern-nothing")
        if len(self.steps) == MOST_STEPS:
            self._fail("pattern-steps", limit=MOST_STEPS)
        self.steps.append(Step(self.squares, **self.asked))
        self._begin()

    def _place(self, negated: str, pieces: str, square: str) -> None:
        place = BY_USI.get(square, BY_JAPANESE.get(square))
        if place is None:
            self._fail("pattern-square", text=square)
        allowed = 0
        for name in _COMMA.split(pieces.strip("{}")):
            allowed |= self._content(name)
        allowed = ANYTHING & ~allowed if negated else allowed
        both = self.squares.get(place, ANYTHING) & allowed
        if not both:
            self._fail("pattern-never", text=square)
        self.squares[place] = both

    def _content(self, name: str) -> int:
        if told := _NAMED.fullmatch(name):
            return 1 << content(-BY_NAME[told[2]] if told[1] else BY_NAME[told[2]])
        return _CONTENTS.get(name) or self._fail("pattern-pieces", text=name)

    def _option(self, text: str) -> None:
        called, colon, value = text.partition(":")
        name = japanese.OPTIONS.get(called, called)
        if not colon or name not in _OPTIONS:
            self._fail("pattern-item", text=text)
        options, read = _OPTIONS[name]
        target = self.whole if name in _WHOLE else self.asked
        found = dict(zip(options, read(self, value), strict=True))
        if found.keys() & target.keys():
            self._fail("pattern-twice", text=name)
        target.update(found)

    def _counts(self, value: str, kinds: Container[int]) -> tuple[Count, ...]:
        found: dict[int, Count] = {}
        self._go(self.place + self.plain[self.place :].index(":") + 1)
        for item in _COMMA.split(value):
            for text, count in self._counted(item):
                if abs(count.piece) not in kinds:
                    self._fail("pattern-counts", text=text)
                found[count.piece] = _both(found.get(count.piece, Count(count.piece)), count)
                if _is_never(found[count.piece]):
                    self._fail("pattern-never", text=text)
                self._go(self.place + len(text))
            self._go(min(self.place + 1, len(self.plain)))
        return tuple(sorted(found.values()))

    def _counted(self, item: str) -> Iterator[tuple[str, Count]]:
        """Yield the numbers of an item of a list with their texts: one in letters, or several in Japanese."""
        read = _COUNTED.fullmatch(item)
        if read and read[1] in PIECES:
            yield item, self._count(PIECES[read[1]], read[2] or ">=", self._number(read[3] or "1"))
            return
        rest = 0
        while read := _IN_WORDS.match(item, rest):
            yield read[0], self._count_in_words(*read.groups())
            rest = read.end()
        if rest < len(item) or not item:
            self._fail("pattern-counts", text=item[rest:])

    def _count_in_words(
        self, enemy: str, name: str, sign: str, digits: str, none: str, number: str, word: str
    ) -> Count:
        piece = -BY_NAME[name] if enemy else BY_NAME[name]
        if none:
            return Count(piece, 0, 0)
        many = digits or number or "1"
        found = japanese.NUMERALS.get(many) or self._number(many)
        return self._count(piece, sign or japanese.SIGNS.get(word, ">="), found)

    @staticmethod
    def _count(piece: int, sign: str, number: int) -> Count:
        return Count(piece, 0 if sign == "<=" else number, None if sign == ">=" else number)

    def _hands(self, value: str) -> tuple[tuple[Count, ...]]:
        return (self._counts(value, HAND_KINDS),)

    def _board(self, value: str) -> tuple[tuple[Count, ...]]:
        return (self._counts(value, BY_LETTER.values()),)

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


def _plain(text: str) -> tuple[str, list[int]]:
    """Return a text as it would be printed, whatever keyboard wrote it, and the column of each character; at
    last that of its end."""
    plain, columns = [], []
    for column, character in enumerate(text, 1):
        told = unicodedata.normalize("NFKC", character)
        plain.append(told)
        columns += [column] * len(told)
    return "".join(plain), [*columns, len(text) + 1]


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
