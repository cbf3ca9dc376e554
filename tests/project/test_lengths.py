"""Functions of scripts are short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "archive" / "static").rglob("*.js"))
OPENING = re.compile(r"( *)(?!(?:if|for|while|switch|try|else)\b|\})\S.*(?:\)|=>|\}\)) \{")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(script: str) -> Iterator[tuple[str, int]]:
    """The first line of every function of a script and how many lines it has; ours end where they began."""
    lines = script.split("\n")
    for first, line in enumerate(lines):
        if opening := OPENING.fullmatch(line):
            end = f"{opening[1]}}}"
            last = next((at for at in range(first, len(lines)) if lines[at].startswith(end)), first)
            yield line.strip(), last - first + 1


def test_functions_are_seen():
    seen = dict(functions("function a(b) {\n  c.d(() => {\n    e();\n  });\n  if (f) {\n  }\n}\n"))
    assert seen == {"function a(b) {": 7, "c.d(() => {": 3}


@each("script", SCRIPTS, ids=name_of)
def test_functions_of_scripts_have_80_lines(script):
    found = functions(script.read_text(encoding="utf-8"))
    assert [(first, count) for first, count in found if count > 80] == []
