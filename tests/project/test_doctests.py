"""Examples in docstrings give the results that stand below them."""

from __future__ import annotations

import doctest
from importlib import import_module

from tests.cases import each
from tools.import_graph import modules

WITH_EXAMPLES = [
    name
    for package in ("archive", "kifu_core", "front_server", "tools")
    for name, path in modules(package).items()
    if ">>> " in path.read_text(encoding="utf-8")
]


@each("name", WITH_EXAMPLES)
def test_examples_give_the_results_below_them(name):
    result = doctest.testmod(import_module(name))
    assert result.attempted and not result.failed
