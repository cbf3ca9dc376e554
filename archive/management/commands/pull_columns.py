"""Copy files of columns to a machine that does not share the folder in which workers write them."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from archive.columns.folder import ColumnsLockedError
from archive.columns.pulling import pull
from archive.management.command import ArchiveCommand


class Command(ArchiveCommand):
    help = (
        "Bring the files of columns that this machine lacks from another folder of columns, compared with "
        "their checksums in the database, and delete those that are not used any more. Searching goes on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source", metavar="FOLDER", type=Path, help="where workers write them, mounted here"
        )
        parser.add_argument(
            "--every", metavar="SECONDS", type=float, help="repeat after so many seconds, until stopped"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source, every = options["source"], options["every"]
        if not source.is_dir():
            raise CommandError(f"there is no folder {source}")
        while True:
            try:
                lacking = self._pull(source)
            except ColumnsLockedError as error:
                raise CommandError(f"{error}: written here, or pulled by another command") from error
            if every is None:
                if lacking:
                    raise CommandError(f"not there as they were written: {', '.join(lacking)}")
                return
            time.sleep(every)

    def _pull(self, source: Path) -> list[str]:
        pulled = pull(source)
        for name in pulled.missing:
            self.stderr.write(f"{name} is not there as it was written")
        if pulled.files:
            self.stdout.write(f"{pulled.files} files, {pulled.size / 1024 / 1024:.1f} MiB")
        return pulled.missing
