"""Endpoints of the API: they declare their methods, parameters and types of answers.

A parameter that is not declared is an error, so that no misspelled one is ignored in silence.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import Any, Final

from django.http import HttpResponseBase, QueryDict
from django.utils import translation
from django.utils.cache import patch_vary_headers
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request

from archive.api.errors import ApiError
from archive.api.negotiation import JSON, Types
from archive.api.operations import Operation
from archive.caching.entity_tags import of_parts
from archive.caching.responses import cached_response
from archive.queries.scope import CHOSEN, KEY, is_stranger

_TOKEN: Final = "csrfmiddlewaretoken"
"""The CSRF field of the site's forms."""

EVERYWHERE: Final = (CHOSEN, KEY)
"""Parameters of every address: they choose the spaces to read (`archive.queries.scope`)."""

_FEW: Final = 12
"""Names that are all listed if one is unknown."""
_NAME_LENGTH: Final = 40
"""Characters of an unknown name that are compared with others."""

Serializer = type[serializers.Serializer[Any]]


class NoParameters(serializers.Serializer[Any]):
    """No parameters."""


def endpoint(
    *methods: str,
    operation: Operation | Mapping[str, Operation],
    query: Serializer | Mapping[str, Serializer] = NoParameters,
    types: Types = (JSON,),
    cached: bool = False,
) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Make a function a view of the API for some methods; GET includes HEAD.

    `query` declares the parameters of the address, by method if there are several. If there are any, the
    function receives them as `query`. `preferred_type` returns the one of `types` that the client prefers.
    `operation` describes the view for the contract, by method if there are several.

    With `cached`, strangers get the same response until something is committed. It must then depend only on
    the address, the type and the language.
    """
    allowed = [*methods, *(["HEAD"] if "GET" in methods else [])]
    declared = query if isinstance(query, Mapping) else dict.fromkeys(methods, query)
    queries = {name: declared.get(name, NoParameters) for name in methods}

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def checked(request: Request, /, **parts: Any) -> HttpResponseBase:
            def make() -> HttpResponseBase:
                serializer = queries["GET" if request.method == "HEAD" else str(request.method)]
                response = view(request, **_parameters(request, serializer), **parts)
                if not callable(types) and len(types) > 1:
                    patch_vary_headers(response, ["Accept"])
                return response

            key = _stranger(request) if cached else ""
            return cached_response(request._request, key, make)

        made = api_view(allowed)(checked)
        made.cls.queries, made.cls.types = queries, types  # type: ignore[attr-defined]
        described = operation if isinstance(operation, Mapping) else dict.fromkeys(methods, operation)
        made.cls.operations = described  # type: ignore[attr-defined]
        return made

    return decorate


def _parameters(request: Request, serializer: Serializer) -> dict[str, Any]:
    parameters = request.query_params.copy()
    for name in EVERYWHERE:
        parameters.pop(name, None)
    values = validated(serializer, parameters)
    return {} if serializer is NoParameters else {"query": values}


def _stranger(request: Request) -> str:
    """Return a key for a stranger's request; empty for other visitors."""
    if not is_stranger(request):
        return ""
    return of_parts(request.build_absolute_uri(), preferred_type(request), translation.get_language())


def validated(
    serializer: Serializer, data: Mapping[str, Any] | list[Any], several: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the values of the parameters of an address, or of the fields of a body.

    A name may be repeated only if it is in `several`. Raises ValidationError, which names each field that is
    unknown, repeated, missing or of another type.
    """
    if not isinstance(data, Mapping | QueryDict):
        raise ApiError("invalid", "the body is an object")
    single = data.dict() if isinstance(data, QueryDict) else dict(data)
    if isinstance(data, QueryDict):
        single.pop(_TOKEN, None)
    bound = serializer(data=single)
    wrong: dict[str, Any] = {
        name: [_unknown(name, serializer().fields)] for name in single if name not in bound.fields
    }
    # The texts of the framework follow Accept-Language; ours are English.
    with translation.override("en"):
        if not bound.is_valid():
            wrong |= bound.errors
    if isinstance(data, QueryDict):
        repeated = {name for name in single if len(data.getlist(name)) > 1} - {*several}
        wrong |= {name: ["it is given more than once"] for name in repeated}
    if wrong:
        raise serializers.ValidationError(wrong)
    return dict(bound.validated_data)


def _unknown(name: str, known: Collection[str]) -> str:
    """Return the detail for a name that is unknown, with similar ones or, if there are few, with all."""
    names = get_close_matches(name[:_NAME_LENGTH], known) or (sorted(known) if len(known) <= _FEW else ())
    text = "there is no such parameter"
    return f"{text}; there are: {', '.join(names)}" if names else text


def body(serializer: Serializer, request: Request, several: Iterable[str] = ()) -> dict[str, Any]:
    """Return the fields of a request's body, JSON or a form, as `validated` does."""
    return validated(serializer, request.data, several)


def preferred_type(request: Request) -> str:
    """Return the media type of the address that the client prefers."""
    return str(request.accepted_media_type)
