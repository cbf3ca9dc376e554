"""Examples in docstrings and in the guide to the library give the results that stand below them."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

from tests.cases import each
from tools import library
from tools.import_graph import modules

ROOT = Path(__file__).resolve().parents[2]
WITH_EXAMPLES = [
    name
    for package in ("archive", "kifu_core", "front_server", "tools")
    for name, path in modules(package).items()
    if ">>> " in path.read_text(encoding="utf-8")
]


@each("name", ["library.md", "library.ja.md"])
def test_examples_of_the_guide_give_the_results_below_them(name):
    result = doctest.testfile(str(ROOT / "docs" / name), module_relative=False)
    assert result.attempted and not result.failed


def test_the_reference_of_the_library_is_up_to_date():
    """Otherwise: `python -m tools.library`."""
    assert library.PAGE.read_text(encoding="utf-8") == library.reference()


@each("name", WITH_EXAMPLES)
def test_examples_give_the_results_below_them(name):
    result = doctest.testmod(import_module(name))
    assert result.attempted and not result.failed
