"""Texts of the owner, reports of visitors, and the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import F, Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from archive.accounts.roles import is_administrator
from archive.admin.audit_words import translated
from archive.admin.rows import ReadOnlyAdmin, link
from archive.models import AuditLine, Report, SiteText, User

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    # They are no generic classes at run time.
    ModelAdmin = admin.ModelAdmin


@admin.register(SiteText)
class SiteTextAdmin(ModelAdmin):
    """Terms, privacy and contact. A page is linked if it has a text."""

    list_display = ("page", "language", "changed")


class OpenReports(admin.SimpleListFilter):
    """Open or settled reports."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("open", _("waiting")), ("settled", _("settled"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        if self.value() is None:
            return None
        return queryset.filter(settled__isnull=self.value() == "open")


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """Visitors' reports about games and collections, which curators settle."""

    list_display = ("page", "reason", "beginning", "by", "made", "settled", "settled_by")
    list_display_links = ("reason",)
    list_filter = (OpenReports, "reason")
    list_select_related = ("by", "settled_by")
    ordering = (F("settled").desc(nulls_first=True), "-pk")
    actions = ("settle", "open_again")
    fields = ("page", "reason", "text", "by", "made", "settled", "settled_by")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return obj is None and self.has_settle_permission(request)

    def has_settle_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("archive.change_report")

    @admin.display(description=_("about what"))
    def page(self, report: Report) -> str:
        kind, pk = ("game", report.game) if report.collection is None else ("collection", report.collection)
        return link(reverse(kind, args=[pk]), pk)

    @admin.display(description=_("what they write"))
    def beginning(self, report: Report) -> str:
        return Truncator(report.text).chars(100)

    @admin.action(description=_("Mark as settled"), permissions=["settle"])
    def settle(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        by = request.user if isinstance(request.user, User) else None
        count = queryset.filter(settled=None).update(settled=timezone.now(), settled_by=by)
        self._confirm(request, count)

    @admin.action(description=_("Mark as not settled"), permissions=["settle"])
    def open_again(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        self._confirm(request, queryset.update(settled=None, settled_by=None))

    def _confirm(self, request: HttpRequest, count: int) -> None:
        text = ngettext("%(n)d report was changed.", "%(n)d reports were changed.", count)
        self.message_user(request, text % {"n": count})


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
