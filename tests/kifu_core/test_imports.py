"""The record library stands alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
import importlib, pkgutil, sys
import kifu_core
for module in pkgutil.walk_packages(kifu_core.__path__, "kifu_core."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"django", "archive", "celery", "psycopg"}))
"""


def test_the_library_loads_no_grammar_before_it_reads_something():
    code = "import kifu_core, sys; print('pyparsing' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"


def test_the_library_imports_neither_django_nor_the_archive():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
