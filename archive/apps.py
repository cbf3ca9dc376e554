"""The Django app of the archive, and Django's admin in it."""

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_dependencies
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _


class ArchiveConfig(AppConfig):
    default = True
    name = "archive"
    verbose_name = _("Kifu Archive")

    def ready(self) -> None:
        from archive.accounts import audit
        from archive.index import citus
        from archive.project import checks  # noqa: F401  # registers them

        audit.listen()
        connection_created.connect(citus.set_up_session, dispatch_uid="citus")


class AdminConfig(SimpleAdminConfig):
    """Django's admin, whose pages are loaded with the addresses of the site (`archive.project.urls`).

    Loading them takes a fifth of a second, and workers, the scheduler and commands show none of them.
    """

    default_site = "archive.web.pages.admin_site.LimitedAdminSite"

    def ready(self) -> None:
        """Register Django's check of what the admin depends on; its pages are in `archive.project.checks`."""
        register(check_dependencies, Tags.admin)
