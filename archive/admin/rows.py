"""Base classes of the admin: rows that only the store writes, limited to readable libraries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
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
    """Rows that only `archive.store` writes. Their tables are large, so neither the choices of filters nor
    all rows are counted."""

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
    """Rows of the spaces that the user can read; administrators see all."""

    space = "space"
    """The lookup of a row's space."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if is_administrator(request.user):
            return rows
        return rows.filter(**{f"{self.space}__in": readable_spaces(request).values()})


class ChosenFilter(ABC, admin.SimpleListFilter):
    """A filter by a column with fixed values, which Django would collect from all rows."""

    column: str
    """The column, and the name of the parameter."""

    @abstractmethod
    def choose(self) -> Iterable[tuple[Any, Any]]:
        """Return values and labels."""

    def __init__(self, *args: Any) -> None:
        self.parameter_name = self.column
        super().__init__(*args)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(str(value), words) for value, words in self.choose()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        values = {str(value): value for value, _words in self.choose()}
        value = values.get(self.value() or "")
        return queryset if value is None else queryset.filter(**{self.column: value})


def link(address: str, text: object) -> SafeString:
    return format_html('<a href="{}">{}</a>', address, text)


def shortened(text: str) -> str:
    """Return a text cut to the size of a cell."""
    return Truncator(text).chars(140)


def deleted_by_store(
    model_admin: ReadOnlyAdmin, objs: Iterable[Model]
) -> tuple[list[Any], dict[Any, Any], set[Any], list[Any]]:
    """Return the rows alone for the confirmation page: the store deletes what belongs to them, in spite of
    protected foreign keys."""
    rows = [str(row) for row in objs]
    return rows, {model_admin.opts.verbose_name_plural: len(rows)}, set(), []
