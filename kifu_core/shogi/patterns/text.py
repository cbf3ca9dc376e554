"""Patterns as text: parsing and printing.

    K9i L9h n8a s8b             own king and lance, enemy knight and silver (in lower case) on these squares
    +P5c {G,S}7h X5e -5f !P7f   promoted pawn; gold or silver; any own piece; empty; anything but an own pawn
    hand:B,P>=3,r=0 board:P=9   in hand a bishop, three pawns or more, no enemy rook; nine pawns on the board
    turn:own ply:10..60 kept:6  own side to move, from ply 10 to 60, and for six plies more
    own:black mirror:yes        Black is the own side, and the mirror image counts too
    line:main                   not in variations
    K8h then<=20 K9i            and within 20 plies after it; `then` alone: at any later ply
    8八玉△5一玉、銀7七           as K8h k5a S7g: in Japanese, of the own side without △
    {金,△銀}7八 -5五             as {G,s}7h -5e
    持駒:角、歩3、△飛なし        as hand:B,P>=3,r=0
    8八玉その後20手以内に9九玉   as K8h then<=20 K9i
    9九玉その後4手続く40手目まで as K9i ply:..40 kept:4
    手数:10〜40 手番:自分 先手   as ply:10..40 turn:own own:black

Full-width letters, as Japanese keyboards write them, count as half-width ones, and 、 separates words as
blanks do (`japanese` has the Japanese expressions). Printing has one order: equal patterns have equal texts.
"""

import re
import unicodedata
from collections.abc import Callable, Container, Iterator
from typing import Any, Final, NoReturn

from kifu_core.errors import ParseError
from kifu_core.shogi.patterns import japanese
from kifu_core.shogi.patterns.pattern import (
    ANYTHING,
    EMPTY,
    ENEMY,
    OWN,
    Pattern,
    PatternStep,
    PieceCount,
    content,
)
from kifu_core.shogi.pieces import BLACK, BY_LETTER, BY_NAME, HAND_KINDS, LETTERS, WHITE
from kifu_core.shogi.squares import BY_JAPANESE, BY_USI, RANK_KANJI, USI

LONGEST: Final = 1000
"""Characters of a text."""
MOST_STEPS: Final = 8
MOST: Final = 999
"""The largest number."""
QUOTED_LENGTH: Final = 40
"""Characters of a fault that errors show."""

_WORD: Final = re.compile(japanese.WORD)
_PLACED: Final = re.compile(r"(!?)(\{[^{}]*\}|\+?[A-Za-z]|-)([0-9]\S*)")
_OPENED: Final = re.compile(r"!?(\{[^{}]*)")
_SQUARE_BEGUN: Final = re.compile(f"(?:[1-9][a-i1-9{RANK_KANJI}]?)?")
_IN_JAPANESE: Final = re.compile(
    "|".join((japanese.KEPT, japanese.THEN, japanese.PLACED, japanese.ALLOWED, japanese.SPAN))
)
_THEN: Final = re.compile(r"then(?:<=([0-9]+))?")
_THEN_BEGUN: Final = re.compile(r"then(?:<(?:=[0-9]*)?)?")
_COUNTED: Final = re.compile(r"(\+?[A-Za-z])(?:(>=|<=|=)([0-9]+))?")
_COUNT_BEGUN: Final = re.compile(r"\+?[A-Za-z](?:(?:>=|<=|=)[0-9]*|[<>])?")
_NAMED: Final = re.compile(japanese.NAMED)
_SIGNED: Final = re.compile("(?:>=|<=|=|[<>])?")
_NOTHING: Final = re.compile("")
_IN_WORDS: Final = re.compile(japanese.COUNTED)
_COMMA: Final = re.compile("[,、]")
_RANGE: Final = re.compile(f"([0-9]*)({japanese.TO})?([0-9]*)")
_RANGE_BEGUN: Final = re.compile(r"[0-9]*(?:(?:\.\.|[〜~])[0-9]*|\.)?")
_DIGITS: Final = re.compile("[0-9]*")

PIECES: Final = {
    text: sign * value
    for letter, value in BY_LETTER.items()
    for text, sign in ((letter, 1), (letter.lower(), -1))
}
"""Signed pieces by their names in patterns."""
_CONTENTS: Final = {
    **{text: 1 << content(piece) for text, piece in PIECES.items()},
    "X": OWN,
    "x": ENEMY,
    "-": EMPTY,
}
_OWNERS: Final = {"black": BLACK, "white": WHITE}
_PLIES: Final = "20, 10.., ..60, 10..60"
_NUMBERS: Final = f"0..{MOST}"
_THENS: Final = "then, then<=20"
_PIECES: Final = ("G, s, +P, X, x, -", "金、△銀、と")
_COUNTS: Final = ("B, P>=3, r=0", "角、歩3、△飛なし")
"""Examples of list items, in letters and in Japanese."""


def parse(text: str) -> Pattern:
    """Return the pattern of a text.

    Raises ParseError, with the column: `pattern-long`, `pattern-nothing`, `pattern-steps`, `pattern-item`,
    `pattern-open`, `pattern-empty`, `pattern-pieces`, `pattern-square`, `pattern-counts`, `pattern-value`,
    `pattern-twice`, `pattern-never`.
    """
    if len(text) > LONGEST:
        raise ParseError("pattern-long", column=LONGEST + 1, params={"limit": LONGEST})
    return _PatternParser(text).pattern()


class _PatternParser:
    """Parses one text: the steps so far, the current step, and the options of the pattern."""

    def __init__(self, text: str) -> None:
        self.plain, self.columns = _plain(text)
        self.steps: list[PatternStep] = []
        self.gaps: list[int | None] = []
        self.pattern_options: dict[str, Any] = {}
        self._begin()

    def _begin(self) -> None:
        self.squares: dict[int, int] = {}
        self.conditions: dict[str, Any] = {}

    def pattern(self) -> Pattern:
        for word in _WORD.finditer(self.plain):
            rest = word.start()
            while match := _IN_JAPANESE.match(self.plain, rest, word.end()):
                self._set_place(rest)
                self._read_japanese(match)
                rest = match.end()
            if rest < word.end():
                self._set_place(rest)
                text = self.plain[rest : word.end()]
                self._word(japanese.WORDS.get(text, text), word.end())
        self._set_place(len(self.plain))
        self._end_step()
        return Pattern(tuple(self.steps), tuple(self.gaps), **self.pattern_options)

    def _set_place(self, place: int) -> None:
        """Set the place that errors name by default."""
        self.place = place

    def _read_japanese(self, match: re.Match[str]) -> None:
        kept, _within, _next, enemy, square, name, other, other_square, negated, pieces, last_square = (
            match.groups()[:11]
        )
        if kept:
            self._set_conditions({"kept": self._number(kept, match.start(1))}, match[0])
        elif pieces:
            self._allow(match, 10, last_square, match.start(11), negated=bool(negated))
        elif name or other:
            piece = BY_NAME[name or other]
            allowed = 1 << content(-piece if enemy else piece)
            self._place(allowed, square or other_square, match.start(5 if square else 8))
        elif any(match.groups()[11:]):
            self._span(match)
        else:
            self._then(match[0], match[2] or match[3], match.start(2 if match[2] else 3))

    def _span(self, match: re.Match[str]) -> None:
        first, last, one, onward, until = match.groups()[11:]
        plies: dict[str, int] = {}
        if first or (one and not until):
            plies["first"] = self._number(first or one, match.start(12 if first else 14))
        if last or (one and not onward):
            plies["last"] = self._number(last or one, match.start(13 if last else 14))
        self._set_conditions(plies, match[0])
        least, most = self.conditions.get("first"), self.conditions.get("last")
        if least is not None and most is not None and most < least:
            self._fail("pattern-never", match.start(13) if last else None, text=match[0])

    def _set_conditions(self, values: dict[str, int], text: str) -> None:
        """Set conditions of a step; each may be set once."""
        if values.keys() & self.conditions.keys():
            self._fail("pattern-twice", text=text)
        self.conditions.update(values)

    def _word(self, text: str, end: int) -> None:
        """Read a word, or the rest of one, up to `end`; `text` is the word in Latin letters."""
        if then := _THEN.fullmatch(text):
            self._then(text, then[1], self.place + then.start(1))
        elif text.startswith("then"):
            at = self._after(_THEN_BEGUN, end)
            if text.endswith("<="):
                self._fail("pattern-empty", at, text=text, values=f"1..{MOST}")
            self._fail("pattern-value", at, text=text, values=_THENS)
        elif placed := _PLACED.fullmatch(self.plain, self.place, end):
            self._allow(placed, 2, placed[3], placed.start(3), negated=bool(placed[1]))
        elif opened := _OPENED.fullmatch(self.plain, self.place, end):
            self._fail("pattern-open", opened.start(1), text=text)
        else:
            self._option(text, end)

    def _after(self, prefix: re.Pattern[str], end: int) -> int:
        """Return the offset where the text ceases to be a valid beginning."""
        match = prefix.match(self.plain, self.place, end)
        return match.end() if match else self.place

    def _then(self, text: str, within: str | None, at: int) -> None:
        """Begin the next step; the number `within` begins at offset `at`."""
        self._end_step()
        if len(self.steps) == MOST_STEPS:
            self._fail("pattern-steps", limit=MOST_STEPS)
        if within is None:
            self.gaps.append(None)
        elif gap := self._number(within, at):
            self.gaps.append(gap)
        else:  # A following step matches later than the one before.
            self._fail("pattern-never", at, text=text)

    def _end_step(self) -> None:
        if not (self.squares or self.conditions):
            self._fail("pattern-nothing")
        self.steps.append(PatternStep(self.squares, **self.conditions))
        self._begin()

    def _allow(self, match: re.Match[str], pieces: int, square: str, at: int, *, negated: bool) -> None:
        """Read the pieces that a square may hold, or must not if `negated`; the square begins at `at`."""
        place, allowed = match.start(pieces), 0
        listed = match[pieces].startswith("{")
        for name in _COMMA.split(match[pieces].strip("{}")):
            place += listed
            if not name:
                values = _PIECES[not (match[pieces] + square).isascii()]
                self._fail("pattern-empty", place, text=self.plain[place - 1], values=values)
            allowed |= self._content(name, place)
            place += len(name)
        self._place(ANYTHING & ~allowed if negated else allowed, square, at)

    def _place(self, allowed: int, square: str, at: int) -> None:
        place = BY_USI.get(square, BY_JAPANESE.get(square))
        if place is None:
            prefix = _SQUARE_BEGUN.match(square)
            self._fail("pattern-square", at + (prefix.end() if prefix else 0), text=square)
        both = self.squares.get(place, ANYTHING) & allowed
        if not both:
            self._fail("pattern-never", at, text=square)
        self.squares[place] = both

    def _content(self, name: str, at: int) -> int:
        if match := _NAMED.fullmatch(name):
            return 1 << content(-BY_NAME[match[2]] if match[1] else BY_NAME[match[2]])
        return _CONTENTS.get(name) or self._fail("pattern-pieces", at, text=name)

    def _option(self, text: str, end: int) -> None:
        called, colon, value = text.partition(":")
        name = japanese.OPTIONS.get(called, called)
        if not colon or name not in _OPTIONS:
            self._fail("pattern-item", text=text)
        options, read = _OPTIONS[name]
        target = self.pattern_options if name in _PATTERN_OPTIONS else self.conditions
        if target.keys() & {*options}:
            self._fail("pattern-twice", text=called)
        self._set_place(end - len(value))
        if not value:
            self._fail("pattern-empty", text=text, values=_VALUES[name][not called.isascii()])
        target.update(zip(options, read(self, value), strict=True))

    def _counts(self, value: str, kinds: Container[int]) -> tuple[PieceCount, ...]:
        counts: dict[int, PieceCount] = {}
        for item in _COMMA.split(value):
            if not item:
                values = _COUNTS[not value.isascii()]
                self._fail("pattern-empty", text=self.plain[self.place - 1], values=values)
            for text, count in self._read_counts(item):
                if abs(count.piece) not in kinds:
                    self._fail("pattern-counts", text=text)
                both = counts[count.piece] = _both(counts.get(count.piece, PieceCount(count.piece)), count)
                if both.most is not None and both.most < both.least:
                    self._fail("pattern-never", text=text)
                self._set_place(self.place + len(text))
            self._set_place(min(self.place + 1, len(self.plain)))
        return tuple(sorted(counts.values()))

    def _read_counts(self, item: str) -> Iterator[tuple[str, PieceCount]]:
        """Yield the counts of an item of a list with their texts: one in letters, or several in Japanese."""
        read = _COUNTED.fullmatch(item)
        if read and read[1] in PIECES:
            number = self._number(read[3] or "1", self.place + max(0, read.start(3)))
            yield item, self._count(PIECES[read[1]], read[2] or ">=", number)
            return
        rest = 0
        while read := _IN_WORDS.match(item, rest):
            yield read[0], self._count_in_words(read, self.place)
            rest = read.end()
        if rest < len(item):
            self._fail_in_count(item, rest)

    def _fail_in_count(self, item: str, rest: int) -> NoReturn:
        """Fail at the first character of an item that is no part of a count."""
        letter = item[: 1 + item.startswith("+")] in PIECES
        prefix = (_SIGNED if rest else _COUNT_BEGUN if letter else _NOTHING).match(item, rest)
        end = prefix.end() if prefix else rest
        if end == len(item) and item.endswith("="):
            self._fail("pattern-empty", self.place + end - rest, text=item, values=_NUMBERS)
        self._fail("pattern-counts", self.place + end - rest, text=item[rest:])

    def _count_in_words(self, read: re.Match[str], place: int) -> PieceCount:
        enemy, name, sign, digits, none, least, most, number, word = read.groups()
        piece, begin = -BY_NAME[name] if enemy else BY_NAME[name], place - read.start()
        if none:
            return PieceCount(piece, 0, 0)
        if least:
            ends = (self._number(least, begin + read.start(6)), self._number(most, begin + read.start(7)))
            return PieceCount(piece, *ends)
        many = digits or number or "1"
        at = begin + max(read.start(4), read.start(8), 0)
        count = japanese.NUMERALS.get(many) or self._number(many, at)
        return self._count(piece, sign or japanese.SIGNS.get(word, ">="), count)

    @staticmethod
    def _count(piece: int, sign: str, number: int) -> PieceCount:
        return PieceCount(piece, 0 if sign == "<=" else number, None if sign == ">=" else number)

    def _hands(self, value: str) -> tuple[tuple[PieceCount, ...]]:
        return (self._counts(value, HAND_KINDS),)

    def _board(self, value: str) -> tuple[tuple[PieceCount, ...]]:
        return (self._counts(value, BY_LETTER.values()),)

    def _one_of(self, values: dict[str, Any], value: str) -> tuple[Any]:
        name = japanese.VALUES.get(value, value)
        if name not in values:
            self._fail("pattern-value", text=value, values=", ".join(values))
        return (values[name],)

    def _plies(self, value: str) -> tuple[int | None, int | None]:
        read, place = _RANGE.fullmatch(value), self.place
        if read is None or not (read[1] or read[3]):
            at = self._after(_RANGE_BEGUN, place + len(value))
            self._fail("pattern-value", at, text=value, values=_PLIES)
        first = self._number(read[1], place) if read[1] else None
        last = (self._number(read[3], place + read.start(3)) if read[3] else None) if read[2] else first
        if first is not None and last is not None and last < first:
            self._fail("pattern-never", place + read.start(3), text=value)
        return first, last

    def _kept(self, value: str) -> tuple[int]:
        end = self.place + len(value)
        if (wrong := self._after(_DIGITS, end)) < end:
            self._fail("pattern-value", wrong, text=value, values=_NUMBERS)
        return (self._number(value, self.place),)

    def _number(self, digits: str, at: int) -> int:
        number = int(digits)
        if number > MOST:
            self._fail("pattern-value", at, text=digits, values=_NUMBERS)
        return number

    def _fail(self, code: str, at: int | None = None, **params: str | int) -> NoReturn:
        """Raise ParseError at an offset, by default at the current place."""
        shown = {
            name: value[:QUOTED_LENGTH] if isinstance(value, str) else value for name, value in params.items()
        }
        column = self.columns[self.place if at is None else at]
        raise ParseError(code, column=column, params=shown)


_OptionParser = Callable[[_PatternParser, str], tuple[Any, ...]]
_OPTIONS: Final[dict[str, tuple[tuple[str, ...], _OptionParser]]] = {
    "hand": (("hands",), _PatternParser._hands),
    "board": (("board",), _PatternParser._board),
    "turn": (("own_turn",), lambda reader, value: reader._one_of({"own": True, "enemy": False}, value)),
    "ply": (("first", "last"), _PatternParser._plies),
    "kept": (("kept",), _PatternParser._kept),
    "own": (("own",), lambda reader, value: reader._one_of(_OWNERS, value)),
    "mirror": (("mirrored",), lambda reader, value: reader._one_of({"yes": True, "no": False}, value)),
    "line": (("main",), lambda reader, value: reader._one_of({"main": True, "all": False}, value)),
}
_VALUES: Final = {
    "hand": _COUNTS,
    "board": _COUNTS,
    "turn": ("own, enemy", "自分, 相手"),
    "ply": (_PLIES,) * 2,
    "kept": (_NUMBERS,) * 2,
    "own": ("black, white",) * 2,
    "mirror": ("yes, no",) * 2,
    "line": ("main, all",) * 2,
}
"""Examples of the values of options."""
_PATTERN_OPTIONS: Final = frozenset({"own", "mirror", "line"})
"""Options of the whole pattern."""


def _plain(text: str) -> tuple[str, list[int]]:
    """Return a text in half-width characters, and the column of each character and of the end."""
    plain, columns = [], []
    for column, character in enumerate(text, 1):
        narrow = unicodedata.normalize("NFKC", character)
        plain.append(narrow)
        columns += [column] * len(narrow)
    return "".join(plain), [*columns, len(text) + 1]


def _both(one: PieceCount, other: PieceCount) -> PieceCount:
    most = [limit for limit in (one.most, other.most) if limit is not None]
    return PieceCount(one.piece, max(one.least, other.least), min(most, default=None))


def text_of(pattern: Pattern) -> str:
    """Return the text of a pattern in canonical order: `parse` returns an equal pattern."""
    parts = [*_step_words(pattern.steps[0])]
    for step, gap in zip(pattern.steps[1:], pattern.gaps, strict=True):
        parts += ["then" if gap is None else f"then<={gap}", *_step_words(step)]
    if pattern.own is not None:
        parts.append(f"own:{'white' if pattern.own else 'black'}")
    parts += ["mirror:yes"] * pattern.mirrored + ["line:main"] * pattern.main
    return " ".join(parts)


def _step_words(step: PatternStep) -> Iterator[str]:
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
    """Return the contents of a square in the fewest names, and whether they are the excluded ones.

    Names are letters of pieces, lower case for the enemy's, `X` and `x` for any piece of a side, `-` for an
    empty square. The flag comes first.
    """
    names, others = _names(allowed), _names(ANYTHING & ~allowed)
    negated = bool(others) and len(others) < len(names)
    return negated, others if negated else names


def _contents(allowed: int) -> str:
    negated, shorter = contents(allowed)
    return "!" * negated + (shorter[0] if len(shorter) == 1 else f"{{{','.join(shorter)}}}")


def _names(allowed: int) -> list[str]:
    names = []
    for name, side in (("X", OWN), ("x", ENEMY)):
        if allowed & side == side:
            names.append(name)
            allowed &= ~side
    return names + [name for name, bits in _CONTENTS.items() if name not in "Xx" and allowed & bits]


def _count_words(count: PieceCount) -> Iterator[str]:
    letter = LETTERS[count.piece] if count.piece > 0 else LETTERS[-count.piece].lower()
    if count.least == count.most:
        yield f"{letter}={count.least}"
        return
    if count.least or count.most is None:
        yield letter if count.least == 1 and count.most is None else f"{letter}>={count.least}"
    if count.most is not None:
        yield f"{letter}<={count.most}"


def _plies_text(first: int | None, last: int | None) -> str:
    if first == last:
        return str(first)
    return f"{'' if first is None else first}..{'' if last is None else last}"
