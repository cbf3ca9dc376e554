"""Grammar rules as trees, and the trees as EBNF text and as railroad diagrams.

The trees are read off the regular expressions that run, so that what is shown is what is done. The EBNF is
the notation of the XML specification (https://www.w3.org/TR/xml/#sec-notation): `?`, `*`, `+` behind what is
repeated, character classes in brackets, `#xA` for a character that cannot be shown, `-` before what must not
follow.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]  # no stubs; the same in every Python since 3.11
import re._parser as sre_parser  # type: ignore[import-not-found]
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they stand."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One of a class of characters, as EBNF writes the class."""

    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Another rule, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """One after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first that fits."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Several times; `most` None is any number."""

    part: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Not:
    """What must not follow."""

    part: Node


Node = Text | Chars | Rule | Row | Choice | Repeat | Not

# --- from expressions ------------------------------------------------------------------------------------

_FIRST_MARK: Final = 0xF0000
"""Characters from here on stand for rules while an expression is taken apart; no text has them."""

_CATEGORIES: Final = {
    sre.CATEGORY_DIGIT: "0-9",
    sre.CATEGORY_SPACE: "#x20#x9-#xD",
    sre.CATEGORY_NOT_SPACE: "^#x20#x9-#xD",
}


def tree(pattern: str, rules: Mapping[str, str]) -> Node:
    """The tree of an expression, in which the expressions of other rules are shown by their names."""
    names = sorted(rules, key=lambda name: -len(rules[name]))
    for number, name in enumerate(names):
        if rules[name] != pattern:
            pattern = pattern.replace(rules[name], chr(_FIRST_MARK + number))
    marks = {chr(_FIRST_MARK + number): name for number, name in enumerate(names)}
    return _joined([_node(code, argument, marks) for code, argument in _parsed(pattern)])


def _parsed(pattern: str) -> Sequence[tuple[Any, Any]]:
    parsed: Sequence[tuple[Any, Any]] = list(sre_parser.parse(pattern))
    return parsed


def _node(code: Any, argument: Any, marks: Mapping[str, str]) -> Node | None:
    """The tree of one operation; None for a place, which takes no characters."""
    if code is sre.LITERAL:
        char = chr(argument)
        return Rule(marks[char]) if char in marks else Text(char)
    if code is sre.NOT_LITERAL:
        return Chars(f"[^{_shown(argument)}]")
    if code is sre.ANY:
        return Chars("[^#xA]")
    if code is sre.IN:
        return _class(argument, marks)
    if code is sre.BRANCH:
        return Choice(tuple(_several(branch, marks) for branch in argument[1]))
    if code is sre.SUBPATTERN:
        return _several(argument[3], marks)
    if code is sre.ATOMIC_GROUP:
        return _several(argument, marks)
    if code in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, part = argument
        return Repeat(_several(part, marks), least, None if most is sre.MAXREPEAT else most)
    if code in (sre.ASSERT_NOT, sre.ASSERT):
        part = _several(argument[1], marks)
        return Not(part) if code is sre.ASSERT_NOT else None
    if code is sre.AT:
        return Rule("end_of_text") if argument is sre.AT_END_STRING else None
    raise ValueError(f"no EBNF for {code}")


def _class(members: Sequence[tuple[Any, Any]], marks: Mapping[str, str]) -> Node:
    """A class of characters; alternatives of one mark each have become one."""
    rules = [Rule(marks[chr(char)]) for code, char in members if code is sre.LITERAL and chr(char) in marks]
    others = [(code, char) for code, char in members if code is not sre.LITERAL or chr(char) not in marks]
    if not rules:
        return Chars("[" + "".join(_member(*member) for member in members) + "]")
    return Choice((*rules, _class(others, {}))) if others else Choice(tuple(rules))


def _several(parts: Any, marks: Mapping[str, str]) -> Node:
    return _joined([_node(code, argument, marks) for code, argument in parts])


def _joined(nodes: Sequence[Node | None]) -> Node:
    """Nodes one after the other; characters that stand together become one text."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Text) and found and isinstance(found[-1], Text):
            found[-1] = Text(found[-1].text + node.text)
        elif isinstance(node, Row):
            found += node.parts
        elif node is not None:
            found.append(node)
    return found[0] if len(found) == 1 else Row(tuple(found))


def _member(code: Any, argument: Any) -> str:
    if code is sre.NEGATE:
        return "^"
    if code is sre.RANGE:
        return f"{_shown(argument[0])}-{_shown(argument[1])}"
    if code is sre.CATEGORY:
        return _CATEGORIES[argument]
    return _shown(argument)


def _shown(code: int) -> str:
    """A character; those that cannot be seen or mean something in a class by their number."""
    char = chr(code)
    return f"#x{code:X}" if char.isspace() or not char.isprintable() or char in "[]^-#" else char


# --- EBNF ------------------------------------------------------------------------------------------------


def ebnf(node: Node) -> str:
    """A tree as EBNF."""
    if isinstance(node, Text):
        return _quoted(node.text)
    if isinstance(node, Chars):
        return node.text
    if isinstance(node, Rule):
        return node.name
    if isinstance(node, Row):
        return " ".join(_grouped(part) if isinstance(part, Choice) else ebnf(part) for part in node.parts)
    if isinstance(node, Choice):
        return " | ".join(ebnf(part) or "nothing" for part in node.parts)
    if isinstance(node, Not):
        return f"-{_grouped(node.part)}"
    return _grouped(node.part) + count_mark(node)


def _grouped(node: Node) -> str:
    single = isinstance(node, Text | Chars | Rule)
    return ebnf(node) if single else f"({ebnf(node)})"


def count_mark(node: Repeat) -> str:
    """`?`, `*` and `+`; other limits stand behind them in a comment."""
    if node.most == 1 and node.least == 0:
        return "?"
    mark = "+" if node.least else "*"
    if node.least == node.most:
        return f"{mark} /* {node.least} */"
    if node.most is not None:
        return f"{mark} /* {node.least} to {node.most} */"
    return mark if node.least < 2 else f"{mark} /* {node.least} or more */"


def _quoted(text: str) -> str:
    """A text in quotes; what cannot be seen stands outside them by its number."""
    parts: list[str] = []
    for char in text:
        if char.isspace() and char != " ":
            parts.append(f"#x{ord(char):X}")
        elif parts and parts[-1].startswith('"'):
            parts[-1] = parts[-1][:-1] + char + '"'
        else:
            parts.append(f'"{char}"' if char != '"' else "'\"'")
    return " ".join(parts)


# --- railroads -------------------------------------------------------------------------------------------

_GAP: Final = 14
_LINE: Final = 30
_STYLE: Final = (
    "text{font:13px ui-monospace,monospace;fill:#222}rect{fill:#fff;stroke:#667}"
    "rect.rule{fill:#eef2ff}path{fill:none;stroke:#667}text.name{font-weight:bold}svg{background:#fff}"
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A part of a diagram: its SVG, entered at (0, 0), its width, and the room below that line."""

    svg: str
    width: int
    depth: int


def _moved(drawing: Drawing, x: int, y: int) -> str:
    return f'<g transform="translate({x},{y})">{drawing.svg}</g>'


def _columns(text: str) -> int:
    """The width of a text in a monospaced font, in pixels."""
    return sum(8 if char < "\u2e80" else 14 for char in text)


def _box(text: str, kind: str) -> Drawing:
    width = _columns(text) + 16
    shape = (
        f'<rect class="{kind}" x="0" y="-11" width="{width}" height="22" rx="{0 if kind == "rule" else 8}"/>'
    )
    return Drawing(f'{shape}<text x="8" y="5">{escape(text)}</text>', width, 12)


def draw(node: Node) -> Drawing:
    """A tree as a part of a railroad diagram."""
    if isinstance(node, Row):
        return _in_a_row([draw(part) for part in node.parts])
    if isinstance(node, Choice):
        return _stacked([draw(part) for part in node.parts])
    if isinstance(node, Repeat):
        return _repeated(node)
    if isinstance(node, Not):
        return _box(f"not {ebnf(node.part)}", "not")
    return _box(ebnf(node), "rule" if isinstance(node, Rule) else "text")


def _in_a_row(parts: Sequence[Drawing]) -> Drawing:
    svg, x, depth = "", 0, 12
    for number, part in enumerate(parts):
        if number:
            svg += f'<path d="M{x} 0h{_GAP}"/>'
            x += _GAP
        svg += _moved(part, x, 0)
        x += part.width
        depth = max(depth, part.depth)
    return Drawing(svg or f'<path d="M0 0h{_GAP}"/>', x or _GAP, depth)


def _stacked(parts: Sequence[Drawing]) -> Drawing:
    """Alternatives one below the other."""
    widest = max(part.width for part in parts)
    svg, y = "", 0
    for part in parts:
        end = _GAP + part.width
        svg += f'<path d="M0 0v{y}h{_GAP}M{end} {y}h{widest + 2 * _GAP - end}V0"/>' + _moved(part, _GAP, y)
        y += max(part.depth + _GAP + 2, _LINE)
    return Drawing(svg, widest + 2 * _GAP, y - _GAP)


def _repeated(node: Repeat) -> Drawing:
    """A loop back below, with the limits where there are any, and a way past where nothing is needed."""
    part = draw(node.part)
    if node.most != 1:
        mark = count_mark(node).lstrip("*+").strip(" /*")
        label = f'<text x="{_GAP}" y="{part.depth + 20}">{escape(mark)}</text>' if mark else ""
        width, y = max(part.width, _columns(mark)) + 2 * _GAP, part.depth + 6
        loop = f'<path d="M0 0h{_GAP}M{_GAP + part.width} 0H{width}M{width} 0v{y}H0V0"/>'
        part = Drawing(loop + _moved(part, _GAP, 0) + label, width, y + (18 if mark else 4))
    return _stacked([Drawing(f'<path d="M0 0h{_GAP}"/>', _GAP, 2), part]) if node.least == 0 else part


def railroads(rules: Mapping[str, Node]) -> str:
    """All rules of a grammar as one SVG picture, one diagram below the other."""
    body, y, widest = "", 0, 0
    for name, node in rules.items():
        drawing = draw(node)
        y += 22
        body += f'<text class="name" x="8" y="{y}">{escape(name)}</text>'
        y += 24
        body += f'<path d="M8 {y}h{_GAP}M{22 + drawing.width} {y}h{_GAP}"/>' + _moved(drawing, 22, y)
        y += drawing.depth + 12
        widest = max(widest, drawing.width)
    size = f'width="{widest + 50}" height="{y + 10}" viewBox="0 0 {widest + 50} {y + 10}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>{body}</svg>\n'
