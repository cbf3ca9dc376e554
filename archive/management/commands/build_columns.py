"""Write the columns of new games, or of all games, while the archive is used."""

from argparse import ArgumentParser
from time import monotonic
from typing import Any

from django.core.management.base import CommandError

from archive.columns import building
from archive.columns.folder import ColumnsLockedError
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress
from archive.models import ColumnWaiting


class Command(ArchiveCommand):
    help = (
        "Write columns for the games that have none yet. Searching and uploading go on meanwhile. It can be "
        "stopped at any moment; the next run continues from there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--anew", action="store_true", help="delete all columns first")

    def handle(self, *args: Any, **options: Any) -> None:
        began = monotonic()
        try:
            if options["anew"]:
                building.rebuild()
            progress, self.done = Progress(self.stderr, ColumnWaiting.objects.count()), 0

            def report(games: int) -> None:
                self.done = games
                progress.update(games)

            building.build(report=report)
        except ColumnsLockedError as error:
            raise CommandError(f"{error}: a worker of `maintenance` is doing this already") from error
        seconds = monotonic() - began
        files, size = building.columns_size()
        self.stdout.write(
            f"{self.done} games in {seconds:.1f} s, {self.done / max(seconds, 0.001):.0f} games/s; "
            f"{files} files, {size / 1024 / 1024:.1f} MiB"
        )
