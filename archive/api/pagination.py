"""Keyset pages: the cost of a page does not depend on its distance from the first one."""

import re
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, Final

from django.core.signing import BadSignature, Signer
from django.http import QueryDict
from rest_framework.request import Request

from archive.api.errors import ApiError
from archive.models import Entry, Upload
from archive.queries.games.totals import Total
from archive.shapes.common import TotalInfo

PAGE: Final = 100
LARGEST_PAGE: Final = 500
DEFAULT_GAMES: Final = 50
THROUGH: Final = 25
"""Default number of games in a list, and of games through a position."""
NAMES: Final = 100
"""Largest number of players or events in a page, since the games of each are counted."""
PLIES: Final = 1_000
MOST_PLIES: Final = 2_000
"""Plies of one game in an answer: by default, and at most."""
PAGE_BYTES: Final = 700_000
"""Approximate size of a page of entries: a larger page ends before its limit."""
ISSUES: Final = 200
"""Issues of an entry in a page; complete lists have all of them."""
ISSUE_BYTES: Final = 1_500
"""Size of a long issue, which quotes a line of 200 characters."""
_ROW_BYTES: Final = 500
_QUOTED_LENGTH: Final = 40
_SHORT_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def limit_of(query: Mapping[str, Any], default: int = PAGE, largest: int = LARGEST_PAGE) -> int:
    """Return the `limit` of a query. Raises ApiError if it is not a number from 1 to `largest`."""
    text = query.get("limit", str(default))
    if not _SHORT_NUMBER.fullmatch(text) or not 1 <= int(text) <= largest:
        detail = f"limit={text[:_QUOTED_LENGTH]!r} is not a number from 1 to {largest}"
        raise ApiError("invalid-limit", detail, field="limit")
    return int(text)


def next_url(request: Request, cursor: str | int | None) -> str | None:
    """Return the request's own address with another cursor; None if there is no further page."""
    if cursor is None:
        return None
    parameters: QueryDict = request.query_params.copy()
    parameters["cursor"] = str(cursor)
    return request.build_absolute_uri(f"{request.path}?{parameters.urlencode()}")


def cursor_number(query: Mapping[str, Any]) -> int | None:
    """Return the `cursor` of a query as a number; None for the beginning of the list. Raises ApiError."""
    text = query.get("cursor")
    if text is not None and not _SHORT_NUMBER.fullmatch(text):
        raise ApiError("invalid-cursor", "this cursor was not made here", field="cursor")
    return None if text is None else int(text)


def sign_cursor(place: str, list_name: str, **parameter: str) -> str:
    """Return a place in a list as a signed cursor, valid for the same list and the same value of a
    parameter."""
    return _signer(list_name, parameter).sign(place)


def signed_cursor(query: Mapping[str, Any], list_name: str, **parameter: str) -> str:
    """Return the place in a signed `cursor`; empty for the beginning of the list. Raises ApiError."""
    try:
        return _signer(list_name, parameter).unsign(query["cursor"]) if "cursor" in query else ""
    except BadSignature:
        ((name, value),) = parameter.items()
        text = f"this cursor was not made here, or not for {name}={value}"
        raise ApiError("invalid-cursor", text, field="cursor") from None


def _signer(list_name: str, parameter: Mapping[str, str]) -> Signer:
    return Signer(salt=f"{list_name} {' '.join(parameter.values())}")


def total_info(total: Total) -> TotalInfo:
    return TotalInfo(total.number, total.exact)


def count_within(sizes: Iterable[int], most: int) -> int:
    """Return how many of the first items have at most `most` bytes together; at least one."""
    return max(1, sum(total <= most for total in accumulate(sizes)))


def page_of_entries(
    upload: Upload, request: Request, query: Mapping[str, Any]
) -> tuple[list[Entry], str | None]:
    """Return the entries of an upload from the cursor on, and the address of the next page."""
    limit, cursor = limit_of(query), cursor_number(query)
    after = -1 if cursor is None else cursor
    entries = Entry.objects.filter(upload=upload, seq__gt=after).defer("beyond_jkf", "record", "parsed_facts")
    rows = list(entries.order_by("seq")[: limit + 1])
    sizes = (min(len(row.issues), ISSUES) * ISSUE_BYTES + _ROW_BYTES + 4 * len(row.path) for row in rows)
    limit = min(limit, count_within(sizes, PAGE_BYTES))
    following = str(rows[limit - 1].seq) if len(rows) > limit else None
    return rows[:limit], next_url(request, following)
