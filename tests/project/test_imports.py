"""Which room of the house may use which: one table, and no circle anywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FLOORS = (
    "kifu_core",
    "kifu_core.shogi kifu_core.quoridor",
    "kifu_core.games",
    "kifu_core.names",
    "character_forms",
    "broker codec disk duck entity_tags env garbage_collection issues logs kana_readings name_scripts "
    "plain_text queues reading search_text site_address upgrading",
    "celery models romaji starting",
    "audit sentry",
    "accounts columns index",
    "derive",
    "store queries",
    "answers limits observing",
    "checks dumps intake libraries hooks",
    "api",
    "backup dumping web",
    "serving",
    "admin settings urls",
    "management wsgi",
    "apps asgi",
)
"""From the ground up: the rooms of a floor use those below it, and none beside them.

First those of the library of records: what all games share, the games, what an archive asks of any of them,
the library's own names. Then packages and modules of `archive`. What migrations use is history."""

DOORS = {"store": ("management",)}
"""Rooms of which others use only what they name themselves (`__all__`), but for those listed here."""


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
    """What each module imports of the archive and of kifu_core, wherever in it that stands."""
    every = modules("archive") | modules("kifu_core")
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


def room(module: str) -> str:
    """The room that a module is in."""
    package, *rest = module.split(".")
    if package == "archive":
        return rest[0] if rest else package
    if not rest or rest == ["__main__"]:
        return "kifu_core.names"
    return f"kifu_core.{rest[0]}" if rest[0] in ("shogi", "quoridor", "games") else package


FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names.split()}


def test_every_room_is_on_one_floor():
    rooms = {room(module) for module in imports()} - {"archive"}
    assert rooms == FLOOR.keys()
    assert sum(len(names.split()) for names in FLOORS) == len(FLOOR)


def test_nothing_is_imported_from_above_or_from_beside():
    arrows = [(one, other) for one, found in imports().items() if one != "archive" for other in found]
    assert arrows
    wrong = [
        f"{one} imports {other}"
        for one, other in arrows
        if room(one) != room(other) and FLOOR[room(one)] <= FLOOR[room(other)]
    ]
    assert wrong == []


@pytest.mark.parametrize("name", DOORS)
def test_a_room_with_a_door_is_entered_by_it(name):
    inside = f"archive.{name}."
    wrong = [
        f"{one} imports {other}"
        for one, found in imports().items()
        for other in found
        if other.startswith(inside) and room(one) not in (name, *DOORS[name])
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as circle:
        pytest.fail(f"a circle: {' -> '.join(circle.args[1])}")
