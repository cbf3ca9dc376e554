"""What people read fits their eyes: lines of templates and documents, functions of scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "archive" / "templates").rglob("*.html"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SCRIPTS = sorted((ROOT / "archive" / "static").rglob("*.js"))

# The grammars are written by a tool, a rule a line.
RULE = re.compile(r"\w+ *::=")
OPENING = re.compile(r"( *)(?!(?:if|for|while|switch|try|else)\b|\})\S.*(?:\)|=>|\}\)) \{")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def longer(path: Path, most: int) -> list[int]:
    """The numbers of the lines that are longer than so many characters."""
    lines = enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
    return [number for number, line in lines if len(line) > most and not RULE.match(line)]


@pytest.mark.parametrize("page", TEMPLATES, ids=name)
def test_lines_of_templates_have_120_columns(page):
    assert longer(page, 120) == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_lines_of_documents_have_160_columns(page):
    assert longer(page, 160) == []


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


@pytest.mark.parametrize("script", SCRIPTS, ids=name)
def test_functions_of_scripts_have_80_lines(script):
    found = functions(script.read_text(encoding="utf-8"))
    assert [(first, count) for first, count in found if count > 80] == []
