"""Entries: list them, hide their bytes, release held games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from archive import store
from archive.accounts.audit import note
from archive.accounts.roles import is_administrator
from archive.admin.rows import ChosenFilter, LibrariesAdmin, link, shortened
from archive.models import AuditEvent, Entry
from archive.queries.games import taken_down
from archive.web.replay.issue_texts import shown_issues
from kifu_core.games import GAMES

MOST_ISSUES: Final = 100
"""Issues on the page of an entry."""

_SEVERITIES: Final = {"error": _("error"), "warning": _("warning")}

REASONS: Final = 2
"""Issues of an entry in the list, errors first."""


class FormatFilter(ChosenFilter):
    title, column = _("format"), "format"

    def choose(self) -> Iterable[tuple[Any, Any]]:
        return [(name, name) for game in GAMES.values() for name in game.formats.readers]


@admin.register(Entry)
class EntryAdmin(LibrariesAdmin):
    """Entries, for finding failures."""

    space = "upload__space"
    list_display = ("file", "place", "state", "reasons", "page")
    list_filter = ("state", "hidden", FormatFilter)
    list_select_related = ("upload", "game")
    actions = ("hide", "show", "let_in")
    search_fields = ("upload__name", "path")
    fields = (
        "upload",
        "place",
        "file",
        "state",
        "hidden",
        "page",
        "issue_list",
        "read_as",
        "source",
        "report",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        entries = super().get_queryset(request)
        if not is_administrator(request.user):
            entries = entries.exclude(pk__in=taken_down.hidden_from(request))
        return entries.defer("beyond_jkf", "parsed_facts", "record", "game__header_data")

    def has_hide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("archive.delete_game")

    @admin.action(description=_("Hide the bytes from all but staff"), permissions=["hide"])
    def hide(self, request: HttpRequest, queryset: QuerySet[Entry]) -> None:
        # A game's page shows its records, so only entries without a game can be hidden.
        count = self._set_hidden(request, queryset, hidden=True)
        text = ngettext(
            "The bytes of %(n)d entry are hidden.", "The bytes of %(n)d entries are hidden.", count
        )
        self.message_user(request, text % {"n": count})
        if with_games := queryset.exclude(game=None).count():
            text = ngettext(
                "%(n)d entry has a game: delete that first.",
                "%(n)d entries have games: delete these first.",
                with_games,
            )
            self.message_user(request, text % {"n": with_games}, messages.WARNING)

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
            note(
                AuditEvent.HIDE,
                request.user,
                f"upload {upload}, entry {seq}: {'hidden' if hidden else 'shown'}",
            )
        return rows.update(hidden=hidden)

    @admin.action(description=_("Let held games in"), permissions=["hide"])
    def let_in(self, request: HttpRequest, queryset: QuerySet[Entry]) -> None:
        held = queryset.filter(state=Entry.State.HELD)
        for upload, seq in held.values_list("upload", "seq"):
            note(AuditEvent.LET_IN, request.user, f"upload {upload}, entry {seq}")
        count = store.release_held(list(queryset.values_list("pk", flat=True)))
        text = ngettext("%(n)d game was let in.", "%(n)d games were let in.", count)
        self.message_user(request, text % {"n": count})

    @admin.display(description=_("file"))
    def file(self, entry: Entry) -> str:
        return entry.path or entry.upload.name

    @admin.display(description=_("number"), ordering="seq")
    def place(self, entry: Entry) -> int:
        return entry.seq + 1

    @admin.display(description=_("game"))
    def page(self, entry: Entry) -> str:
        if entry.game_id is None:
            return "–"
        return link(reverse("game", args=[entry.game_id]), entry.game_id)

    @admin.display(description=_("read as"))
    def read_as(self, entry: Entry) -> str:
        return " · ".join(filter(None, (entry.format, entry.encoding, entry.program))) or "–"

    @admin.display(description=_("bytes as received"))
    def source(self, entry: Entry) -> str:
        return link(reverse("api:entry-source", args=[entry.upload_id, entry.seq]), self.file(entry))

    @admin.display(description=_("report"))
    def report(self, entry: Entry) -> str:
        return link(reverse("api:entry-report", args=[entry.upload_id, entry.seq]), _("report"))

    @admin.display(description=_("issues"))
    def issue_list(self, entry: Entry) -> str:
        rows = (
            (_SEVERITIES.get(one.severity, ""), one.where, one.text, f"{one.before}{one.marked}{one.after}")
            for one in shown_issues(entry.issues, MOST_ISSUES)
        )
        return format_html_join("", "<div>{} {}: {}<br><code>{}</code></div>", rows) or "-"

    @admin.display(description=_("what was noticed"))
    def reasons(self, entry: Entry) -> str:
        texts = dict.fromkeys(shortened(one.text) for one in shown_issues(entry.issues, REASONS))
        return format_html_join("", "<div>{}</div>", ((text,) for text in texts)) or "–"
