"""The record library imports nothing of the archive."""

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


COMPILED = """
import gc, kifu_core
from kifu_core.shogi.formats.grammar import LineGrammar
print(sum("matchers" in vars(grammar) for grammar in gc.get_objects() if isinstance(grammar, LineGrammar)))
kifu_core.load("PI\\n+\\n+7776FU,T1\\n", "csa")
print(sum("matchers" in vars(grammar) for grammar in gc.get_objects() if isinstance(grammar, LineGrammar)))
"""


def printed(program: str) -> list[str]:
    """What a program prints, line by line."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.split("\n")[:-1]


def test_the_library_compiles_a_grammar_when_it_reads_the_first_text_of_its_format():
    assert printed(COMPILED) == ["0", "1"]


def test_the_library_imports_neither_django_nor_the_archive():
    assert printed(PROGRAM) == ["[]"]
