"""Derive everything again from the stored records, and print differences."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any, Final

from django.core.management.base import CommandError

from archive.index.availability import UndecidedError
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress
from archive.store.verify import Difference, verify

MOST_PRINTED: Final = 20
"""Differences printed of each kind; all are counted."""


class Command(ArchiveCommand):
    help = "Check rows, counters, digests and uploads against the stored records; exit 1 if anything differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sample", type=int, metavar="N", help="derive only N games again, picked at random"
        )
        parser.add_argument("--seed", type=int, help="pick the same sample again")

    def handle(self, *args: Any, **options: Any) -> None:
        counts: Counter[str] = Counter()
        self.progress: Progress | None = None
        try:
            for difference in verify(options["sample"], options["seed"], self._report):
                counts[difference.check] += 1
                self._show(difference, counts[difference.check])
        except UndecidedError as error:
            raise CommandError(str(error)) from error
        if counts:
            raise CommandError(", ".join(f"{check}: {n}" for check, n in sorted(counts.items())))
        self.stdout.write("no difference")

    def _report(self, done: int, total: int) -> None:
        self.progress = self.progress or Progress(self.stderr, total)
        self.progress.update(done)

    def _show(self, difference: Difference, number: int) -> None:
        if number <= MOST_PRINTED:
            self.stdout.write(f"{difference.check}: {difference.where}: {difference.text}")
        elif number == MOST_PRINTED + 1:
            self.stdout.write(f"{difference.check}: and more")
