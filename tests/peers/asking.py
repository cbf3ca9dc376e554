"""The peers: other programs that read records, driven as programs of their own.

`KIFU_PEERS` names a folder with `node_modules` (json-kifu-format, tsshogi) and `venv` (python-shogi, cshogi);
CONTRIBUTING.md tells how to make one. What is not there is not asked.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).parent

READS: Final = {
    "json-kifu-format": ("kif", "ki2", "csa", "jkf"),
    "tsshogi": ("kif", "ki2", "csa", "usi", "jkf"),
    "python-shogi": ("kif", "csa", "usi"),
    "cshogi": ("kif", "ki2", "csa", "usi"),
}
"""The peers and the formats they read."""


class Request(NamedTuple):
    """A text to be read by a peer."""

    peer: str
    format: str
    text: str


class Peers:
    """The peers of a folder, as far as they are there."""

    def __init__(self, folder: Path) -> None:
        self.commands: dict[str, list[str]] = {}
        python, node = folder / "venv" / "bin" / "python", shutil.which("node")
        drivers = [[str(python), str(HERE / "read.py")]] if python.is_file() else []
        if node is not None and (folder / "node_modules").is_dir():
            drivers.append([node, str(HERE / "read.cjs"), str(folder)])
        for command in drivers:
            self.commands |= dict.fromkeys(_run(command, [])[0]["peers"], command)

    def ask(self, requests: Iterable[Request]) -> Iterator[dict[str, Any]]:
        """The answers to requests, in their order."""
        asked = list(requests)
        answers: list[dict[str, Any]] = [{}] * len(asked)
        for command in {tuple(command) for command in self.commands.values()}:
            mine = [
                {"id": index, **request._asdict()}
                for index, request in enumerate(asked)
                if tuple(self.commands[request.peer]) == command
            ]
            for answer in _run(list(command), mine)[1:]:
                answers[answer["id"]] = answer
        return iter(answers)


def _run(command: list[str], requests: list[dict[str, Any]]) -> list[Any]:
    text = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def folder() -> Path | None:
    """The folder of the peers, None if there is none."""
    name = os.environ.get("KIFU_PEERS", "")
    return Path(name).resolve() if name else None
