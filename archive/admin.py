"""The admin: look at uploads and games, upload, retry, delete. Writing goes through `archive.store`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from allauth.account import admin as their_accounts
from allauth.account.models import EmailAddress
from allauth.mfa import admin as their_second_factors
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions import admin as their_sessions
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, F, Model, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.text import Truncator
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from archive import store
from archive.accounts.roles import Role, is_administrator, set_role
from archive.audit import Deed, note
from archive.intake import tasks, uploads
from archive.intake.permissions import may_delete
from archive.models import (
    AuditLine,
    Entry,
    Event,
    Game,
    GameEvent,
    GamePlayer,
    Player,
    Report,
    SiteText,
    Upload,
    User,
)
from archive.queries import taken_down, twins
from archive.queries.scope import Scope, readable_spaces, scope_of
from archive.queries.uploads import entry_counts
from archive.web.accounts.leaving import end_account, others_administer
from archive.web.issues import shown_issues

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as StrOrPromise

    ModelAdmin = admin.ModelAdmin[Any]
    _UserAdmin = UserAdmin[User]
    _UserForm = UserChangeForm[User]
else:
    # They are no generic classes at run time.
    ModelAdmin, _UserAdmin, _UserForm = admin.ModelAdmin, UserAdmin, UserChangeForm


SHOWN: Final = 2_000
"""Characters of a long text that a page of the admin shows, and of issues a twentieth of that."""

DELETED: Final = 50
"""So many games are deleted in one transaction, so that others can write in between."""


class ReadOnlyAdmin(ModelAdmin):
    """Shows rows that only `archive.store` writes."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class LibrariesAdmin(ReadOnlyAdmin):
    """Shows rows of the spaces that somebody reads; administrators see those of all."""

    space = "space"
    """Where rows have their space, as a lookup."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        if is_administrator(request.user):
            return found
        return found.filter(**{f"{self.space}__in": readable_spaces(request).values()})


def shortened(value: Any) -> str:
    """Write a JSON value as text, as much of it as a page has room for: unread text may have megabytes."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)})"


def deleted_by_store(
    model_admin: ReadOnlyAdmin, objs: Iterable[Model]
) -> tuple[list[Any], dict[Any, Any], set[Any], list[Any]]:
    """Tell the admin, which asks before it deletes, the rows alone. What belongs to them is deleted by the
    store; the protected foreign keys are no obstacle to it."""
    rows = [str(row) for row in objs]
    return rows, {model_admin.opts.verbose_name_plural: len(rows)}, set(), []


class SeveralFilesField(forms.FileField):
    """A file field that cleans to a list."""

    class Input(forms.ClearableFileInput):
        allow_multiple_selected = True

    widget = Input

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(SeveralFilesField, self).clean(file, initial) for file in files]


class UploadForm(forms.Form):
    file = SeveralFilesField(label=_("files"), allow_empty_file=True)


# Importing the library's admin registers them: secrets of second factors, and what is people's own to change.
for model in (their_second_factors.Authenticator, their_accounts.EmailAddress, their_sessions.UserSession):
    admin.site.unregister(model)


class AccountForm(_UserForm):
    """An account's role; an archive keeps one administrator at least."""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        stays = self.cleaned_data.get("is_active", True)
        role = self.cleaned_data.get("role", self.instance.role)
        was = self.instance.pk is not None and is_administrator(User.objects.get(pk=self.instance.pk))
        if was and not (stays and role == Role.ADMINISTRATOR) and not others_administer(self.instance):
            raise forms.ValidationError(
                _("This is the only administrator: give somebody else that role first.")
            )
        return cleaned


@admin.register(User)
class AccountAdmin(_UserAdmin):
    """Accounts and their roles. Only administrators come here."""

    form = AccountForm
    list_display = ("username", "role", "is_active", "last_login", "date_joined")
    list_filter = ("role", "is_active")
    search_fields = ("username", "emailaddress__email")
    filter_horizontal = ("groups", "user_permissions")
    readonly_fields = ("last_login", "date_joined", "second_factor", "addresses")
    actions = ("take_second_factor", "end_accounts")
    fieldsets = (
        (None, {"fields": ("username", "password", "role", "is_active")}),
        (_("What is known"), {"fields": ("addresses", "second_factor", "last_login", "date_joined")}),
        (
            _("Single rights beside the role"),
            {"classes": ("collapse",), "fields": ("groups", "user_permissions")},
        ),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "role", "password1", "password2")}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # An account ends by the action below, which knows what else is somebody's.
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        set_role(obj, Role(obj.role))
        on = "on" if obj.is_active else "off"
        note(Deed.RIGHTS, request.user, f"account {obj.pk}: {obj.role}, {on}")

    @admin.display(description=_("second factor"), boolean=True)
    def second_factor(self, user: User) -> bool:
        return bool(is_mfa_enabled(user))

    @admin.display(description=_("e-mail addresses"))
    def addresses(self, user: User) -> str:
        return ", ".join(EmailAddress.objects.filter(user=user).values_list("email", flat=True)) or "-"

    @admin.action(description=_("Take the second factor away"), permissions=["change"])
    def take_second_factor(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        held = Authenticator.objects.filter(user__in=queryset)
        users = held.values("user").distinct().count()
        held.delete()
        for user in queryset:
            note(Deed.RIGHTS, request.user, f"account {user.pk}: no second factor any more")
        text = ngettext("%(n)d account has none now.", "%(n)d accounts have none now.", users)
        self.message_user(request, text % {"n": users})

    @admin.action(description=_("Delete the accounts; what they have sent stays"), permissions=["change"])
    def end_accounts(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        by = request.user if isinstance(request.user, User) else None
        ended = [user for user in queryset.exclude(pk=request.user.pk or 0) if end_account(user, by)]
        text = ngettext("%(n)d account is deleted.", "%(n)d accounts are deleted.", len(ended))
        self.message_user(request, text % {"n": len(ended)})


@admin.register(Upload)
class UploadAdmin(LibrariesAdmin):
    """Uploads with what became of their entries. "Add" takes files."""

    list_display = ("pk", "name", "size", "state", "counts", "uploader", "source", "received")
    list_filter = ("state", "source")
    search_fields = ("name", "sha256")
    date_hierarchy = "received"
    actions = ("admit", "retry", "reread")
    fields = (
        "name", "size", "sha256", "state", "reason", "counts", "uploader", "source", "received", "finished",
        "page", "download",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        if is_administrator(request.user):
            return found
        # The name of a file is often the players'.
        private = taken_down.hidden_from(request).exclude(game=None)
        return found.exclude(pk__in=private.values("upload"))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("archive.add_upload")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # Actions are offered to those who may change; the form itself has no field that can be.
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
        # The admin is in a transaction here, in which others would have to wait.
        note(Deed.DELETE, request.user, f"upload {obj.pk}")
        uploads.withdraw_later([obj.pk])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        for pk in ids:
            note(Deed.DELETE, request.user, f"upload {pk}")
        uploads.withdraw_later(ids)

    @admin.display(description=_("entries"))
    def counts(self, upload: Upload) -> str:
        """Show how many entries there are in each state, each number leading to the list of these."""
        address = reverse("admin:archive_entry_changelist")
        found = [(state, n) for state, n in entry_counts(Scope((upload.space,)), upload.pk).items() if n]
        return format_html_join(
            " · ",
            '<a href="{}?upload__id__exact={}&amp;state__exact={}">{} {}</a>',
            ((address, upload.pk, state, Entry.State(state).label, n) for state, n in found),
        )

    @admin.display(description=_("page"))
    def page(self, upload: Upload) -> str:
        address = reverse("upload-detail", args=[upload.pk])
        return format_html('<a href="{}">{}</a>', address, address)

    @admin.display(description=_("bytes as received"))
    def download(self, upload: Upload) -> str:
        return format_html('<a href="{}">{}</a>', reverse("api:upload-source", args=[upload.pk]), upload.name)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a form that takes files instead of fields."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = UploadForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            for file in form.cleaned_data["file"]:
                self._receive(request, file)
            return redirect("admin:archive_upload_changelist")
        context = self.admin_site.each_context(request) | {
            "form": form,
            "title": _("Upload"),
            "opts": self.opts,
        }
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
        count = sum(uploads.reread(pk) for pk in queryset.values_list("pk", flat=True))
        text = ngettext("%(n)d upload is read again.", "%(n)d uploads are read again.", count)
        self.message_user(request, text % {"n": count})


@admin.register(Entry)
class EntryAdmin(LibrariesAdmin):
    """Entries, to look for failures."""

    space = "upload__space"
    list_display = ("pk", "upload", "seq", "path", "state", "game", "format", "encoding", "codes")
    list_filter = ("state", "hidden", "format", "encoding")
    list_select_related = ("upload", "game")
    actions = ("hide", "show", "let_in")
    search_fields = ("upload__name", "path")
    exclude = ("issues", "beyond_jkf", "parsed_facts")
    readonly_fields = ("found", "source", "report", "told_beyond_jkf", "told_parsed_facts")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        if not is_administrator(request.user):
            found = found.exclude(pk__in=taken_down.hidden_from(request))
        return found.defer("beyond_jkf", "parsed_facts", "record", "game__header_data")

    def has_hide_permission(self, request: HttpRequest) -> bool:
        """Return whether somebody may take bytes away, as may who may take a game away."""
        return request.user.has_perm("archive.delete_game")

    @admin.action(description=_("Hide the bytes from all but staff"), permissions=["hide"])
    def hide(self, request: HttpRequest, queryset: QuerySet[Entry]) -> None:
        # The page of a game shows what is in its records: only what has none can be hidden.
        count = self._set_hidden(request, queryset, hidden=True)
        text = ngettext(
            "The bytes of %(n)d entry are hidden.", "The bytes of %(n)d entries are hidden.", count
        )
        self.message_user(request, text % {"n": count})
        if left := queryset.exclude(game=None).count():
            text = ngettext(
                "%(n)d entry has a game: delete that first.",
                "%(n)d entries have games: delete these first.",
                left,
            )
            self.message_user(request, text % {"n": left}, messages.WARNING)

    @admin.action(description=_("Show the bytes again"), permissions=["hide"])
    def show(self, request: HttpRequest, queryset: QuerySet[Entry]) -> None:
        count = self._set_hidden(request, queryset, hidden=False)
        text = ngettext(
            "The bytes of %(n)d entry are shown again.", "The bytes of %(n)d entries are shown again.", count
        )
        self.message_user(request, text % {"n": count})

    def _set_hidden(self, request: HttpRequest, entries: QuerySet[Entry], *, hidden: bool) -> int:
        rows = entries.filter(game=None)
        for upload, seq in rows.values_list("upload", "seq"):
            note(Deed.HIDE, request.user, f"upload {upload}, entry {seq}: {'hidden' if hidden else 'shown'}")
        return rows.update(hidden=hidden)

    @admin.action(description=_("Let held games in"), permissions=["hide"])
    def let_in(self, request: HttpRequest, queryset: QuerySet[Entry]) -> None:
        held = queryset.filter(state=Entry.State.HELD)
        for upload, seq in held.values_list("upload", "seq"):
            note(Deed.LET_IN, request.user, f"upload {upload}, entry {seq}")
        count = store.let_in(list(queryset.values_list("pk", flat=True)))
        text = ngettext("%(n)d game was let in.", "%(n)d games were let in.", count)
        self.message_user(request, text % {"n": count})

    @admin.display(description="beyond_jkf")
    def told_beyond_jkf(self, entry: Entry) -> str:
        return shortened(entry.beyond_jkf)

    @admin.display(description="parsed_facts")
    def told_parsed_facts(self, entry: Entry) -> str:
        return shortened(entry.parsed_facts)

    @admin.display(description=_("bytes as received"))
    def source(self, entry: Entry) -> str:
        return self._link("api:entry-source", entry, entry.path or entry.upload.name)

    @admin.display(description=_("report"))
    def report(self, entry: Entry) -> str:
        return self._link("api:entry-report", entry, _("report"))

    def _link(self, name: str, entry: Entry, text: StrOrPromise) -> str:
        return format_html('<a href="{}">{}</a>', reverse(name, args=[entry.upload_id, entry.seq]), text)

    @admin.display(description=_("issues"))
    def found(self, entry: Entry) -> str:
        """Show what was noticed, in words, with its place and the line."""
        told = (
            (one.severity, one.where, one.text, f"{one.before}{one.marked}{one.after}")
            for one in shown_issues(entry.issues, SHOWN // 20)
        )
        return format_html_join("", "<div>{} {}: {}<br><code>{}</code></div>", told) or "-"

    @admin.display(description=_("issues"))
    def codes(self, entry: Entry) -> str:
        return ", ".join(dict.fromkeys(issue["code"] for issue in entry.issues))


class TwinFilter(admin.SimpleListFilter):
    """Games that may be one with another; those of one meeting among the games that other filters leave."""

    title = _("likely twins")
    parameter_name = "twins"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("same-moves", _("same moves")), ("beginning", _("beginning of another"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        if self.value() == "same-moves":
            return queryset.filter(pk__in=twins.with_same_moves(scope_of(request)).order_by().values("pk"))
        if self.value() == "beginning":
            return queryset.filter(pk__in=twins.beginnings(scope_of(request), queryset))
        return queryset


def _note_game(request: HttpRequest, pk: int) -> None:
    note(Deed.DELETE, request.user, f"game {pk}{', bytes hidden' if _hides(request) else ''}")


@admin.register(Game)
class GameAdmin(LibrariesAdmin):
    """Games; deleting goes through the store, which takes them out of the index. Their bytes stay where they
    came, for everybody or hidden, as the page that confirms it asks."""

    delete_confirmation_template = "archive/admin_delete.html"
    delete_selected_confirmation_template = "archive/admin_delete_selected.html"
    list_display = ("pk", "kind", "player0", "player1", "event", "played_from", "result", "plies", "page")
    list_filter = (TwinFilter, "kind", "record_kind", "result", "handicap")
    exclude = ("header_data",)
    readonly_fields = ("told_header_data", "twins")
    list_select_related = ("player0", "player1", "event")
    search_fields = ("player0__name", "player1__name", "event__name")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("archive.delete_game")

    def get_deleted_objects(
        self, objs: QuerySet[Any] | Iterable[Any], request: HttpRequest
    ) -> tuple[list[Any], dict[Any, Any], set[Any], list[Any]]:
        return deleted_by_store(self, objs)

    def delete_model(self, request: HttpRequest, obj: Game) -> None:
        _note_game(request, obj.pk)
        store.delete_games([obj.pk], hide_bytes=_hides(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        for pk in ids:
            _note_game(request, pk)
        for first in range(0, len(ids), DELETED):
            store.delete_games(ids[first : first + DELETED], hide_bytes=_hides(request))

    @admin.display(description="header_data")
    def told_header_data(self, game: Game) -> str:
        return shortened(game.header_data)

    @admin.display(description=_("likely twins"))
    def twins(self, game: Game) -> str:
        found = (
            (reverse("admin:archive_game_change", args=[twin.id]), twin.id)
            for twin in twins.twins_of(Scope((game.space,)), game)
        )
        return format_html_join(" ", '<a href="{}">{}</a>', found) or "-"

    @admin.display(description=_("page"))
    def page(self, game: Game) -> str:
        return format_html('<a href="{}">{}</a>', reverse("game", args=[game.pk]), game.pk)


def _hides(request: HttpRequest) -> bool:
    """Return whether the page that confirms a deletion said that the bytes go too."""
    return request.POST.get("hide") == "yes"


@admin.register(SiteText)
class SiteTextAdmin(ModelAdmin):
    """Terms, privacy and contact, which administrators write; each page is linked once it has a text."""

    list_display = ("page", "language", "changed")


class OpenReports(admin.SimpleListFilter):
    """Reports that wait, which are shown first, or those that are settled."""

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
    """What visitors report of games; curators look at the game and settle the report."""

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
        """Return whether somebody may settle reports."""
        return request.user.has_perm("archive.change_report")

    @admin.display(description=_("game"))
    def page(self, report: Report) -> str:
        return format_html('<a href="{}">{}</a>', reverse("game", args=[report.game]), report.game)

    @admin.display(description=_("what they write"))
    def beginning(self, report: Report) -> str:
        return Truncator(report.text).chars(100)

    @admin.action(description=_("Mark as settled"), permissions=["settle"])
    def settle(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        by = request.user if isinstance(request.user, User) else None
        count = queryset.filter(settled=None).update(settled=timezone.now(), settled_by=by)
        self._told(request, count)

    @admin.action(description=_("Mark as not settled"), permissions=["settle"])
    def open_again(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        self._told(request, queryset.update(settled=None, settled_by=None))

    def _told(self, request: HttpRequest, count: int) -> None:
        text = ngettext("%(n)d report was changed.", "%(n)d reports were changed.", count)
        self.message_user(request, text % {"n": count})


class NameAdmin(LibrariesAdmin):
    """Names; those that no game has any more are for administrators alone."""

    search_fields = ("name",)
    games: type[Model]
    """The table of the games of each name."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        if is_administrator(request.user):
            return found
        mine = self.games._default_manager.filter(**{self.opts.model_name or "": OuterRef("pk")})
        return found.filter(Exists(mine))


@admin.register(Player)
class PlayerAdmin(NameAdmin):
    """Players."""

    games = GamePlayer


@admin.register(Event)
class EventAdmin(NameAdmin):
    """Events."""

    games = GameEvent


@admin.register(AuditLine)
class AuditAdmin(ReadOnlyAdmin):
    """Who did what, when and from where: for administrators alone."""

    list_display = ("at", "name", "deed", "what", "address")
    list_filter = ("deed",)
    date_hierarchy = "at"
    search_fields = ("name", "what", "address")
    fields = ("at", "name", "account", "deed", "what", "address")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_administrator(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)
