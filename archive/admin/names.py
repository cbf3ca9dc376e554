"""Players and events."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from archive.accounts.roles import is_administrator
from archive.admin.rows import LibrariesAdmin, link
from archive.models import Event, GameEvent, GamePlayer, Player


class NameAdmin(LibrariesAdmin):
    """Names; only administrators see those without games."""

    search_fields = ("name",)
    fields = ("name", "page")
    games: type[Model]
    """The table that connects games with names."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        names = super().get_queryset(request)
        if is_administrator(request.user):
            return names
        own_games = self.games._default_manager.filter(**{self.opts.model_name or "": OuterRef("pk")})
        return names.filter(Exists(own_games))

    @admin.display(description=_("page"))
    def page(self, name: Player | Event) -> str:
        address = reverse(self.opts.model_name or "", args=[name.pk])
        return link(address, address)


@admin.register(Player)
class PlayerAdmin(NameAdmin):
    """Players."""

    games = GamePlayer


@admin.register(Event)
class EventAdmin(NameAdmin):
    """Events."""

    games = GameEvent
