"""Polite visitors, in a process of their own: `python -m tests.hostile.visitors HOST:PORT LOG PATH...`.

Each asks for the paths in turn, with a connection that is kept, and writes a line for each answer: when it
was asked for (as `time.monotonic` has it), how many seconds it took, the status or 0, the path. They end with
the process that started them.
"""

from __future__ import annotations

import http.client
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

VISITORS = 3
PAUSE_SECONDS = 0.1
PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Served:
    """What visitors saw in a span of time: when each asked, for how many seconds and for what; and what was
    no 200."""

    asked: tuple[tuple[float, float, str], ...]
    unserved: tuple[str, ...]

    @property
    def seconds(self) -> list[float]:
        """Those of each answer."""
        return [seconds for _, seconds, _ in self.asked]

    def late(self, limit: float) -> list[tuple[float, float, str]]:
        """What took longer."""
        return [one for one in self.asked if one[1] > limit]

    def share(self, percent: int) -> float:
        """The time within which so many percent were answered; 0 where nobody asked."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0.0

    def __str__(self) -> str:
        if not self.seconds:
            return "nobody asked"
        median = statistics.median(self.seconds)
        return (
            f"{len(self.seconds)} answers, p50 {median * 1000:.1f} ms, p99 {self.share(99) * 1000:.1f} ms,"
            f" longest {max(self.seconds) * 1000:.0f} ms, not served {len(self.unserved)}"
        )


class Visitors:
    """Starts them, and tells what they saw."""

    def __init__(self, host: str, log: Path, paths: Sequence[str]) -> None:
        self.log = log
        command = [sys.executable, "-m", "tests.hostile.visitors", host, str(log), *paths]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE)

    def between(self, begin: float, end: float) -> Served:
        """What was asked for between two moments."""
        asked, unserved = [], []
        for line in self.log.read_text().splitlines():
            at, took, status, path = line.split(" ", 3)
            if begin <= float(at) < end:
                asked.append((float(at), float(took), path))
                if status != "200":
                    unserved.append(f"{path} ({status})")
        return Served(tuple(asked), tuple(unserved))

    def stop(self) -> None:
        """End them."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(timeout=4 * PATIENCE_SECONDS)


def _visit(host: str, paths: Sequence[str], first: int, log: IO[str], over: threading.Event) -> None:
    connection = http.client.HTTPConnection(host, timeout=PATIENCE_SECONDS)
    turn = first
    while not over.wait(PAUSE_SECONDS):
        path, began, status = paths[turn % len(paths)], time.monotonic(), 0
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            connection.close()
            # A server may close a kept connection at any time: whoever finds it closed asks once more.
            status = _once_more(connection, path)
        except (OSError, http.client.HTTPException):
            connection.close()
        log.write(f"{began:.4f} {time.monotonic() - began:.4f} {status} {path}\n")
        turn += 1


def _once_more(connection: http.client.HTTPConnection, path: str) -> int:
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        connection.close()
        return 0


def main(host: str, log: str, *paths: str) -> None:
    """Visit until standard input ends."""
    over = threading.Event()
    with Path(log).open("a", buffering=1) as output:
        threads = [
            threading.Thread(target=_visit, args=(host, paths, first, output, over))
            for first in range(VISITORS)
        ]
        for thread in threads:
            thread.start()
        while sys.stdin.buffer.read(1):
            pass
        over.set()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
