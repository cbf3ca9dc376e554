"""The imports between the modules of this repository."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]


def modules(package: str) -> dict[str, Path]:
    """Return the modules of a package by name, without migrations."""
    paths = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "migrations" not in parts:
            paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


def imports(*packages: str) -> Mapping[str, frozenset[str]]:
    """Return the modules of some packages, with those of these modules that each imports, also inside
    functions."""
    paths = {name: path for package in packages for name, path in modules(package).items()}
    return {
        name: frozenset(
            imported for node in _nodes(ast.parse(path.read_text())) for imported in _imported(node, paths)
        )
        - {name}
        for name, path in paths.items()
    }


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, without imports for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _nodes(node)


def _imported(node: ast.AST, paths: Mapping[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in paths)
    elif isinstance(node, ast.ImportFrom) and node.module and node.module in paths:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in paths else node.module
