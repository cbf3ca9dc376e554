"""`manage.py import_names`: set readings, Latin spellings and dates of life from an authority table."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from archive.curation.authority import import_table, read_table
from archive.curation.errors import CurationError
from archive.management.command import ArchiveCommand


class Command(ArchiveCommand):
    help = (
        "Set facts of players from a CSV file with the column name and any of kana, latin, born, died and "
        "source. What curators have entered stays. Can be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--reason", required=True, help="the table's title, for the history")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rows = read_table(options["file"].read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{options['file']}: {error}") from error
        except CurationError as error:
            raise CommandError(error.text) from error
        for outcome, number in sorted(import_table(rows, None, options["reason"]).items()):
            self.stdout.write(f"{outcome} {number}")
