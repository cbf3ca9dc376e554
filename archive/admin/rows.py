"""What pages of the admin share: rows that only the store writes, and of libraries only one's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from archive.accounts.roles import is_administrator
from archive.queries.scope import readable_spaces

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    # They are no generic classes at run time.
    ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ModelAdmin):
    """Shows rows that only `archive.store` writes. Their tables are large: nothing is counted for the choices
    of filters, nor how many rows there would be without them."""

    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False

    @admin.display(description=_("number"), ordering="pk")
    def number(self, row: Model) -> int:
        return int(row.pk)

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


class ChosenFilter(ABC, admin.SimpleListFilter):
    """A filter by a column of few possible values, which Django would read from all rows."""

    column: str
    """The column, which is the name of the parameter too."""

    @abstractmethod
    def choose(self) -> Iterable[tuple[Any, Any]]:
        """Return the values with their words."""

    def __init__(self, *args: Any) -> None:
        self.parameter_name = self.column
        super().__init__(*args)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(str(value), words) for value, words in self.choose()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        known = {str(value): value for value, _words in self.choose()}
        value = known.get(self.value() or "")
        return queryset if value is None else queryset.filter(**{self.column: value})


def shortened(text: str) -> str:
    """Return the beginning of a text, as much as a cell of a list has room for."""
    return Truncator(text).chars(140)


def deleted_by_store(
    model_admin: ReadOnlyAdmin, objs: Iterable[Model]
) -> tuple[list[Any], dict[Any, Any], set[Any], list[Any]]:
    """Tell the admin, which asks before it deletes, the rows alone. What belongs to them is deleted by the
    store; the protected foreign keys are no obstacle to it."""
    rows = [str(row) for row in objs]
    return rows, {model_admin.opts.verbose_name_plural: len(rows)}, set(), []
