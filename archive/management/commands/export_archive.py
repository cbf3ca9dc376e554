"""Write a backup of the archive into a folder. An archive on any database can import it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from archive.backup.exporting import count_rows, export_archive
from archive.backup.folder import BackupError
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress


class Command(ArchiveCommand):
    help = (
        "Write a backup of the archive into a folder (docs/backup.md). The archive may run meanwhile. If the "
        "folder has an earlier backup, only new and changed files are written, and obsolete ones deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--users",
            action="store_true",
            help="include accounts (names, addresses, hashes of passwords), tokens, webhooks, the audit log",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        accounts = options["users"]
        progress = Progress(self.stderr, count_rows(accounts=accounts), "rows")
        try:
            done = export_archive(options["folder"], accounts=accounts, report=progress.update)
        except BackupError as error:
            raise CommandError(str(error)) from error
        manifest = done.manifest
        games, uploads = manifest.rows("archive_game"), manifest.rows("archive_upload")
        self.stdout.write(f"{options['folder']}: {games} games, {uploads} uploads")
        self.stdout.write(f"written: {done.new_parts} parts, bytes of {done.new_uploads} uploads")
        self.stdout.write(f"deleted: {done.deleted_parts} parts, bytes of {done.deleted_uploads} uploads")
        self.stdout.write(f"content {manifest.content}")
