"""The progress of a long command: a bar on a terminal, a line every ten seconds elsewhere."""

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
    """Shows how many of `total` things are done, the rate and the remaining time.

    Always shows the first and the last state; others at most every `TERMINAL_SECONDS` or `LINE_SECONDS`.
    """

    def __init__(self, output: Output, total: int, things: str = "games") -> None:
        self.output, self.total, self.things = output, total, things
        self.bar = output.isatty()
        self.began = self.shown = monotonic()
        self._show(0, 0.0)

    def update(self, done: int) -> None:
        """Set the number of things that are done."""
        now = monotonic()
        waited = now - self.shown >= (TERMINAL_SECONDS if self.bar else LINE_SECONDS)
        if waited or done >= self.total:
            self.shown = now
            self._show(done, now - self.began)

    def _show(self, done: int, seconds: float) -> None:
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
