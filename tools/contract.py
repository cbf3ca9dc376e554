"""Makes the contract of the API, OpenAPI 3.1, from the declarations of its endpoints.

    python -m tools.contract

writes `schema/openapi.yaml`, which the archive serves as a file. Its examples are answers about the sample
games (`schema/examples.json`), recorded by `tests/archive/test_contract.py`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

import django
import yaml

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
django.setup()

from django.utils.translation import override  # noqa: E402
from drf_spectacular.generators import SchemaGenerator  # noqa: E402
from drf_spectacular.openapi import AutoSchema  # noqa: E402
from drf_spectacular.settings import patched_settings  # noqa: E402
from rest_framework import serializers  # noqa: E402

from archive.api import operations, urls  # noqa: E402
from archive.api.endpoints import NoParameters  # noqa: E402
from archive.api.fields import FlagField, FormFileField, TextField  # noqa: E402
from archive.api.negotiation import JSON  # noqa: E402
from archive.api.operations import Example, Operation, Schema  # noqa: E402
from archive.api.problems import OF_STATUS, PROBLEM, Problem  # noqa: E402
from archive.shapes.common import IssueInfo  # noqa: E402
from tools.schemas import docstring_text, schema_of  # noqa: E402

FILE: Final = Path(__file__).resolve().parents[1] / "schema" / "openapi.yaml"
EXAMPLES: Final = FILE.with_name("examples.json")

_ROUTES: Final[dict[type, Any]] = {getattr(one.callback, "cls", object): one for one in urls.urlpatterns}
_FORMS: Final = ("multipart/form-data", "application/x-www-form-urlencoded")


# --- problems --------------------------------------------------------------------------------------------

Codes = tuple[str, ...]


def problems_of(method: str, parts: Iterable[str], operation: Operation) -> dict[int, Codes]:
    """Return all codes of an operation by status."""
    of_methods = {
        "POST": operations.OF_BODIES,
        "PUT": operations.OF_BODIES,
        "DELETE": operations.OF_CHANGES,
    }
    of_method = of_methods.get(method, {})
    of_resources = operations.OF_RESOURCES if "pk" in parts else {}
    return operations.merge_problems(operations.EVERYWHERE, of_method, of_resources, operation.problems)


def _shared() -> dict[tuple[int, Codes], str]:
    """Return the names of the problem responses that several operations share."""
    names: dict[tuple[int, Codes], str] = {}
    for method, suffix in (("GET", ""), ("POST", "Sent"), ("DELETE", "Deleting")):
        for status, codes in problems_of(method, ["pk"], Operation({})).items():
            word = OF_STATUS[status][0] if status in OF_STATUS else codes[0]
            name = "".join(map(str.capitalize, word.split("-")))
            taken = name in names.values()
            names.setdefault((status, codes), f"{name}{suffix}" if taken else name)
    return names


SHARED: Final = _shared()


def _problem(status: int, codes: Codes, examples: Schema | None = None) -> Schema:
    listed = codes if len(codes) < 40 else (*codes[:10], "…")
    content: Schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    headers = {401: ["WWW-Authenticate"], 429: ["Retry-After"]}.get(status, [])
    return {
        "description": ", ".join(f"`{code}`" for code in listed),
        **({"headers": _headers(headers)} if headers else {}),
        "content": {PROBLEM: content | ({"examples": examples} if examples else {})},
        "x-codes": [*codes],
    }


def _headers(names: Iterable[str]) -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


# --- operations ------------------------------------------------------------------------------------------


class Contract(AutoSchema):
    """Describes an operation by the declaration of its endpoint."""

    recorded: Mapping[str, Mapping[str, Any]]
    method: str

    @property
    def operation(self) -> Operation:
        return type(self.view).operations[self.method]  # type: ignore[attr-defined,no-any-return]

    @property
    def parts(self) -> list[str]:
        """Return the names of the variable parts of the address in the URL configuration."""
        return list(_ROUTES[type(self.view)].pattern.converters)

    def get_operation_id(self) -> str:
        return f"{self.method.lower()}_{_ROUTES[type(self.view)].name}".replace("-", "_")

    def get_tags(self) -> list[str]:
        word = self.path.split("/")[3]
        return [_TAGS.get(word, word)]

    def get_summary(self) -> str:
        return self.operation.text or docstring_text(type(self.view).__doc__).partition("\n")[0]

    def get_description(self) -> str:  # type: ignore[override]
        return "" if self.operation.text else docstring_text(type(self.view).__doc__).partition("\n\n")[2]

    def get_auth(self) -> list[Schema]:
        """Return the ways to sign in if they differ from the default: an operation that stores needs a CSRF
        token.

        Client generators require authentication for an operation that lists such ways, so `{}` is among them.
        """
        if self.method == "GET" or _STATELESS.match(self.path):
            return []
        return [{"bearer": []}, {"basic": []}, {"session": [], "csrf": []}, {}]

    def is_deprecated(self) -> bool:
        return False

    # --- requests

    def _get_parameters(self) -> list[Schema]:
        parts = [operations.PATH_PARAMETERS[name] for name in self.parts]
        parameters: list[Schema] = [
            {"name": one.name, "in": "path", "required": True, "description": one.text, "schema": one.schema}
            for one in parts
        ]
        query = type(self.view).queries[self.method]()  # type: ignore[attr-defined]
        mapped = {} if isinstance(query, NoParameters) else self._map_serializer(query, "request")
        for name, schema in mapped.get("properties", {}).items():
            text = {"description": schema.pop("description")} if "description" in schema else {}
            needed = {"required": True} if name in mapped.get("required", ()) else {}
            parameters.append({"name": name, "in": "query", **needed, **text, "schema": schema})
        for parameter in parameters:
            examples = self._examples_of(str(parameter["name"]), str(parameter["in"]), parameter["schema"])
            if examples and parameter.get("required"):
                parameter["examples"] = examples
            elif examples:
                # Swagger UI fills `examples` of a parameter into its form; those of a schema it only shows.
                values = dict.fromkeys(one["value"] for one in examples.values())
                parameter["schema"] = {**parameter["schema"], "examples": [*values]}
        return parameters + [{"$ref": f"#/components/parameters/{name}"} for name in _PARAMETERS]

    def _examples_of(self, name: str, place: str, schema: Schema) -> Schema:
        called = {operations.PATH_PARAMETERS[part].name: part for part in self.parts}
        flags = _FLAGS if schema.get("type") == "boolean" else {}
        return {
            _key(one): {"summary": one.name, "value": flags.get(values[part], values[part])}
            for one in self.operation.examples
            for values, part in [(one.parts, called.get(name, "")) if place == "path" else (one.query, name)]
            if part in values and values[part] in schema.get("enum", [values[part]])
        }

    def _map_serializer_field(self, field: Any, direction: Any, bypass_extensions: bool = False) -> Any:
        text = {"description": str(field.help_text)} if field.help_text else {}
        if isinstance(field, FormFileField):
            return {**field.schema, **text}
        if isinstance(field, FlagField):
            default = {"default": field.default} if isinstance(field.default, bool) else {}
            return {"type": "boolean", **text, **default}
        schema = super()._map_serializer_field(field, direction, bypass_extensions)
        return schema | field.schema if isinstance(field, TextField) else schema

    def _get_request_body(self, direction: str = "request") -> Schema | None:
        body = self.operation.body
        if body is None:
            return None
        fields, mapped = body().fields, self._map_serializer(body(), "request")
        lists = [
            name
            for name, one in fields.items()
            if isinstance(one, serializers.ListField | serializers.DictField)
        ]
        types = [JSON] if {*lists} & {*mapped.get("required", ())} else [JSON, *_FORMS]
        return {"required": True, "content": {one: self._sent(one, fields, mapped) for one in types}}

    def _sent(self, media_type: str, fields: Mapping[str, Any], mapped: Schema) -> Schema:
        files = [name for name, one in fields.items() if isinstance(one, FormFileField)]
        deep = [
            name
            for name, one in fields.items()
            if isinstance(one, serializers.ListField | serializers.DictField) and media_type != JSON
        ]
        left_out = deep if media_type == _FORMS[0] else [*files, *deep]
        properties = {name: one for name, one in mapped["properties"].items() if name not in left_out}
        required = [*mapped.get("required", ()), *getattr(self.operation.body, "needed", ())]
        schema: Schema = {"type": "object", "properties": properties}
        if files and media_type == _FORMS[0]:
            # Generators make no type of an `anyOf` of required fields, so the description has the condition.
            schema |= {"description": f"It has {' or '.join((*files, 'text'))}.", "minProperties": 1}
        elif files:
            required.append("text")
        schema |= {"required": required} if required else {}
        if media_type != JSON:
            return {"schema": schema}
        others = [schema_of(one, self.registry) for one in self.operation.or_body]
        examples = {
            _key(one): {"summary": one.name, "value": dict(one.body)}
            for one in self.operation.examples
            if one.body is not None
        }
        return {"schema": {"anyOf": [schema, *others]} if others else schema} | (
            {"examples": examples} if examples else {}
        )

    # --- answers

    def _get_response_bodies(self, direction: str = "response") -> Schema:
        responses = {
            str(status): self._answer(status, shape) for status, shape in self.operation.answers.items()
        }
        if self.method == "GET":
            responses["304"] = {"$ref": "#/components/responses/NotModified"}
        for status, codes in problems_of(self.method, self.parts, self.operation).items():
            examples = self._answers(status, PROBLEM)
            shared = SHARED.get((status, codes)) if not examples else None
            reference = {"$ref": f"#/components/responses/{shared}"}
            responses[str(status)] = reference if shared else _problem(status, codes, examples)
        return dict(sorted(responses.items()))

    def _answer(self, status: int, shape: Any) -> Schema:
        names = ["Location"] * (300 <= status < 400) + ["ETag"] * (self.method == "GET" and status == 200)
        types = _types(self.view, self.parts) if status == 200 else [JSON] if shape else []
        content = {one: self._content(one, status, shape) for one in types}
        links = _links(operations.LINKS.get(self.get_operation_id(), ())) if JSON in content else {}
        return {
            "description": _FOLLOWED if status == 200 and 303 in self.operation.answers else _WORDS[status],
            **({"headers": _headers(names)} if names else {}),
            **({"content": content} if content else {}),
            **({"links": links} if links else {}),
        }

    def _content(self, media_type: str, status: int, shape: Any) -> Schema:
        schema = schema_of(shape, self.registry) if media_type == JSON else dict(_OTHERS[media_type])
        examples = self._answers(status, media_type)
        return ({"schema": schema} if schema else {}) | ({"examples": examples} if examples else {})

    def _answers(self, status: int, media_type: str) -> Schema:
        recorded = self.recorded.get(self.get_operation_id(), {})
        return {
            _key(one): {"summary": one.name, "value": answer["answer"]}
            for one in self.operation.examples
            if (answer := recorded.get(_key(one))) and answer["answer"] is not None
            if (answer["status"], answer["type"]) == (status, media_type)
        }


def _links(leads: Iterable[operations.AnswerLink]) -> Schema:
    """Return the links of a response by name; a pointer is a JSON Pointer (RFC 6901) into its body."""
    return {
        link.operation: {
            "operationId": link.operation,
            "parameters": {
                name: f"$request.path.{name}"
                if value == "="
                else f"$response.body#{value}"
                if value.startswith("/")
                else value
                for name, value in link.parts.items()
            },
        }
        for link in leads
    }


def _key(one: Example) -> str:
    return re.sub(r"\W+", "_", one.name).lower()


def _types(view: Any, parts: Iterable[str]) -> list[str]:
    types = type(view).types
    if not callable(types):
        return [*types]
    values = {name: operations.PATH_PARAMETERS[name].schema.get("enum", [0]) for name in parts}
    every = (types(**dict(zip(values, chosen, strict=True))) for chosen in product(*values.values()))
    return [*dict.fromkeys(one for several in every for one in several)]


_FLAGS: Final = {"1": True, "0": False}
"""Flags in addresses."""

_STATELESS: Final = re.compile("/api/v1/(?:convert|check|positions)")
"""Addresses that never store anything."""

_TAGS: Final = {
    "": "site",
    "about": "site",
    "texts": "site",
    "find": "site",
    "changes": "games",
    "convert": "records",
    "check": "records",
    "players": "names",
    "events": "names",
    "places": "names",
    "bench": "corrections",
    "openings": "statistics",
    "dumps": "statistics",
    "analysis": "analyses",
    "schema": "contract",
    "docs": "contract",
}
"""The tag of addresses, by their first word, if it is not that word."""
_TAGS_IN_ORDER: Final = {
    "uploads": "Uploaded files, and the records in them.",
    "records": "Records converted and checked without storing them.",
    "games": "Games: lists, details, downloads.",
    "names": "Players, events and places.",
    "statistics": "Numbers of the archive, and dumps of it.",
    "positions": "Positions, and the moves played from them.",
    "analyses": "Analyses by engines: requests, and the work of volunteers.",
    "patterns": "Games with a pattern on the board.",
    "problems": "Mates and best moves of shogi, to be solved.",
    "formations": "Castles and openings.",
    "reconcile": "A reconciliation service for tables of names.",
    "spaces": "The visitor's library and those of groups.",
    "corrections": "Corrections of games and names, and the curators' bench.",
    "drafts": "Records that the account enters or edits.",
    "collections": "Games in an order of their own.",
    "notes": "Notes on positions.",
    "preparation": "Two sets of games compared.",
    "hooks": "Webhooks for new games.",
    "account": "The account of the request.",
    "site": "The archive itself, and its search box.",
    "contract": "This contract.",
}

_OTHERS: Final[dict[str, Schema]] = {
    "text/plain": {"type": "string"},
    "text/csv": {
        "type": "string",
        "description": "A line per finding or game, after a line of column names.",
    },
    "text/html": {"type": "string"},
    "application/x-ndjson": {"type": "string", "description": "An `EntryInfo` or a game per line."},
    "application/yaml": {"type": "string"},
    "application/octet-stream": {"type": "string", "format": "binary"},
    "application/zip": {"type": "string", "format": "binary"},
    "image/svg+xml": {"type": "string", "format": "binary"},
}
"""Schemas of answers that are no JSON."""

_WORDS: Final = {
    200: "The requested resource.",
    201: "It has been made.",
    202: "It has been accepted and is being worked on.",
    204: "It has been done.",
    301: "It has another address now.",
    303: "It is at this address.",
}
_FOLLOWED: Final = "The resource at the address of the 303, for clients that follow it."

_PARAMETERS: Final[Schema] = {
    "scope": {
        "name": "scope",
        "in": "query",
        "description": "The spaces to ask: `public`, `mine`, `group-12`, `all`, or several, comma-separated.",
        "schema": {"type": "string"},
    },
    "key": {
        "name": "key",
        "in": "query",
        "description": "The key of a link to a shared game.",
        "schema": {"type": "string"},
    },
}
"""Parameters of every operation."""

_TEXT: Final = """\
An archive of records of shogi and Quoridor that can be searched by position.

Errors are problem details (RFC 9457) with a stable `code`; `x-codes` of an answer lists its possible codes.

A parameter that is unknown or invalid is answered with a 400 that names it.

HEAD works wherever GET does; OPTIONS lists methods and parameters of an address; other methods are 405
`method-not-allowed`.

`RateLimit` and `RateLimit-Policy` have the remaining part of each quota."""


def _header(text: str, **keywords: Any) -> Schema:
    return {"description": text, "schema": {"type": "string", **keywords}}


_COMPONENTS: Final[Schema] = {
    "headers": {
        "ETag": _header("The tag for `If-None-Match`; streamed answers have none."),
        "Location": _header("The address.", format="uri-reference") | {"required": True},
        "Retry-After": _header("Seconds to wait.", type="integer", minimum=1) | {"required": True},
        "WWW-Authenticate": _header("How to sign in."),
    },
    "parameters": _PARAMETERS,
    "responses": {
        "NotModified": {
            "description": "It has not changed: `If-None-Match` has its tag.",
            "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
        },
        **{name: _problem(*key) for key, name in sorted(SHARED.items(), key=lambda one: one[1])},
    },
    "securitySchemes": {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "A token, made on the page of the account.",
        },
        "basic": {"type": "http", "scheme": "basic", "description": "If the archive allows it."},
        "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
        "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRFToken"},
    },
}


def _place(endpoint: tuple[str, str, str, Any]) -> tuple[int, int]:
    """Return the sort key of an operation: its route, then GET, POST, DELETE."""
    _path, _expression, method, view = endpoint
    return [*_ROUTES].index(view.cls), ("GET", "POST", "PUT", "DELETE").index(method)


_SETTINGS: Final[dict[str, Any]] = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "Kifu Archive",
    "VERSION": "1",
    "DESCRIPTION": docstring_text(_TEXT),
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "SERVERS": [{"url": "/"}],
    "TAGS": [{"name": name, "description": text} for name, text in _TAGS_IN_ORDER.items()],
    "APPEND_COMPONENTS": _COMPONENTS,
    "POSTPROCESSING_HOOKS": [],
    "ENFORCE_NON_BLANK_FIELDS": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": _place,
}


class Generator(SchemaGenerator):
    """Makes the contract of all routes."""

    def __init__(self, schema: type[Contract]) -> None:
        super().__init__()
        self._schema = schema

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        view = super().create_view(callback, method, request)
        self._set_schema_to_view(view, self._schema())
        return view

    def coerce_path(self, path: str, method: str, view: Any) -> str:
        for name, part in operations.PATH_PARAMETERS.items():
            path = path.replace(f"{{{name}}}", f"{{{part.name}}}")
        return path


def contract(recorded: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """Return the contract with recorded answers to its examples, by default those in `EXAMPLES`."""
    if recorded is None:
        recorded = json.loads(EXAMPLES.read_text(encoding="utf-8")) if EXAMPLES.exists() else {}
    schema = type("Contract", (Contract,), {"recorded": recorded})
    with override("en"), patched_settings(_SETTINGS):
        generator = Generator(schema)
        schema_of(Problem, generator.registry)
        schema_of(IssueInfo, generator.registry)
        schema_without_security: dict[str, Any] = generator.get_schema(request=None, public=True)
    return {**schema_without_security, "security": [{"bearer": []}, {"basic": []}, {"session": []}, {}]}


def to_yaml(document: Mapping[str, Any] | None = None) -> str:
    """Return a contract, by default the current one, as the text of its file."""
    text = yaml.dump(document or contract(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return f"# Written by `python -m tools.contract` from the endpoints of archive/api.\n{text}"


class _Dumper(yaml.SafeDumper):
    """Writes repeated values in full, since some readers do not support YAML aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def main() -> None:
    """Write the file."""
    FILE.write_text(to_yaml(), encoding="utf-8")


if __name__ == "__main__":
    main()
