"""What pages of the admin share: rows that only the store writes, and of libraries only one's own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from archive.accounts.roles import is_administrator
from archive.queries.scope import readable_spaces

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    # They are no generic classes at run time.
    ModelAdmin = admin.ModelAdmin


SHOWN: Final = 2_000
"""Characters of a long text that a page of the admin shows, and of issues a twentieth of that."""


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
