"""`manage.py migrate`: refuses tables of another version and names the work that an update leaves."""

from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS

from archive.observing.outstanding import as_text, outstanding
from archive.project.startup import refuse_other_tables


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Bring the tables up to date, then list the work that an update leaves."""
        refuse_other_tables()
        super().handle(*args, **options)
        everything = options["database"] == DEFAULT_DB_ALIAS and not options["app_label"]
        if everything and (found := outstanding()):
            self.stdout.write(as_text(found))
