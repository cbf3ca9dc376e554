"""The library as a package of its own: what it needs is what it says it needs."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements):
    return {re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower() for requirement in requirements}


def imported(folder):
    """The packages that the modules of a folder import and that are neither Python's own nor ours."""
    found = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"kifu_core", "archive"}


def test_the_library_needs_what_it_imports_and_no_more():
    faster = {"orjson"}  # used where it is installed; the server installs it
    extras = {name for extra in ("mcp", "7z") for name in names(PROJECT["optional-dependencies"][extra])}
    assert names(PROJECT["dependencies"]) == imported("kifu_core") - faster - extras
    assert faster <= names(PROJECT["optional-dependencies"]["server"])
    assert extras <= imported("kifu_core")


def test_the_server_s_needs_are_an_extra():
    server = names(PROJECT["optional-dependencies"]["server"])
    assert {"django", "celery", "granian"} <= server
    assert not server & names(PROJECT["dependencies"])


def test_the_command_is_named_after_its_function():
    module, _, function = PROJECT["scripts"]["kifu"].partition(":")
    assert (module, function) == ("kifu_core.__main__", "main")
    assert (ROOT / "kifu_core" / "py.typed").exists()
