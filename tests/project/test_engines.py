"""What a run on a second engine leaves out is there, and has a reason."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.engines import BOTH_ENGINES, ONE_ENGINE

ARCHIVE = Path(__file__).resolve().parents[1] / "archive"


def test_every_module_that_is_left_out_is_there_and_so_are_those_that_ask_the_same_queries():
    named = {*ONE_ENGINE, *re.findall(r"`(test_\w+)`", " ".join(ONE_ENGINE.values()))}
    assert [name for name in sorted(named) if not (ARCHIVE / f"{name}.py").exists()] == []


def test_modules_that_ask_for_others_are_not_left_out_themselves():
    named = set(re.findall(r"`(test_\w+)`", " ".join(ONE_ENGINE.values())))
    assert named.isdisjoint(ONE_ENGINE)


def test_tests_that_run_on_both_all_the_same_are_there():
    text = "".join((ARCHIVE / f"{name}.py").read_text() for name in ONE_ENGINE)
    assert [name for name in BOTH_ENGINES if f"def {name}(" not in text] == []


def test_a_test_that_is_left_out_asks_nothing_of_postgresql():
    names = {
        node.name
        for module in ONE_ENGINE
        for node in ast.parse((ARCHIVE / f"{module}.py").read_text()).body
        if isinstance(node, ast.FunctionDef) and "'postgresql'" in ast.unparse(node)
    }
    assert {name for name in names if name.startswith("test_")} <= BOTH_ENGINES
