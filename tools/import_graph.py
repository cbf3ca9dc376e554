"""Which modules of this repository each of its modules imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]


def modules(package: str) -> dict[str, Path]:
    """Return the modules of a package by name, without migrations."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "migrations" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(*packages: str) -> Mapping[str, frozenset[str]]:
    """Return the modules of some packages, each with those of them that it imports, at any place in it."""
    every = {name: path for package in packages for name, path in modules(package).items()}
    return {
        name: frozenset(found for node in _run(ast.parse(path.read_text())) for found in _named(node, every))
        - {name}
        for name, path in every.items()
    }


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, without imports that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _run(node)


def _named(node: ast.AST, every: Mapping[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in every)
    elif isinstance(node, ast.ImportFrom) and node.module and node.module in every:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in every else node.module
