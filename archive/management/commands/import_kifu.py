"""`manage.py import_kifu`: import files, folders and containers, and report the result."""

import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.management.base import CommandError
from django.db.models import Count, QuerySet
from django.urls import reverse
from django.utils import timezone

from archive import libraries
from archive.accounts.audit import note
from archive.derive import issues
from archive.export.csv_text import BOM, csv_lines
from archive.intake import importing
from archive.intake.importing import Destination, Turn
from archive.intake.tasks import PASSING
from archive.management.command import ArchiveCommand
from archive.models import AuditEvent, Entry, User
from archive.project.site_address import site_address

MOST_PRINTED: Final = 20
"""Failures that are printed; the report lists all of them."""

BATCH: Final = 200
"""Uploads whose entries are counted with one query."""

LINE_SECONDS: Final = 10.0
"""Seconds between two lines of progress without a terminal."""

_BAR: Final = 24


class Command(ArchiveCommand):
    help = (
        "Import records: files, folders with all that is in them, archives. Files that are in the archive "
        "already are not imported twice; an interrupted import continues with the next run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument(
            "--workers", type=int, default=1, metavar="N",
            help="processes that work on different files at a time; more than one pays on PostgreSQL",
        )  # fmt: skip
        parser.add_argument("--owner", metavar="NAME", help="the account whose uploads they become")
        parser.add_argument(
            "--library", default="public", metavar="NAME",
            help="where the owner's games go: public, mine, or group- and its number",
        )  # fmt: skip
        parser.add_argument(
            "--report", type=Path, metavar="FILE",
            help="where a table (CSV) of all failures is written; a new file in the data folder without",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        if options["workers"] < 1:
            raise CommandError("--workers is at least 1")
        destination = _destination(options["owner"], options["library"])
        try:
            files = list(importing.files_of(options["paths"]))
        except FileNotFoundError as error:
            raise CommandError(f"there is no file or folder {error}") from None
        self.meter = Meter(
            {file.path: Path(file.path).stat().st_size for file in files}, options["verbosity"] > 0
        )
        self.report = FailureReport(options["report"])
        self.done: dict[int, str] = {}
        try:
            for turn in importing.run(files, options["workers"], destination):
                self._record(turn)
        except (*PASSING, BrokenProcessPool) as error:
            with suppress(*PASSING):
                self._audit(destination, len(files), "broken off")
            raise CommandError(
                f"{error}: what is imported stays; run this again to go on from here"
            ) from error
        self._audit(destination, len(files), "complete")
        self.meter.end()
        self._summary(len(files))

    def _audit(self, destination: Destination, files: int, outcome: str) -> None:
        self._count_entries()
        note(
            AuditEvent.IMPORT,
            destination.owner,
            f"to space {destination.space}, {outcome}: {self._counts(files)}",
        )

    def _record(self, turn: Turn) -> None:
        meter = self.meter
        if turn.refusal:
            meter.refused.append(f"{turn.path}: {turn.refusal}")
            self.report.add([(turn.path, "", "", "refused", turn.refusal, "", "")])
        elif turn.existing:
            meter.existing += 1
        elif not turn.more:
            self.done[turn.upload] = turn.path
            if len(self.done) >= BATCH:
                self._count_entries()
        meter.advance(turn)

    def _count_entries(self) -> None:
        """Count the entries of the uploads that were finished since the last call."""
        entries = Entry.objects.filter(upload_id__in=self.done)
        counts = dict(entries.order_by().values_list("state").annotate(Count("pk")))
        self.meter.states.update(counts)
        if Entry.State.FAILED in counts:
            self._collect_failures(entries.filter(state=Entry.State.FAILED))
        self.done.clear()

    def _collect_failures(self, failures: QuerySet[Entry]) -> None:
        chosen = failures.only("upload_id", "path", "issues").order_by("upload_id", "seq")
        for entry in chosen.iterator(chunk_size=BATCH):
            path = self.done[entry.upload_id]
            stored = [issue for issue in entry.issues if issue["severity"] == "error"] or entry.issues
            errors = [issues.as_json(issue) for issue in stored]
            self.report.add(_report_rows(path, entry, errors))
            if len(self.meter.failed) < MOST_PRINTED:
                self.meter.failed.append(_line(path, entry, errors))

    def _summary(self, files: int) -> None:
        meter = self.meter
        seconds = time.monotonic() - meter.began
        entries = sum(meter.states.values())
        for text in [*meter.refused, *meter.failed]:
            self.stderr.write(text)
        more = meter.states[Entry.State.FAILED] - len(meter.failed)
        if more > 0:
            self.stderr.write(f"and {more} more failures")
        if self.report.rows:
            self.stderr.write(f"what failed and why is listed in {self.report.path}")
        rate = f"{seconds:.1f} s, {entries / max(seconds, 0.001):.0f} a second"
        self.stdout.write(f"{self._counts(files)}; {rate}")

    def _counts(self, files: int) -> str:
        meter, states = self.meter, self.meter.states
        held = f", {states[Entry.State.HELD]} held" if states[Entry.State.HELD] else ""
        return (
            f"{files} files ({meter.existing} known before, {len(meter.refused)} refused), "
            f"{sum(states.values())} entries: "
            f"{states[Entry.State.STORED]} games stored, {states[Entry.State.DUPLICATE]} known games, "
            f"{states[Entry.State.FAILED]} failed{held}"
        )


def _destination(owner: str | None, library: str) -> Destination:
    """Return the owner of the uploads and the space of their games. Raises CommandError."""
    user = User.objects.filter(username=owner, is_active=True).first() if owner else None
    if owner and user is None:
        raise CommandError(f"there is no account {owner}")
    try:
        return Destination(user, libraries.target_space(user or AnonymousUser(), library))
    except libraries.LibraryError as error:
        names = (
            ", ".join(name for _space, name, _called in libraries.upload_targets(user)) if user else "public"
        )
        whose = f"{owner} sends" if owner else "without --owner, games go"
        raise CommandError(f"{whose} to {names}, not to {library}") from error


def _report_rows(path: str, entry: Entry, errors: Sequence[Mapping[str, Any]]) -> list[Sequence[Any]]:
    page = site_address() + reverse("upload-detail", args=[entry.upload_id])
    return [
        (path, entry.path, error.get("line"), error["code"], error["message"], error.get("source_line"), page)
        for error in errors or [{"code": "unknown", "message": "?"}]
    ]


def _line(path: str, entry: Entry, errors: Sequence[Mapping[str, Any]]) -> str:
    where = f"{path}: {entry.path}" if entry.path else path
    line = f", line {errors[0]['line']}" if errors and errors[0].get("line") else ""
    return f"{where}{line}: {errors[0]['message'] if errors else '?'}"


class FailureReport:
    """A CSV table of failures, created with its first row."""

    COLUMNS: Final = ("file", "path", "line", "code", "message", "source_line", "upload")

    def __init__(self, path: Path | None) -> None:
        began = timezone.localtime().strftime("%Y%m%d-%H%M%S")
        self.path = path or settings.DATA_DIR / "imports" / f"failures-{began}.csv"
        self.rows = 0

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows. Raises OSError."""
        if not self.rows:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Only for its owner: it quotes private records too.
            self.path.touch(mode=0o600)
            self.path.write_bytes(BOM + csv_lines([self.COLUMNS]))
        with self.path.open("ab") as file:
            file.write(csv_lines(rows))
        self.rows += len(rows)


class Meter:
    """The progress of an import: a bar on a terminal, a line every `LINE_SECONDS` elsewhere."""

    def __init__(self, sizes: dict[str, int], shown: bool) -> None:
        self.sizes = sizes
        self.total = max(1, sum(sizes.values()))
        self.bytes = 0.0
        self.open: dict[str, tuple[float, int]] = {}
        self.states: Counter[str] = Counter()
        self.existing = 0
        self.refused: list[str] = []
        self.failed: list[str] = []
        self.shown = shown
        self.terminal = sys.stderr.isatty()
        self.began = self.last_shown = time.monotonic()

    def advance(self, turn: Turn) -> None:
        """Add the result of a turn, and show the progress."""
        if turn.more:
            self.open[turn.path] = (turn.share * self.sizes[turn.path], turn.entries)
        else:
            self.open.pop(turn.path, None)
            self.bytes += self.sizes[turn.path]
        now = time.monotonic()
        if self.shown and now - self.last_shown >= (0.2 if self.terminal else LINE_SECONDS):
            self.last_shown = now
            self._show(now - self.began)

    def end(self) -> None:
        """Clear the bar."""
        if self.shown and self.terminal:
            sys.stderr.write("\r\x1b[K")

    def line(self, seconds: float) -> str:
        """Return share, entries, rate and remaining time after so many seconds."""
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
