"""Make a dump of everything public, or check existing dumps."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from archive.dumps import publishing
from archive.dumps.checking import check
from archive.dumps.offered import Dump, dump_by_name, offered_dumps
from archive.dumps.unfinished import DumpInProgressError
from archive.management.command import ArchiveCommand
from archive.management.progress import Progress


class Command(ArchiveCommand):
    help = "Write all public games into the folder of dumps (docs/dumps.md), and delete the oldest dumps."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--forget",
            action="store_true",
            help="first delete dumps with games that are no longer public",
        )
        parser.add_argument(
            "--check",
            nargs="?",
            const="all",
            metavar="NAME",
            help="make none, read all that are there, or one, back; exit 1 if anything is wrong",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            self._check(options["check"])
            return
        try:
            if options["forget"]:
                for name in publishing.delete_outdated():
                    self.stdout.write(f"{name}: deleted, has games that are no longer public")
            dump = publishing.make()
        except DumpInProgressError as error:
            raise CommandError(str(error)) from error
        if dump is not None:
            self.stdout.write(f"{dump.folder}: {dump.games} games, {dump.size} bytes")

    def _check(self, name: str) -> None:
        chosen = dump_by_name(name)
        dumps = offered_dumps() if name == "all" else [chosen] if chosen else []
        if name != "all" and not dumps:
            raise CommandError(f"there is no dump {name}")
        wrong = sum(self._read(dump) for dump in dumps)
        if wrong:
            raise CommandError(f"wrong: {wrong}")
        self.stdout.write(f"{len(dumps)} dumps, nothing wrong")

    def _read(self, dump: Dump) -> int:
        """Print the faults of a dump; return their number."""
        wrong = 0
        progress = Progress(self.stderr, dump.games)
        for text in check(dump, progress.update):
            wrong += 1
            self.stdout.write(f"{dump.name}: {text}")
        return wrong
