"""The one Django app of the archive."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _


class ArchiveConfig(AppConfig):
    name = "archive"
    verbose_name = _("Kifu Archive")

    def ready(self) -> None:
        from archive import audit, checks  # noqa: F401  # registers them
        from archive.index import citus

        audit.listen()
        connection_created.connect(citus.greet, dispatch_uid="citus")
