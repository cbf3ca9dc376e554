"""Content negotiation: the media type that a client prefers among those of an address.

Nothing here may import the framework's views, whose settings name these classes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from django.http.request import MediaType
from rest_framework.exceptions import NotAcceptable
from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import BaseContentNegotiation, DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from archive.api.problems import PROBLEM

JSON: Final = "application/json"
Types = Sequence[str] | Callable[..., Sequence[str]]
"""The media types of an address, the default first, or a function of the variable parts of the address."""


class Negotiation(BaseContentNegotiation):
    """Chooses the type of the address with the highest quality value in `Accept`.

    A client that accepts problem details accepts JSON.
    """

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return DefaultContentNegotiation().select_parser(request, parsers)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        (renderer,) = renderers
        context = request.parser_context
        types = _types_of(context["view"], context["kwargs"])
        header = request.headers.get("Accept", "")
        if not header.strip():
            return renderer, types[0]
        offered = [*types, PROBLEM] if JSON in types else [*types]
        accepted = [MediaType(one) for one in header.split(",")]
        chosen = max(offered, key=lambda one: _quality(accepted, one))
        if not _quality(accepted, chosen):
            raise NotAcceptable(f"this address has {', '.join(types)}")
        return renderer, JSON if chosen == PROBLEM else chosen


def _quality(accepted: Sequence[MediaType], offered: str) -> float:
    """Return the quality value of a type, from 0 to 1: that of the most specific accepted type that
    matches."""
    main, _, sub = offered.partition("/")
    matches = [
        (one.specificity, one.quality)
        for one in accepted
        if one.main_type in ("*", main) and one.sub_type in ("*", sub)
    ]
    return max(matches)[1] if matches else 0


def _types_of(view: Any, parts: Mapping[str, Any]) -> Sequence[str]:
    types: Types = type(view).types if hasattr(type(view), "types") else (JSON,)
    return types(**parts) if callable(types) else types


class Options(BaseMetadata):
    """Answers OPTIONS: the methods and parameters of an address."""

    def determine_metadata(self, request: Request, view: Any) -> dict[str, Any]:
        parameters = {name for query in view.queries.values() for name in query().fields}
        return {"methods": view.allowed_methods, "parameters": sorted(parameters)}
