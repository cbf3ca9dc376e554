"""A volunteer: analyses positions for an archive with an engine of this machine.

    python volunteer.py https://archive.example TOKEN /usr/games/fairy-stockfish [ARGUMENT...]

The token needs the scope `analyse`. Positions that were not sent are given back when it ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0


class Archive:
    """The API of an archive."""

    def __init__(self, address: str, token: str) -> None:
        self.address, self.token = address.rstrip("/"), token

    def post(self, path: str, data: dict[str, Any]) -> dict[str, Any] | None:
        """Return an answer, None for 204. Raises urllib.error.HTTPError."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        address = f"{self.address}/api/v1/analysis/{path}"
        request = urllib.request.Request(address, json.dumps(data).encode(), headers, method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            body = answer.read()
        return json.loads(body) if body else None


class Engine:
    """A USI engine."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        names = [words[2:] for words in self.lines_to("usi", "usiok") if words[:2] == ["id", "name"]]
        self.name = " ".join(names[0])

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        print(line, file=self.process.stdin, flush=True)

    def lines_to(self, command: str, last: str) -> list[list[str]]:
        """Send a command; return the words of the lines before the one that begins with `last`."""
        self.say(command)
        assert self.process.stdout is not None
        lines = list[list[str]]()
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == [last]:
                return lines
            lines.append(words)
        raise SystemExit("the engine has ended")

    def verdict(self, work: dict[str, Any], ply: int) -> dict[str, Any]:
        """Return the verdict on a position of some work."""
        wanted = work["engine"]
        if wanted["version"] not in self.name:
            raise SystemExit(f"the archive wants {wanted['name']} {wanted['version']}, this is {self.name}")
        for name, value in {"Hash": wanted["hash_mb"], "MultiPV": work["lines"], **wanted["options"]}.items():
            self.say(f"setoption name {name} value {str(value).lower() if value in (True, False) else value}")
        self.say("usinewgame")
        self.lines_to("isready", "readyok")
        self.say(f"position sfen {work['position']} moves {' '.join(work['moves'][:ply])}")
        found = dict[str, dict[str, Any]]()
        for words in self.lines_to(f"go nodes {work['nodes']}", "bestmove"):
            if {"score", "pv"} <= {*words} and not {"lowerbound", "upperbound"} & {*words}:
                kind, value = words[words.index("score") + 1 :][:2]
                number = words[words.index("multipv") + 1] if "multipv" in words else "1"
                found[number] = {kind: int(value), "moves": " ".join(words[words.index("pv") + 1 :])}
        lines = dict[str, dict[str, Any]]()
        for number in sorted(found, key=int):
            lines.setdefault(found[number]["moves"].split()[0], found[number])
        return {"ply": ply, "nodes": work["nodes"], "lines": [*lines.values()][: work["lines"]]}


def main(address: str, token: str, *command: str) -> None:
    archive, engine, pause = Archive(address, token), Engine([*command]), FIRST_PAUSE
    work: dict[str, Any] | None = None
    try:
        while True:
            work = work or archive.post("acquire", {})
            if work is None:
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            pause = FIRST_PAUSE
            try:
                for ply in work["plies"]:
                    # One by one, so that nothing is lost. The answer to the last has the next work.
                    answer = archive.post(work["id"], {"verdicts": [engine.verdict(work, ply)]})
                work = answer and answer["work"]
            except urllib.error.HTTPError as error:
                if error.code != 409:  # 409: others have this work now
                    raise
                work = None
    finally:
        if work is not None:
            archive.post(f"{work['id']}/abort", {})
        engine.process.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
