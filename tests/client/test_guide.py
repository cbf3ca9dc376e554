"""The commands of the guide do what it says: each is run against an archive with the sample games."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.client.conftest import Served
from tests.serving import ROOT

pytestmark = [pytest.mark.worker, pytest.mark.one_engine]

GUIDE: Final = ROOT / "docs" / "api.md"
ADDRESS: Final = "http://localhost:8000"
_TASK: Final = re.compile(r"^## (\d+)\. .*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_SNIPPET: Final = re.compile(
    r"^```(sh|python)\n(.*?)^```\n```(json|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
DOTS: Final = "..."


@dataclass(frozen=True)
class Snippet:
    """What is run, and what is shown of what it says."""

    language: str
    code: str
    kind: str
    shown: str


def tasks() -> dict[int, list[Snippet]]:
    """The snippets of each task."""
    text = GUIDE.read_text(encoding="utf-8")
    return {
        int(one[1]): [Snippet(*found) for found in _SNIPPET.findall(one[0])] for one in _TASK.finditer(text)
    }


def test_there_are_ten_tasks_each_with_something_to_run():
    assert [*tasks()] == [*range(1, 11)] and all(tasks().values())
    assert sum(map(len, tasks().values())) == GUIDE.read_text().count("```sh") + GUIDE.read_text().count(
        "```python"
    )


@pytest.mark.parametrize("number", tasks())
def test_a_task_does_what_it_says(served: Served, number: int):
    for snippet in tasks()[number]:
        said = run(snippet, served).replace(served.archive.url, ADDRESS)
        if snippet.kind == "json":
            assert missing(json.loads(snippet.shown), json.loads(said)) == [], said
        else:
            assert re.fullmatch(pattern(snippet.shown), said.replace("\r\n", "\n"), re.DOTALL), said


def run(snippet: Snippet, served: Served) -> str:
    """Run it as a newcomer would, against this archive."""
    command = {"sh": ["sh", "-ec"], "python": [sys.executable, "-c"]}[snippet.language]
    code = snippet.code.replace(ADDRESS, served.archive.url).replace("curl ", "curl -sS ")
    done = subprocess.run(
        [*command, code], env=os.environ | {"KIFU_TOKEN": served.token}, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def missing(shown: Any, said: Any, at: str = "") -> list[str]:
    """What is shown and not said: dots stand for anything, also for further members."""
    if shown in (DOTS, said):
        return []
    if isinstance(shown, dict) and isinstance(said, dict):
        named = {name: value for name, value in shown.items() if name != DOTS}
        return [
            one
            for name, value in named.items()
            for one in (missing(value, said[name], f"{at}.{name}") if name in said else [f"{at}.{name}"])
        ]
    if isinstance(shown, list) and isinstance(said, list):
        first = shown[:-1] if shown and shown[-1] == DOTS else shown
        if len(first) == len(said) or (len(first) < len(said) and first != shown):
            pairs = enumerate(zip(first, said, strict=False))
            return [one for number, pair in pairs for one in missing(*pair, f"{at}[{number}]")]
    return [f"{at}: {shown!r} is {said!r}"]


def pattern(shown: str) -> str:
    """What is shown as a regular expression: dots stand for anything, blanks at ends of lines for nothing."""
    lines = [re.escape(line.rstrip()).replace(re.escape(DOTS), ".*") for line in shown.splitlines()]
    return r"[ ]*\n".join(lines) + r"\s*"


def test_a_guide_that_says_something_else_is_told():
    assert missing({"a": [1, DOTS], "b": {DOTS: DOTS}}, {"a": [1, 2], "b": {}, "c": 3}) == []
    assert missing({"a": 1, "b": [1]}, {"a": 2, "b": [1, 2]}) == [".a: 1 is 2", ".b: [1] is [1, 2]"]
    assert not re.fullmatch(pattern("a\n...\nd"), "a\nc\n", re.DOTALL)
