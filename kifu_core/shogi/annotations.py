"""Marks of moves, and circles and arrows on squares, in the comments of a record.

No format of records has a place for them, so they are text in comments, which every format holds
(docs/formats/annotations.md). A mark is a line of its own, `【好手】` as ShogiHome writes it, or a sign such
as `!?` in the first line. Circles and arrows are `[%csl G5e]` and `[%cal R7g7f]`, as lishogi writes them. Any
other form remains text.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple


class Mark(NamedTuple):
    """A judgement of a move: its Japanese word, which identifies it, its sign, and its English name."""

    word: str
    sign: str
    english: str


class Shape(NamedTuple):
    """A circle on a square, or an arrow from it to a `target`. Squares have their USI names."""

    brush: str
    square: str
    target: str = ""

    def __str__(self) -> str:
        return "".join(self)


class Annotations(NamedTuple):
    """The annotations in the comments of a node, and the lines of text without them."""

    mark: Mark | None
    shapes: tuple[Shape, ...]
    lines: Sequence[str]


MARKS: Final = (
    Mark("妙手", "!!", "Brilliant move"),
    Mark("好手", "!", "Good move"),
    Mark("勝負手", "!?", "Daring move"),
    Mark("緩手", "?!", "Slack move"),
    Mark("疑問手", "?", "Questionable move"),
    Mark("悪手", "??", "Bad move"),
    Mark("大悪手", "??", "Blunder"),
)
BRUSHES: Final = "GRBY"
"""The initials of green, red, blue and yellow."""
SHAPES: Final = 100
"""The most shapes of a node. Groups with further ones remain text."""

_BY_LINE: Final = {f"【{mark.word}】": mark for mark in MARKS}
_BY_SIGN: Final = {mark.sign: mark for mark in reversed(MARKS)}
_LONGEST_MARK: Final = max(map(len, _BY_LINE))
_BEGINS: Final = "[%c"
_GROUP: Final = re.compile(r"\[%c(?:(?P<circles>sl)|al)[ \t]+(?P<items>[^\[\]]{1,1000})\][ \t]*")
_SHAPE: Final = re.compile(rf"([{BRUSHES}])([1-9][a-i])((?:[1-9][a-i])?)")
_FULL_WIDTH: Final = str.maketrans("！？", "!?")


def read(comments: Sequence[str]) -> Annotations:
    """Return the annotations in the comments of a node. Linear in their length.

    >>> read(["!", "There is no defence. [%cal G2c2b]"]).lines
    ['There is no defence.']
    """
    mark: Mark | None = None
    shapes: list[Shape] = []
    lines: list[str] = []
    for number, line in enumerate(comments):
        if mark is None and (mark := _mark_of(line, first=not number)):
            continue
        rest = _take_shapes(line, shapes) if _BEGINS in line else line
        if rest or not line:
            lines.append(rest)
    return Annotations(mark, tuple(shapes), lines)


def without_shapes(line: str) -> str:
    """Return a line of a comment without its circles and arrows.

    >>> without_shapes("The bishop looks at 2c. [%cal G8h2b]")
    'The bishop looks at 2c.'
    """
    return _take_shapes(line, []) if _BEGINS in line else line


def write(mark: Mark | None, shapes: Iterable[Shape], lines: Iterable[str]) -> list[str]:
    """Return comments in which `read` finds a mark, shapes and lines of text.

    Shapes come last, in lines short enough for every format.
    """
    circles = [shape for shape in shapes if not shape.target]
    arrows = [shape for shape in shapes if shape.target]
    return [
        *([f"【{mark.word}】"] if mark else []),
        *lines,
        *(_group("csl", part) for part in _parts(circles)),
        *(_group("cal", part) for part in _parts(arrows)),
    ]


_IN_A_LINE: Final = 20


def _parts(shapes: Sequence[Shape]) -> list[Sequence[Shape]]:
    return [shapes[start : start + _IN_A_LINE] for start in range(0, len(shapes), _IN_A_LINE)]


def _group(name: str, shapes: Sequence[Shape]) -> str:
    return f"[%{name} {','.join(map(str, shapes))}]"


def _mark_of(line: str, *, first: bool) -> Mark | None:
    if len(line) > _LONGEST_MARK + 2:
        return None
    text = line.strip()
    return _BY_LINE.get(text) or (_BY_SIGN.get(text.translate(_FULL_WIDTH)) if first else None)


def _take_shapes(line: str, shapes: list[Shape]) -> str:
    """Move the shapes of a line into `shapes`; return the rest of the line."""

    def take(group: re.Match[str]) -> str:
        found = [_SHAPE.fullmatch(item.strip()) for item in group["items"].split(",")]
        new = [Shape(*match.groups()) for match in found if match]
        right = all(bool(shape.target) != bool(group["circles"]) for shape in new)
        distinct = [shape for shape in dict.fromkeys(new) if shape not in shapes]
        if len(new) < len(found) or not right or len(shapes) + len(distinct) > SHAPES:
            return group[0]
        shapes.extend(distinct)
        return ""

    rest = _GROUP.sub(take, line)
    return line if rest == line else rest.rstrip()
