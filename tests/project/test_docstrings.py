"""Docstrings of functions are sentences that begin with a verb, not fragments of a question."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ROOMS = ("archive", "front_server", "kifu_core", "tools")

FRAGMENTS = {"What", "Whether", "Where", "How", "Which", "Who", "Whose", "When", "If"}


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_no_docstring_of_a_function_is_a_fragment(room):
    assert modules(room)
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {text.splitlines()[0]}"
        for path in modules(room)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (text := ast.get_docstring(node))
        and text.split()[0] in FRAGMENTS
    ]
    assert wrong == []
