"""The progress of a long command: a bar on a terminal, now and then a line elsewhere."""

from time import monotonic
from typing import Protocol

WIDTH = 30
TERMINAL_SECONDS = 0.2
LINE_SECONDS = 10.0


class Output(Protocol):
    """The stream it is written to: a command's `stderr`."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...
    def isatty(self) -> bool: ...


class Progress:
    """Tells how many of `total` things are done, how fast it goes and how long it will take.

    The first and the last state are always told, those between at most five times a second on a terminal
    and every ten seconds elsewhere.
    """

    def __init__(self, output: Output, total: int, things: str = "games") -> None:
        self.output, self.total, self.things = output, total, things
        self.bar = output.isatty()
        self.begun = self.told = monotonic()
        self._tell(0, 0.0)

    def update(self, done: int) -> None:
        """Take in how many are done by now."""
        now = monotonic()
        waited = now - self.told >= (TERMINAL_SECONDS if self.bar else LINE_SECONDS)
        if waited or done >= self.total:
            self.told = now
            self._tell(done, now - self.begun)

    def _tell(self, done: int, seconds: float) -> None:
        text = f"{done:,} of {self.total:,} {self.things}"
        if done and seconds:
            left = (self.total - done) * seconds / done
            text += f" · {done / seconds:,.0f} a second · {left:,.0f} s left"
        if self.bar:
            filled = WIDTH * done // self.total if self.total else WIDTH
            end = "\n" if done >= self.total else ""
            self.output.write(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {text}\033[K{end}")
        else:
            self.output.write(text + "\n")
        self.output.flush()
