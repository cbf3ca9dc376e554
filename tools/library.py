"""Writes docs/library-reference.md from the docstrings of the library's public names.

python -m tools.library
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import kifu_core

PAGE: Final = Path(__file__).parent.parent / "docs" / "library-reference.md"
_HEAD: Final = """# Reference of kifu_core

The names of `kifu_core`, made from their docstrings by `python -m tools.library`.
The [guide](library.md) shows them in use. Errors are `KifuError` or one of its subclasses,
which `kifu_core.errors` lists; their codes are stable.
"""


def reference() -> str:
    """Return the page."""
    sections = [_HEAD, *(_section(name) for name in sorted(kifu_core.__all__, key=str.lower))]
    return "\n".join(sections)


def _section(name: str) -> str:
    value = getattr(kifu_core, name)
    if inspect.ismodule(value):
        members = [f"- `{name}.{one}{_signature(each)}`: {_first(each)}" for one, each in _functions(value)]
        return "\n".join([f"## {name}", "", _text(value), "", *members, ""])
    if not inspect.isclass(value):
        code = f"```python\n{name}{_signature(value)}\n```"
        return "\n".join([f"## {name}", "", code, "", _text(value), ""])
    parts = [f"## {name}", "", f"```python\n{name}{_signature(value)}\n```", "", _text(value), ""]
    for member, one in _members(value):
        parts += [f"### {name}.{member}{_signature(one)}", "", _text(one), ""]
    return "\n".join(parts)


def _functions(module: Any) -> Iterator[tuple[str, Any]]:
    for name, one in vars(module).items():
        if inspect.isfunction(one) and one.__module__ == module.__name__ and not name.startswith("_"):
            yield name, one


def _members(of_class: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties with a docstring, in the order of the source."""
    for name, one in vars(of_class).items():
        function = one.__func__ if isinstance(one, classmethod) else one
        is_member = isinstance(one, property) or inspect.isfunction(function)
        if is_member and not name.startswith("_") and inspect.getdoc(function):
            yield name, function


def _signature(value: Any) -> str:
    if isinstance(value, property):
        return ""
    try:
        signature = inspect.signature(value)
    except ValueError:  # a subclass of a builtin type
        return ""
    parameters = [
        one.replace(annotation=_Plain(one.annotation))
        for name, one in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    result = signature.return_annotation
    if result is not inspect.Signature.empty:
        result = _Plain(result)
    return str(signature.replace(parameters=parameters, return_annotation=result))


class _Plain(str):
    """An annotation that a signature shows without quotation marks."""

    def __new__(cls, annotation: Any) -> _Plain:
        text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        text = re.sub(r"ForwardRef\((['\"])(.*?)\1\)", r"\2", text)
        return super().__new__(cls, re.sub(r"\b(?:typing|collections\.abc|kifu_core(?:\.\w+)*)\.", "", text))

    def __repr__(self) -> str:
        return str(self)


def _first(value: Any) -> str:
    return (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")


def _text(value: Any) -> str:
    """Return a docstring with its examples as code."""
    lines, code = list[str](), False
    for line in (inspect.getdoc(value) or "").splitlines():
        if line.startswith(">>>") and not code:
            lines.append("```python")
            code = True
        elif code and not line.strip():
            lines.append("```")
            code = False
        lines.append(line)
    return "\n".join([*lines, *(["```"] if code else [])])


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
