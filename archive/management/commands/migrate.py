"""`manage.py migrate`, which says what to do with an archive whose tables are too old for this version."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connections

from archive.observing.outstanding import as_text, outstanding
from archive.project.startup import refuse_later_tables
from archive.project.upgrading import OLDEST, is_too_old


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Bring the tables up to date. Raises CommandError for those of versions before `OLDEST`."""
        refuse_later_tables()
        if is_too_old(connections[options["database"]]):
            raise CommandError(
                "The tables of this archive are older than this version can bring up to date; nothing was "
                f"changed. Run `manage.py migrate archive {OLDEST}` with the version that made "
                "them, or a later one that has that migration, and then this one again."
            )
        super().handle(*args, **options)
        everything = options["database"] == DEFAULT_DB_ALIAS and not options["app_label"]
        if everything and (found := outstanding()):
            self.stdout.write(as_text(found))
