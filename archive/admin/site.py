"""Texts of the owner, and the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from archive.accounts.roles import is_administrator
from archive.admin.audit_words import translated
from archive.admin.rows import ReadOnlyAdmin
from archive.models import AuditLine, SiteText

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    # They are no generic classes at run time.
    ModelAdmin = admin.ModelAdmin


@admin.register(SiteText)
class SiteTextAdmin(ModelAdmin):
    """Terms, privacy and contact. A page is linked if it has a text."""

    list_display = ("page", "language", "changed")


@admin.register(AuditLine)
class AuditAdmin(ReadOnlyAdmin):
    """The audit log, for administrators only."""

    list_display = ("at", "name", "event", "done_to", "address")
    list_filter = ("event", "at")
    search_fields = ("name", "what", "address")
    fields = ("at", "name", "account", "event", "done_to", "address")

    @admin.display(description=_("to what"))
    def done_to(self, line: AuditLine) -> str:
        return translated(line.what) or "–"

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_administrator(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)
