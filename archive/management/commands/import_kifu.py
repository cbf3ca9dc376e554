"""`manage.py import_kifu`: take in files, folders and archives, and say what became of them."""

import sys
import time
from argparse import ArgumentParser
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from django.db.models import Count, QuerySet

from archive import issues
from archive.intake import importing
from archive.intake.importing import Turn
from archive.intake.tasks import PASSING
from archive.management.command import ArchiveCommand
from archive.models import Entry

SHOWN: Final = 20
"""Failures printed; all are counted."""

COUNTED: Final = 200
"""So many uploads are asked about at once."""

LINE_SECONDS: Final = 10.0
"""How often a line tells of progress where there is no terminal."""

_BAR: Final = 24


class Command(ArchiveCommand):
    help = (
        "Import records: files, folders with all that is in them, archives. What is known already is not "
        "imported twice; an interrupted import goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument(
            "--workers", type=int, default=1, metavar="N",
            help="processes that work on different files at a time; more than one pays on PostgreSQL",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        if options["workers"] < 1:
            raise CommandError("--workers is at least 1")
        try:
            files = list(importing.files_of(options["paths"]))
        except FileNotFoundError as error:
            raise CommandError(f"there is no file or folder {error}") from None
        self.meter = Meter(
            {file.path: Path(file.path).stat().st_size for file in files}, options["verbosity"] > 0
        )
        self.done: dict[int, str] = {}
        try:
            for turn in importing.run(files, options["workers"]):
                self._note(turn)
        except (*PASSING, BrokenProcessPool) as error:
            raise CommandError(
                f"{error}: what is imported stays; run this again to go on from here"
            ) from error
        self._count_done()
        self.meter.end()
        self._summary(len(files))

    def _note(self, turn: Turn) -> None:
        meter = self.meter
        if turn.refusal:
            meter.refused.append(f"{turn.path}: {turn.refusal}")
        elif turn.known:
            meter.known += 1
        elif not turn.more:
            self.done[turn.upload] = turn.path
            if len(self.done) >= COUNTED:
                self._count_done()
        meter.advance(turn)

    def _count_done(self) -> None:
        """Count the entries of what was done since the last time."""
        entries = Entry.objects.filter(upload_id__in=self.done)
        counts = dict(entries.order_by().values_list("state").annotate(Count("pk")))
        self.meter.states.update(counts)
        if Entry.State.FAILED in counts:
            self._collect_failures(entries.filter(state=Entry.State.FAILED))
        self.done.clear()

    def _collect_failures(self, failures: QuerySet[Entry]) -> None:
        free = max(0, SHOWN - len(self.meter.failed))
        for entry in failures.order_by("upload_id", "seq")[:free]:
            path = self.done[entry.upload_id]
            where = f"{path}: {entry.path}" if entry.path else path
            errors = [issue for issue in entry.issues if issue["severity"] == "error"] or entry.issues
            line = f", line {errors[0]['line']}" if errors and errors[0].get("line") else ""
            text = issues.told(errors[0])["message"] if errors else "?"
            self.meter.failed.append(f"{where}{line}: {text}")

    def _summary(self, files: int) -> None:
        meter = self.meter
        states = meter.states
        seconds = time.monotonic() - meter.began
        entries = sum(states.values())
        for text in [*meter.refused, *meter.failed]:
            self.stderr.write(text)
        more = states[Entry.State.FAILED] - len(meter.failed)
        if more > 0:
            self.stderr.write(f"and {more} more failures: see the uploads' pages")
        held = f", {states[Entry.State.HELD]} held" if states[Entry.State.HELD] else ""
        self.stdout.write(
            f"{files} files ({meter.known} known before, {len(meter.refused)} refused), {entries} entries: "
            f"{states[Entry.State.STORED]} games stored, {states[Entry.State.DUPLICATE]} known games, "
            f"{states[Entry.State.FAILED]} failed{held}; {seconds:.1f} s, "
            f"{entries / max(seconds, 0.001):.0f} a second"
        )


class Meter:
    """The progress of an import: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, sizes: dict[str, int], shown: bool) -> None:
        self.sizes = sizes
        self.total = max(1, sum(sizes.values()))
        self.bytes = 0.0
        self.open: dict[str, tuple[float, int]] = {}
        self.states: Counter[str] = Counter()
        self.known = 0
        self.refused: list[str] = []
        self.failed: list[str] = []
        self.shown = shown
        self.terminal = sys.stderr.isatty()
        self.began = self.told = time.monotonic()

    def advance(self, turn: Turn) -> None:
        """Take in news and show it."""
        if turn.more:
            self.open[turn.path] = (turn.share * self.sizes[turn.path], turn.entries)
        else:
            self.open.pop(turn.path, None)
            self.bytes += self.sizes[turn.path]
        now = time.monotonic()
        if self.shown and now - self.told >= (0.2 if self.terminal else LINE_SECONDS):
            self.told = now
            self._show(now - self.began)

    def end(self) -> None:
        """Leave the bar's line."""
        if self.shown and self.terminal:
            sys.stderr.write("\r\x1b[K")

    def line(self, seconds: float) -> str:
        """Write share, entries, rate and remaining time after so many seconds."""
        share = min(1.0, (self.bytes + sum(part for part, _ in self.open.values())) / self.total)
        entries = sum(self.states.values()) + sum(count for _, count in self.open.values())
        left = f", {_clock(seconds / share - seconds)} left" if share > 0.001 else ""
        return f"{share:4.0%}  {entries} entries, {entries / max(seconds, 0.001):.0f} a second{left}"

    def _show(self, seconds: float) -> None:
        text = self.line(seconds)
        if self.terminal:
            filled = round(float(text.split("%")[0]) / 100 * _BAR)
            sys.stderr.write(f"\r[{'#' * filled}{' ' * (_BAR - filled)}] {text}\x1b[K")
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
