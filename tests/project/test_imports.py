"""The layers of the code: which package may import which, and no import circle anywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

LAYERS = (
    "kifu_core front_server",
    "kifu_core.shogi kifu_core.quoridor",
    "kifu_core.games",
    "kifu_core.names",
    "project.broker project.disk project.env project.garbage_collection project.queues project.reading "
    "project.site_address names observing.logs caching.entity_tags http.routes",
    "models observing.sentry project.celery project.startup",
    "accounts index columns",
    "caching derive",
    "store queries",
    "http.limits observing",
    "caching.responses export hooks intake libraries project.checks",
    "dumps",
    "api",
    "backup http serving",
    "web",
    "admin management project",
    "apps",
)
"""The layers, lowest first. A package imports from layers below its own only.

The lowest are the front server and the record library (shared code, the games, their registry). Then
come packages of `archive`; a module in the table is apart from its package. Migrations are not checked."""

DOORS = {"store": ("management",), "libraries": ()}
"""Packages of which others import only the names in `__all__`, with the exceptions listed here."""


def modules(package: str) -> dict[str, Path]:
    """The modules of a package by name, without its migrations."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "migrations" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """The modules of our packages that each module imports, at any place in it."""
    every = modules("archive") | modules("kifu_core") | modules("front_server")
    return {
        name: frozenset(found for node in _run(ast.parse(path.read_text())) for found in _named(node, every))
        - {name}
        for name, path in every.items()
    }


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, without what only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _run(node)


def _named(node: ast.AST, every: Mapping[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in every)
    elif isinstance(node, ast.ImportFrom) and node.module in every:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in every else node.module


def layer_name(module: str) -> str:
    """The longest name in the table that contains a module, or the module's package."""
    package, *rest = module.split(".")
    if package == "archive":
        names = [".".join(rest[:length]) for length in range(len(rest), 0, -1)]
        return next((name for name in names if name in LAYER_OF), rest[0] if rest else package)
    if package == "front_server":
        return package
    if not rest or rest == ["__main__"]:
        return "kifu_core.names"
    return f"kifu_core.{rest[0]}" if rest[0] in ("shogi", "quoridor", "games") else package


LAYER_OF = {name: floor for floor, names in enumerate(LAYERS) for name in names.split()}


def test_every_package_is_in_one_layer():
    packages = {layer_name(module) for module in imports()} - {"archive"}
    assert packages == LAYER_OF.keys()
    assert sum(len(names.split()) for names in LAYERS) == len(LAYER_OF)


def test_nothing_is_imported_from_above_or_from_beside():
    arrows = [(one, other) for one, found in imports().items() if one != "archive" for other in found]
    assert arrows
    wrong = [
        f"{one} imports {other}"
        for one, other in arrows
        if layer_name(one) != layer_name(other) and LAYER_OF[layer_name(one)] <= LAYER_OF[layer_name(other)]
    ]
    assert wrong == []


@pytest.mark.parametrize("name", DOORS)
def test_a_package_with_a_door_is_entered_by_it(name):
    inside = f"archive.{name}."
    wrong = [
        f"{one} imports {other}"
        for one, found in imports().items()
        for other in found
        if other.startswith(inside) and layer_name(one) not in (name, *DOORS[name])
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as circle:
        pytest.fail(f"a circle: {' -> '.join(circle.args[1])}")
