"""Uploads: list, add, read again, delete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from archive import store
from archive.accounts.audit import note, note_upload_deleted
from archive.accounts.roles import is_administrator
from archive.admin.rows import ChosenFilter, LibrariesAdmin, deleted_by_store, link, shortened
from archive.derive.issues import stored_text
from archive.intake import tasks, uploads
from archive.intake.permissions import may_delete
from archive.models import AuditEvent, Entry, Upload
from archive.queries.games import taken_down
from archive.queries.games.upload_progress import entry_counts
from archive.queries.scope import Scope
from archive.web.replay.issue_texts import shown_issues

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as StrOrPromise


class SeveralFilesField(forms.FileField):
    """A field for several files, cleaned to a list."""

    class Input(forms.ClearableFileInput):
        allow_multiple_selected = True

    widget = Input

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(SeveralFilesField, self).clean(file, initial) for file in files]


class UploadForm(forms.Form):
    file = SeveralFilesField(label=_("files"), allow_empty_file=True)


SOURCES: Final[dict[str, StrOrPromise]] = {
    "web": _("a page"),
    "api": _("a program"),
    "admin": _("the administration"),
    "command": _("a command"),
    "watch": _("the watched folder"),
    "samples": _("the sample games"),
}


class SourceFilter(ChosenFilter):
    title, column = _("source"), "source"

    def choose(self) -> Iterable[tuple[Any, Any]]:
        return SOURCES.items()


@admin.register(Upload)
class UploadAdmin(LibrariesAdmin):
    """Uploads with the states of their entries."""

    list_display = ("number", "name", "state", "why", "counts", "uploader", "received")
    list_filter = ("state", SourceFilter, "received")
    list_select_related = ("uploader",)
    search_fields = ("name", "sha256")
    actions = ("admit", "retry", "reread")
    fields = (
        "name", "bytes", "sha256", "state", "why", "counts", "uploader", "origin", "received", "finished",
        "page", "download",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        readable = super().get_queryset(request)
        if is_administrator(request.user):
            return readable
        # Names of files often contain players' names.
        private = taken_down.hidden_from(request).exclude(game=None)
        return readable.exclude(pk__in=private.values("upload"))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("archive.add_upload")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # Actions require this permission; the form has no editable fields.
        return obj is None and request.user.has_perm("archive.change_upload")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        if isinstance(obj, Upload):
            return may_delete(request, obj)
        return request.user.has_perm("archive.delete_upload")

    def get_deleted_objects(
        self, objs: QuerySet[Any] | Iterable[Any], request: HttpRequest
    ) -> tuple[list[Any], dict[Any, Any], set[Any], list[Any]]:
        return deleted_by_store(self, objs)

    def delete_model(self, request: HttpRequest, obj: Upload) -> None:
        # The admin has an open transaction, which would block others.
        note_upload_deleted(request.user, obj.pk)
        uploads.withdraw_later([obj.pk])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        for pk in ids:
            note_upload_deleted(request.user, pk)
        uploads.withdraw_later(ids)

    @admin.display(description=_("entries"))
    def counts(self, upload: Upload) -> str:
        """Return the number of entries in each state."""
        counts = entry_counts(Scope((upload.space,)), upload.pk).items()
        return " · ".join(f"{Entry.State(state).label} {n}" for state, n in counts if n)

    @admin.display(description=_("why"))
    def why(self, upload: Upload) -> str:
        """Return the reason of a failed upload, or the first issue of its first failed entry."""
        if upload.reason:
            return shortened(stored_text(upload.reason))
        failed = upload.entries.filter(state=Entry.State.FAILED).order_by("seq").first()
        issues = shown_issues(failed.issues, 1) if failed else ()
        return next((shortened(one.text) for one in issues), "–")

    @admin.display(description=_("size"), ordering="size")
    def bytes(self, upload: Upload) -> str:
        return filesizeformat(upload.size)

    @admin.display(description=_("source"))
    def origin(self, upload: Upload) -> str:
        return str(SOURCES.get(upload.source, upload.source))

    @admin.display(description=_("page"))
    def page(self, upload: Upload) -> str:
        address = reverse("upload-detail", args=[upload.pk])
        return link(address, address)

    @admin.display(description=_("bytes as received"))
    def download(self, upload: Upload) -> str:
        return link(reverse("api:upload-source", args=[upload.pk]), upload.name)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a form for uploading files."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = UploadForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            for file in form.cleaned_data["file"]:
                self._receive(request, file)
            return redirect("admin:archive_upload_changelist")
        context = self.admin_site.each_context(request)
        context |= {"form": form, "title": _("Add games"), "opts": self.opts}
        return render(request, "archive/admin_upload.html", context)

    def _receive(self, request: HttpRequest, file: Any) -> None:
        try:
            upload, created = uploads.receive(file.name or "", file.chunks(), request.user, "admin")
        except (store.UploadEmpty, store.UploadTooLarge):
            messages.error(request, gettext("%(name)s is empty or too large.") % {"name": file.name})
            return
        if created:
            messages.success(request, gettext("%(name)s was received.") % {"name": upload.name})
        else:
            messages.warning(request, gettext("%(name)s was here already.") % {"name": upload.name})

    @admin.action(description=_("Read again what failed"), permissions=["change"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        again = [pk for pk in queryset.values_list("pk", flat=True) if store.retry(pk)]
        for pk in again:
            note(AuditEvent.REREAD, request.user, f"upload {pk}: what failed")
            tasks.enqueue(pk)
        count = len(again)
        text = ngettext("%(n)d upload is read again.", "%(n)d uploads are read again.", count)
        self.message_user(request, text % {"n": count})

    @admin.action(description=_("Let waiting uploads in"), permissions=["change"])
    def admit(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        count = uploads.admit(list(queryset.values_list("pk", flat=True)))
        text = ngettext("%(n)d upload was let in.", "%(n)d uploads were let in.", count)
        self.message_user(request, text % {"n": count})

    @admin.action(description=_("Read everything again"), permissions=["change"])
    def reread(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        again = [pk for pk in queryset.values_list("pk", flat=True) if uploads.reread(pk)]
        for pk in again:
            note(AuditEvent.REREAD, request.user, f"upload {pk}")
        count = len(again)
        text = ngettext("%(n)d upload is read again.", "%(n)d uploads are read again.", count)
        self.message_user(request, text % {"n": count})
