"""Searches in bodies of requests: the parameters of `GET games` as a text, and a space by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import QueryDict

from archive.api.endpoints import validated
from archive.api.serializers import FacetsQuery
from archive.queries.games.filters import stored_parameters
from archive.queries.scope import UnknownScopeError, readable_spaces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rest_framework.request import Request


def search_of(text: str) -> dict[str, Any]:
    """Return the `stored_parameters` of a search. Raises ValidationError."""
    return stored_parameters(validated(FacetsQuery, QueryDict(text)))


def space_and_search_of(request: Request, fields: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return the space and the search that a body has as `space` and `search`. Raises UnknownScopeError,
    ValidationError."""
    spaces = readable_spaces(request._request)
    if fields["space"] not in spaces:
        raise UnknownScopeError
    return spaces[fields["space"]], search_of(fields["search"])
