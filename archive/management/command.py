"""The base class of the archive's commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand

from archive.project.checks import SETTINGS
from archive.project.startup import refuse_contradictions, refuse_other_tables
from kifu_core import __version__


class ArchiveCommand(BaseCommand):
    """A command that checks the settings first, but not the code.

    Django's checks of URLs, templates and models have the same results on every machine, and load all pages;
    `manage.py check` runs them.
    """

    requires_system_checks: tuple[str, ...] = (SETTINGS,)

    def get_version(self) -> str:
        return __version__

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command, unless another version created the tables."""
        refuse_other_tables()
        return super().execute(*args, **options)

    def check(self, *_any: Any, tags: Iterable[str] | None = None, **_other: Any) -> None:
        """Check the settings; end with an error for each invalid one."""
        refuse_contradictions(tags or ())
