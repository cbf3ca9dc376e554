"""Keyset pages: a page's cost does not depend on how far it is from the first."""

from __future__ import annotations

from django.http import QueryDict
from rest_framework.request import Request

from archive.api.errors import ApiError
from archive.models import Entry, Upload

PAGE = 100
LARGEST_PAGE = 500


def limit_of(request: Request, default: int = PAGE, largest: int = LARGEST_PAGE) -> int:
    """The `limit` asked for. Raises ApiError where it is no number from 1 to `largest`."""
    text = request.query_params.get("limit", str(default))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= largest:
        raise ApiError("invalid-limit", f"limit={text!r} is not a number from 1 to {largest}")
    return int(text)


def address_with(request: Request, cursor: str | None) -> str | None:
    """The request's own address with another cursor; None for no further page."""
    if cursor is None:
        return None
    parameters: QueryDict = request.query_params.copy()
    parameters["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{parameters.urlencode()}")


def page_of_entries(upload: Upload, request: Request) -> tuple[list[Entry], str | None]:
    """Entries of an upload from the cursor on, and the address of the next page."""
    limit = limit_of(request)
    after = request.query_params.get("cursor", "-1")
    if not after.lstrip("-").isdigit() or len(after) > 18:
        raise ApiError("invalid-cursor", "this cursor was not made here")
    rows = list(Entry.objects.filter(upload=upload, seq__gt=int(after)).order_by("seq")[: limit + 1])
    following = str(rows[limit - 1].seq) if len(rows) > limit else None
    return rows[:limit], address_with(request, following)
