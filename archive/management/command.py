"""What all commands of the archive have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand

from archive.project.checks import SETTINGS
from archive.project.startup import refuse_contradictions, refuse_other_tables
from kifu_core import __version__


class ArchiveCommand(BaseCommand):
    """A command that looks at this machine's settings before it begins, and at nothing that is only code.

    Django's checks of addresses, templates and models come to the same wherever a version runs, and load all
    pages of the site first: `manage.py check` has them all.
    """

    requires_system_checks: tuple[str, ...] = (SETTINGS,)

    def get_version(self) -> str:
        """Return the archive's version, which `--version` prints."""
        return __version__

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command, unless the database has the tables of a later version."""
        refuse_other_tables()
        return super().execute(*args, **options)

    def check(self, *_any: Any, tags: Iterable[str] | None = None, **_other: Any) -> None:
        """Look at the settings; end with a line for each that is wrong."""
        refuse_contradictions(tags or ())
