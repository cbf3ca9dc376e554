"""Watches the processes of an archive: their memory, and how long they wait for a processor."""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.serving import processes_of

MIB = 1 << 20
TICK_SECONDS = 0.25
LOOK_FOR_PROCESSES = 4
"""Ticks between looks for new processes."""


def role_of(pid: int) -> str:
    """What a process of the archive does."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if b"archive.serving.child" in words:
            return words[words.index(b"archive.serving.child") + 1].decode()
        return "serve" if b"serve" in words else "other"
    return "gone"


@dataclass
class Watch:
    """Looks four times a second, from `start` to `stop`.

    `peaks` are the most resident bytes of each process as the system has noted them, by role; what a process
    takes and gives back between two looks is in there.
    """

    folder: Path
    peaks: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    times: list[float] = field(default_factory=list)
    waited: list[dict[int, float]] = field(default_factory=list)
    """Seconds that each thread of web processes, and of this one, was ready to run without a processor."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _roles: dict[int, str] = field(default_factory=dict)

    def start(self) -> None:
        """Begin; the processes are there."""
        self._look_for_processes()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look once more and end."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def starved(self, begin: float, end: float) -> float:
        """Seconds between two moments without a processor, of the thread that waited longest for one."""
        if len(self.times) < 2:
            return 0.0
        first = self.waited[max(0, bisect_left(self.times, begin) - 1)]
        last = self.waited[min(len(self.times) - 1, bisect_left(self.times, end))]
        return max((seconds - first.get(thread, 0.0) for thread, seconds in last.items()), default=0.0)

    def largest(self) -> dict[str, int]:
        """The most bytes of any process by role."""
        return {role: max(found.values()) for role, found in self.peaks.items() if found}

    def _look_for_processes(self) -> None:
        for pid in processes_of(self.folder):
            if self._roles.get(pid, "other") in {"other", "gone"}:
                self._roles[pid] = role_of(pid)

    def _run(self) -> None:
        ticks = 0
        while not self._stop.wait(TICK_SECONDS):
            ticks += 1
            if ticks % LOOK_FOR_PROCESSES == 0:
                self._look_for_processes()
            self._look()

    def _look(self) -> None:
        waited = _delays(os.getpid())
        for pid, role in list(self._roles.items()):
            peak = _peak(pid)
            if peak is None:
                del self._roles[pid]
                continue
            self.peaks[role][pid] = max(peak, self.peaks[role].get(pid, 0))
            if role == "web":
                waited |= _delays(pid)
        self.times.append(time.monotonic())
        self.waited.append(waited)


def _peak(pid: int) -> int | None:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def _delays(pid: int) -> dict[int, float]:
    """By thread, how long it was ready to run and did not."""
    found = {}
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found[int(task.name)] = int((task / "schedstat").read_text().split()[1]) / 1e9
    return found
