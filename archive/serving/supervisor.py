"""Keeps child processes running: restarts the dead with a growing pause, and leaves none behind."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from archive.intake.memory_limit import RESTART
from archive.project.startup import REFUSED

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1
STOP_SECONDS = 8.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 15.0
MAX_DEATHS = 5
DEATHS_WITHIN = 60.0


class Child:
    """One supervised process: its command, when it died, and when it may start again."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.command = list(command)
        self.process: subprocess.Popen[bytes] | None = None
        self.deaths: deque[float] = deque(maxlen=MAX_DEATHS)
        self.start_at = 0.0
        self.refused = False

    def start(self) -> None:
        """Start the process in a session of its own, with a pipe as standard input that ends with us."""
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, start_new_session=True)

    def died(self, now: float) -> bool:
        """Return whether the process has died, and record it; an end with RESTART is no death."""
        if self.process is None or self.process.poll() is None:
            return False
        restart = self.process.returncode == RESTART
        self.refused = self.process.returncode == REFUSED
        self.kill()
        self.process = None
        if restart:
            self.start_at = now
            return False
        self.deaths.append(now)
        self.start_at = now + min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self.recent_deaths(now) - 1))
        return True

    def recent_deaths(self, now: float) -> int:
        """Count the deaths within the last minute."""
        return sum(1 for at in self.deaths if now - at < DEATHS_WITHIN)

    def terminate(self) -> None:
        """Send SIGTERM to the process, which then stops its own children."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def stopped(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        """Kill the process with its own children."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()


class Supervisor:
    """Runs children until a signal, or until one of them dies too often."""

    def __init__(self, children: Sequence[Child]) -> None:
        self.children = children
        self.stopping = False

    def run(self) -> int:
        """Start and watch the children; return 0 after SIGINT or SIGTERM, 1 after too many deaths, REFUSED if
        a child has refused to run, which it has explained."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        try:
            return self._watch()
        finally:
            self._stop()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _watch(self) -> int:
        while not self.stopping:
            now = time.monotonic()
            for child in self.children:
                if child.died(now):
                    if child.refused:
                        return REFUSED
                    if child.recent_deaths(now) >= MAX_DEATHS:
                        log.error("%s died %d times within a minute: giving up", child.name, MAX_DEATHS)
                        return 1
                    log.warning("%s died; it starts again in %.1f s", child.name, child.start_at - now)
                if child.process is None and now >= child.start_at:
                    child.start()
            time.sleep(POLL_SECONDS)
        return 0

    def _stop(self) -> None:
        for child in self.children:
            child.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline and not all(child.stopped() for child in self.children):
            time.sleep(POLL_SECONDS)
        for child in self.children:
            child.kill()


def child_of_ours(name: str, role: str) -> Child:
    """Return a child that runs one of the roles of `archive.serving.child`."""
    return Child(name, [sys.executable, "-m", "archive.serving.child", role, "--supervised"])
