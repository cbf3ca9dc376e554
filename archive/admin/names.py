"""Players, events and places."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from archive.accounts.roles import is_administrator
from archive.admin.rows import LibrariesAdmin, link
from archive.models import GAMES_OF, AnyName, Event, NameKind, Place, Player


class NameAdmin(LibrariesAdmin):
    """Names; only administrators see those without games."""

    search_fields = ("name",)
    fields = ("name", "page")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        names = super().get_queryset(request)
        if is_administrator(request.user):
            return names
        kind: NameKind = self.model.KIND
        own_games = GAMES_OF[kind]._default_manager.filter(**{kind: OuterRef("pk")})
        return names.filter(Exists(own_games))

    @admin.display(description=_("page"))
    def page(self, name: AnyName) -> str:
        address = reverse(self.opts.model_name or "", args=[name.pk])
        return link(address, address)


@admin.register(Player)
class PlayerAdmin(NameAdmin):
    """Players."""


@admin.register(Event)
class EventAdmin(NameAdmin):
    """Events."""


@admin.register(Place)
class PlaceAdmin(NameAdmin):
    """Places."""
