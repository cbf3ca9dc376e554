"""Regular expressions as trees, and the trees as EBNF and as railroad diagrams.

The EBNF is the notation of the XML specification (https://www.w3.org/TR/xml/#sec-notation): `?`, `*`, `+`
after a repeated part, character classes in brackets, `#xA` for an invisible character, `-` before a part that
must not follow.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]  # no stubs; the same in every Python since 3.11
import re._parser as sre_parser  # type: ignore[import-not-found]
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Terminal:
    """Literal characters."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """A class of characters, in EBNF."""

    text: str


@dataclass(frozen=True, slots=True)
class RuleName:
    """A reference to another rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """A sequence."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Alternatives, of which the first match counts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repetition; without `most` it has no upper limit."""

    part: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class NotFollowedBy:
    """A part that must not follow."""

    part: Node


Node = Terminal | Chars | RuleName | Row | Alternatives | Repeat | NotFollowedBy

# --- from expressions ------------------------------------------------------------------------------------

_FIRST_MARK: Final = 0xF0000
"""Private-use characters from here on stand for rules while an expression is parsed."""

_CATEGORIES: Final = {
    sre.CATEGORY_DIGIT: "0-9",
    sre.CATEGORY_SPACE: "#x20#x9-#xD",
    sre.CATEGORY_NOT_SPACE: "^#x20#x9-#xD",
}


def tree(pattern: str, rules: Mapping[str, str]) -> Node:
    """Return the tree of an expression; expressions of other rules in it become their names."""
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
    """Return the tree of one operation; None for a lookahead or an anchor."""
    if code is sre.LITERAL:
        char = chr(argument)
        return RuleName(marks[char]) if char in marks else Terminal(char)
    if code is sre.NOT_LITERAL:
        return Chars(f"[^{_shown(argument)}]")
    if code is sre.ANY:
        return Chars("[^#xA]")
    if code is sre.IN:
        return _class(argument, marks)
    if code is sre.BRANCH:
        return Alternatives(tuple(_several(branch, marks) for branch in argument[1]))
    if code is sre.SUBPATTERN:
        return _several(argument[3], marks)
    if code is sre.ATOMIC_GROUP:
        return _several(argument, marks)
    if code in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
        least, most, part = argument
        return Repeat(_several(part, marks), least, None if most is sre.MAXREPEAT else most)
    if code in (sre.ASSERT_NOT, sre.ASSERT):
        part = _several(argument[1], marks)
        return NotFollowedBy(part) if code is sre.ASSERT_NOT else None
    if code is sre.AT:
        return RuleName("end_of_text") if argument is sre.AT_END_STRING else None
    raise ValueError(f"no EBNF for {code}")


def _class(members: Sequence[tuple[Any, Any]], marks: Mapping[str, str]) -> Node:
    """Return a class of characters. `re` has merged alternatives of single marks into classes, too."""
    rules = [
        RuleName(marks[chr(char)]) for code, char in members if code is sre.LITERAL and chr(char) in marks
    ]
    others = [(code, char) for code, char in members if code is not sre.LITERAL or chr(char) not in marks]
    if not rules:
        return Chars("[" + "".join(_member(*member) for member in members) + "]")
    return Alternatives((*rules, _class(others, {}))) if others else Alternatives(tuple(rules))


def _several(parts: Any, marks: Mapping[str, str]) -> Node:
    return _joined([_node(code, argument, marks) for code, argument in parts])


def _joined(nodes: Sequence[Node | None]) -> Node:
    parts: list[Node] = []
    for node in nodes:
        if isinstance(node, Terminal) and parts and isinstance(parts[-1], Terminal):
            parts[-1] = Terminal(parts[-1].text + node.text)
        elif isinstance(node, Row):
            parts += node.parts
        elif node is not None:
            parts.append(node)
    return parts[0] if len(parts) == 1 else Row(tuple(parts))


def _member(code: Any, argument: Any) -> str:
    if code is sre.NEGATE:
        return "^"
    if code is sre.RANGE:
        return f"{_shown(argument[0])}-{_shown(argument[1])}"
    if code is sre.CATEGORY:
        return _CATEGORIES[argument]
    return _shown(argument)


def _shown(code: int) -> str:
    """Return a character; by number if it is invisible or special in a class."""
    char = chr(code)
    return f"#x{code:X}" if char.isspace() or not char.isprintable() or char in "[]^-#" else char


# --- EBNF ------------------------------------------------------------------------------------------------


def ebnf(node: Node) -> str:
    """Return a tree as EBNF."""
    if isinstance(node, Terminal):
        return _quoted(node.text)
    if isinstance(node, Chars):
        return node.text
    if isinstance(node, RuleName):
        return node.name
    if isinstance(node, Row):
        return " ".join(
            _grouped(part) if isinstance(part, Alternatives) else ebnf(part) for part in node.parts
        )
    if isinstance(node, Alternatives):
        return " | ".join(ebnf(part) or "nothing" for part in node.parts)
    if isinstance(node, NotFollowedBy):
        return f"-{_grouped(node.part)}"
    return _grouped(node.part) + count_mark(node)


def _grouped(node: Node) -> str:
    single = isinstance(node, Terminal | Chars | RuleName)
    return ebnf(node) if single else f"({ebnf(node)})"


def count_mark(node: Repeat) -> str:
    """Return `?`, `*` or `+`, with other limits in a comment."""
    if node.most == 1 and node.least == 0:
        return "?"
    mark = "+" if node.least else "*"
    if node.least == node.most:
        return f"{mark} /* {node.least} */"
    if node.most is not None:
        return f"{mark} /* {node.least} to {node.most} */"
    return mark if node.least < 2 else f"{mark} /* {node.least} or more */"


def _quoted(text: str) -> str:
    """Return a text in quotes, with invisible characters outside of them by number."""
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
    """A part of a diagram: its SVG, entered at (0, 0), its width, and the height below that line."""

    svg: str
    width: int
    depth: int


def _moved(drawing: Drawing, x: int, y: int) -> str:
    return f'<g transform="translate({x},{y})">{drawing.svg}</g>'


def _columns(text: str) -> int:
    return sum(8 if char < "\u2e80" else 14 for char in text)


def _box(text: str, kind: str) -> Drawing:
    width = _columns(text) + 16
    shape = (
        f'<rect class="{kind}" x="0" y="-11" width="{width}" height="22" rx="{0 if kind == "rule" else 8}"/>'
    )
    return Drawing(f'{shape}<text x="8" y="5">{escape(text)}</text>', width, 12)


def draw(node: Node) -> Drawing:
    """Return a tree as a part of a railroad diagram."""
    if isinstance(node, Row):
        return _in_a_row([draw(part) for part in node.parts])
    if isinstance(node, Alternatives):
        return _stacked([draw(part) for part in node.parts])
    if isinstance(node, Repeat):
        return _repeated(node)
    if isinstance(node, NotFollowedBy):
        return _box(f"not {ebnf(node.part)}", "not")
    return _box(ebnf(node), "rule" if isinstance(node, RuleName) else "text")


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
    widest = max(part.width for part in parts)
    svg, y = "", 0
    for part in parts:
        end = _GAP + part.width
        svg += f'<path d="M0 0v{y}h{_GAP}M{end} {y}h{widest + 2 * _GAP - end}V0"/>' + _moved(part, _GAP, y)
        y += max(part.depth + _GAP + 2, _LINE)
    return Drawing(svg, widest + 2 * _GAP, y - _GAP)


def _repeated(node: Repeat) -> Drawing:
    """Return a loop with its limits, and a bypass if the part is optional."""
    part = draw(node.part)
    if node.most != 1:
        mark = count_mark(node).lstrip("*+").strip(" /*")
        label = f'<text x="{_GAP}" y="{part.depth + 20}">{escape(mark)}</text>' if mark else ""
        width, y = max(part.width, _columns(mark)) + 2 * _GAP, part.depth + 6
        loop = f'<path d="M0 0h{_GAP}M{_GAP + part.width} 0H{width}M{width} 0v{y}H0V0"/>'
        part = Drawing(loop + _moved(part, _GAP, 0) + label, width, y + (18 if mark else 4))
    return _stacked([Drawing(f'<path d="M0 0h{_GAP}"/>', _GAP, 2), part]) if node.least == 0 else part


def railroads(rules: Mapping[str, Node]) -> str:
    """Return all rules of a grammar as one SVG picture, one diagram below the other."""
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
