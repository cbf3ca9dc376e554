"""Do the outstanding work after an update while the archive is used."""

from typing import Any, Final

from django.core.management import call_command

from archive.management.command import ArchiveCommand
from archive.observing import outstanding

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    outstanding.INDEX: ("reindex_positions",),
    outstanding.READINGS: ("reread_uploads", "--outdated"),
    outstanding.FORMATIONS: ("find_formations",),
    outstanding.COLUMNS: ("build_columns",),
}


class Command(ArchiveCommand):
    help = (
        "Bring up to date what an earlier version has stored: the index, what was read of uploads, castles "
        "and openings, columns. It can be stopped at any moment; the next run continues from there."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        for name, command in COMMANDS.items():
            # Counted again each time: rereading also brings index, formations and columns up to date.
            if name in outstanding.outstanding():
                self.stdout.write(" ".join(command))
                call_command(*command, stdout=self.stdout, stderr=self.stderr)
        left = outstanding.outstanding()
        self.stdout.write(outstanding.as_text(left) if left else "Nothing is left to be done.")
