"""The one Django app of the archive."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ArchiveConfig(AppConfig):
    name = "archive"
    verbose_name = _("Kifu Archive")

    def ready(self) -> None:
        from archive import checks  # noqa: F401  # registers them
