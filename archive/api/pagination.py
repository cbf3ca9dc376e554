"""Keyset pages: the cost of a page does not depend on how far it is from the first one."""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from django.http import QueryDict
from rest_framework.request import Request

from archive.api.errors import ApiError
from archive.api.json_body import encode
from archive.api.shapes.common import TotalInfo
from archive.models import Entry, Upload
from archive.queries.games.totals import Total

PAGE: Final = 100
LARGEST_PAGE: Final = 500
GAMES: Final = 50
THROUGH: Final = 25
"""Games that a list has where nothing is said, and games through a position."""
NAMES: Final = 100
"""Players or events that a list has at most: as many as its page, since of each its games are counted."""
PLIES: Final = 1_000
MOST_PLIES: Final = 2_000
"""Plies of one game in an answer: by default, and at most."""
PAGE_BYTES: Final = 700_000
"""Approximate size of a page of entries: a larger page ends before its limit."""
ISSUES: Final = 200
"""Issues of an entry in a page; whole lists have all of them."""
ISSUE_BYTES: Final = 1_500
"""A long one: it has a line of 200 characters in it."""
_ROW_BYTES: Final = 500
_SHOWN: Final = 40
_SHORT_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def limit_of(query: Mapping[str, Any], default: int = PAGE, largest: int = LARGEST_PAGE) -> int:
    """Return the `limit` of a query. Raises ApiError if it is not a number from 1 to `largest`."""
    text = query.get("limit", str(default))
    if not _SHORT_NUMBER.fullmatch(text) or not 1 <= int(text) <= largest:
        detail = f"limit={text[:_SHOWN]!r} is not a number from 1 to {largest}"
        raise ApiError("invalid-limit", detail, field="limit")
    return int(text)


def address_with(request: Request, cursor: str | None) -> str | None:
    """Return the request's own address with another cursor; None if there is no further page."""
    if cursor is None:
        return None
    parameters: QueryDict = request.query_params.copy()
    parameters["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{parameters.urlencode()}")


def number_of(query: Mapping[str, Any]) -> int | None:
    """Return the place at which a list is to begin, for cursors that are numbers; None for the beginning.
    Raises ApiError.
    """
    text = query.get("cursor")
    if text is not None and not _SHORT_NUMBER.fullmatch(text):
        raise ApiError("invalid-cursor", "this cursor was not made here", field="cursor")
    return None if text is None else int(text)


def total_info(total: Total) -> TotalInfo:
    """Return a total as it is sent."""
    return TotalInfo(total.number, total.exact)


def fitting(results: Sequence[Any], most: int) -> int:
    """Return how many of the first members of an answer fit into that many bytes; at least one."""
    totals = accumulate(len(encode(one)) for one in results)
    return max(1, sum(total <= most for total in totals))


def page_of_entries(
    upload: Upload, request: Request, query: Mapping[str, Any]
) -> tuple[list[Entry], str | None]:
    """Return the entries of an upload from the cursor on, and the address of the next page."""
    limit, cursor = limit_of(query), number_of(query)
    after = -1 if cursor is None else cursor
    entries = Entry.objects.filter(upload=upload, seq__gt=after).defer("beyond_jkf", "record", "parsed_facts")
    rows = list(entries.order_by("seq")[: limit + 1])
    limit = min(limit, _fitting_entries(rows))
    following = str(rows[limit - 1].seq) if len(rows) > limit else None
    return rows[:limit], address_with(request, following)


def _fitting_entries(rows: Sequence[Entry]) -> int:
    """Return how many of the first entries fit into one answer; at least one."""
    sizes = (min(len(row.issues), ISSUES) * ISSUE_BYTES + _ROW_BYTES + 4 * len(row.path) for row in rows)
    return max(1, sum(total <= PAGE_BYTES for total in accumulate(sizes)))
