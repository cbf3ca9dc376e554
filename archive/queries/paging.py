"""Pages of rows in descending order of their ids."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

T = TypeVar("T", bound=Model)


def page_before(rows: QuerySet[T], before: int | None, size: int) -> tuple[list[T], int | None]:
    """Return up to `size` rows with ids below `before` (None: from the largest one), and the `before` of the
    next page; None if there is none."""
    below = rows if before is None else rows.filter(pk__lt=before)
    page = list(below.order_by("-pk")[: size + 1])
    return page[:size], page[size - 1].pk if len(page) > size else None
