"""The admin of games: listing and deleting them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from archive import store
from archive.accounts.audit import note_game_deleted
from archive.admin.rows import ChosenFilter, LibrariesAdmin, deleted_by_store, link
from archive.models import Game
from archive.web.wording import ENDINGS_OF, GAME_NAMES, MARKS_OF, RESULTS_OF, STARTS_OF, day_text

DELETED_AT_ONCE: Final = 50
"""How many games one transaction deletes. Other writers can proceed between transactions."""


class KindFilter(ChosenFilter):
    title, column = _("kind"), "kind"

    def choose(self) -> Iterable[tuple[Any, Any]]:
        return GAME_NAMES.items()


class ResultFilter(ChosenFilter):
    title, column = _("result"), "result"

    def choose(self) -> Iterable[tuple[Any, Any]]:
        results = zip(*RESULTS_OF.values(), strict=True)
        return [(result, " / ".join(dict.fromkeys(map(str, words)))) for result, words in enumerate(results)]


class HandicapFilter(ChosenFilter):
    title, column = _("start"), "handicap"

    def choose(self) -> Iterable[tuple[Any, Any]]:
        return {name: words for starts in STARTS_OF.values() for name, words in starts.items()}.items()


def _log_deletion(request: HttpRequest, pk: int) -> None:
    note_game_deleted(request.user, pk, hidden=_hides_bytes(request))


@admin.register(Game)
class GameAdmin(LibrariesAdmin):
    """Games. Deleting one also removes it from the index. Its bytes remain in the uploads; the confirmation
    page asks whether to hide them."""

    delete_confirmation_template = "archive/admin_delete.html"
    delete_selected_confirmation_template = "archive/admin_delete_selected.html"
    list_display = ("number", "players", "event_name", "day", "game", "outcome", "length", "page")
    list_filter = (KindFilter, "record_kind", ResultFilter, HandicapFilter)
    fields = ("players", "event_name", "place", "day", "game", "start", "outcome", "length", "page")
    list_select_related = ("player0", "player1", "event")
    search_fields = ("player0__name", "player1__name", "event__name")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("archive.delete_game")

    def get_deleted_objects(
        self, objs: QuerySet[Any] | Iterable[Any], request: HttpRequest
    ) -> tuple[list[Any], dict[Any, Any], set[Any], list[Any]]:
        return deleted_by_store(self, objs)

    def delete_model(self, request: HttpRequest, obj: Game) -> None:
        _log_deletion(request, obj.pk)
        store.delete_games([obj.pk], hide_bytes=_hides_bytes(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        for pk in ids:
            _log_deletion(request, pk)
        for first in range(0, len(ids), DELETED_AT_ONCE):
            store.delete_games(ids[first : first + DELETED_AT_ONCE], hide_bytes=_hides_bytes(request))

    @admin.display(description=_("players"))
    def players(self, game: Game) -> str:
        names = (str(game.player0 or "–"), str(game.player1 or "–"))
        return " ".join(f"{mark}{name}" for mark, name in zip(MARKS_OF[game.kind], names, strict=True))

    @admin.display(description=_("event"), ordering="event__name")
    def event_name(self, game: Game) -> str:
        return " ".join(filter(None, (str(game.event or ""), game.round))) or "–"

    @admin.display(description=_("place"))
    def place(self, game: Game) -> str:
        return game.site or "–"

    @admin.display(description=_("day"), ordering="played")
    def day(self, game: Game) -> str:
        return day_text(game.played_from, game.precision) or "–"

    @admin.display(description=_("kind"))
    def game(self, game: Game) -> str:
        return f"{GAME_NAMES[game.kind]} · {game.get_record_kind_display()}"

    @admin.display(description=_("start"))
    def start(self, game: Game) -> str:
        return str(STARTS_OF[game.kind].get(game.handicap, game.handicap))

    @admin.display(description=_("result"))
    def outcome(self, game: Game) -> str:
        ending = ENDINGS_OF[game.kind].get(game.special, game.special)
        return " · ".join(filter(None, (str(RESULTS_OF[game.kind][game.result]), str(ending))))

    @admin.display(description=_("moves"), ordering="plies")
    def length(self, game: Game) -> int:
        return game.plies

    @admin.display(description=_("page"))
    def page(self, game: Game) -> str:
        return link(reverse("game", args=[game.pk]), game.pk)


def _hides_bytes(request: HttpRequest) -> bool:
    """Return whether the confirmation page was sent with the choice to hide the bytes."""
    return request.POST.get("hide") == "yes"
