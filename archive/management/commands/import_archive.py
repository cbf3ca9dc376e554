"""Import a backup of `export_archive`, on any engine."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from archive.backup.folder import BackupError, Manifest, read_manifest
from archive.backup.importing import check, import_archive
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress

MOST_PRINTED: Final = 20
"""Reindexed games whose ids are printed."""


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
            manifest = read_manifest(folder)
            progress = Progress(self.stderr, sum(map(manifest.rows, manifest.tables)), "rows")
            if options["check"]:
                self._print(check(folder, progress.update))
                return
            done = import_archive(folder, progress.update)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self._print(done.manifest)
        if done.reindexed:
            ids = " ".join(map(str, done.reindexed[:MOST_PRINTED]))
            self.stdout.write(f"{len(done.reindexed)} games had other rows in the index before: {ids}")

    def _print(self, manifest: Manifest) -> None:
        games, uploads = manifest.rows("archive_game"), manifest.rows("archive_upload")
        self.stdout.write(f"{games} games, {uploads} uploads of {manifest.made}, content {manifest.content}")
