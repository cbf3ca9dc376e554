"""Players and events."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from archive.accounts.roles import is_administrator
from archive.admin.rows import LibrariesAdmin
from archive.models import Event, GameEvent, GamePlayer, Player


class NameAdmin(LibrariesAdmin):
    """Names; those that no game has any more are for administrators alone."""

    search_fields = ("name",)
    fields = ("name", "page")
    games: type[Model]
    """The table of the games of each name."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        if is_administrator(request.user):
            return found
        mine = self.games._default_manager.filter(**{self.opts.model_name or "": OuterRef("pk")})
        return found.filter(Exists(mine))

    @admin.display(description=_("page"))
    def page(self, name: Player | Event) -> str:
        address = reverse(self.opts.model_name or "", args=[name.pk])
        return format_html('<a href="{}">{}</a>', address, address)


@admin.register(Player)
class PlayerAdmin(NameAdmin):
    """Players."""

    games = GamePlayer


@admin.register(Event)
class EventAdmin(NameAdmin):
    """Events."""

    games = GameEvent
