"""The examples on the page about the command print their results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kifu_core.command import kifu

ROOT = Path(__file__).parents[2]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ kifu (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
EXAMPLES = [
    example
    for block in CONSOLE.findall((ROOT / "docs" / "command.md").read_text(encoding="utf-8"))
    for example in COMMAND.findall(block)
]


@pytest.mark.parametrize(("command", "printed"), EXAMPLES)
def test_an_example_prints_its_result(monkeypatch, command, printed):
    monkeypatch.chdir(ROOT / "tests" / "data")
    output, messages = kifu(*command.split(), code=None)
    assert output.decode() + messages == printed
