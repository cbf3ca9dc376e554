"""Make an archive of what `export_archive` has written, on any engine."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from archive.backup.folder import BackupError, Manifest, read_manifest
from archive.backup.importing import check, import_archive
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress

SHOWN: Final = 20
"""Games that are named."""


class Command(ArchiveCommand):
    help = (
        "Read a backup (docs/backup.md) into an archive that `migrate` has just made. All of it is there in "
        "the end or nothing: interrupted, run it again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--check", action="store_true", help="only read it: files, sums, lines; exit 1 if one is wrong"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        try:
            told = read_manifest(folder)
            progress = Progress(self.stderr, sum(map(told.rows, told.tables)), "rows")
            if options["check"]:
                self._tell(check(folder, progress.update))
                return
            done = import_archive(folder, progress.update)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self._tell(done.manifest)
        if done.reindexed:
            named = " ".join(map(str, done.reindexed[:SHOWN]))
            self.stdout.write(f"{len(done.reindexed)} games had other rows in the index before: {named}")

    def _tell(self, found: Manifest) -> None:
        games, uploads = found.rows("archive_game"), found.rows("archive_upload")
        self.stdout.write(f"{games} games, {uploads} uploads of {found.made}, content {found.content}")
