"""The layers of the code: which package may import which, and no import circle anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tools import import_graph

LAYERS = (
    "kifu_core front_server",
    "kifu_core.shogi kifu_core.quoridor",
    "kifu_core.games",
    "kifu_core.names",
    "project.broker project.browser_engine project.disk project.engine_file project.env "
    "project.garbage_collection project.queues project.reading project.refused project.site_address "
    "names tournaments observing.logs caching.entity_tags http.routes",
    "models observing.sentry project.celery project.startup",
    "accounts index columns",
    "caching derive",
    "shapes",
    "store queries",
    "http.limits observing",
    "caching.responses export hooks intake libraries project.checks",
    "analysis collections curation drafts dumps following problems training",
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


@cache
def imports() -> Mapping[str, frozenset[str]]:
    return import_graph.imports("archive", "kifu_core", "front_server")


def layer_name(module: str) -> str:
    """The longest name in the table that contains a module, or the module's package."""
    package, *rest = module.split(".")
    if package == "archive":
        names = [".".join(rest[:length]) for length in range(len(rest), 0, -1)]
        return next((name for name in names if name in LAYER_OF), rest[0] if rest else package)
    if package == "front_server":
        return package
    if rest in ([], ["__main__"], ["mcp_server"]):
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
