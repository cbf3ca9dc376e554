"""`manage.py migrate`: also refuses tables of another version, and lists outstanding work."""

from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS

from archive.observing.outstanding import as_text, outstanding
from archive.project.startup import refuse_other_tables


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        refuse_other_tables()
        super().handle(*args, **options)
        everything = options["database"] == DEFAULT_DB_ALIAS and not options["app_label"]
        if everything and (work := outstanding()):
            self.stdout.write(as_text(work))
