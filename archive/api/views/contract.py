"""The contract that clients are generated from."""

from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson
from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from rest_framework.request import Request

from archive.api.endpoints import endpoint, preferred_type
from archive.api.negotiation import JSON
from archive.api.operations import Example, Operation

YAML: Final = "application/yaml"


@endpoint(
    "GET",
    types=[JSON, YAML],
    operation=Operation(
        {200: dict[str, Any]}, examples=(Example("As JSON"), Example("As YAML", accept=YAML))
    ),
)
def schema(request: Request) -> HttpResponse:
    """Send this contract: OpenAPI 3.1, as JSON or YAML."""
    chosen = preferred_type(request)
    return HttpResponse(_yaml() if chosen == YAML else _json(), content_type=chosen)


@endpoint("GET", types=["text/html"], operation=Operation({200: None}, examples=(Example("The page"),)))
def docs(request: Request) -> HttpResponse:
    """Show this contract as a page on which every operation can be tried."""
    return render(request._request, "archive/contract.html")


@cache
def _yaml() -> bytes:
    return Path(settings.BASE_DIR, "schema", "openapi.yaml").read_bytes()


@cache
def _json() -> bytes:
    # Only processes that serve the contract as JSON load a YAML parser.
    import yaml

    return orjson.dumps(yaml.load(_yaml(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
