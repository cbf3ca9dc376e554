"""Schemas of the API's types, as components of the contract."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent
from msgspec import Struct, UnsetType
from msgspec.structs import fields

from archive.api.operations import Schema
from archive.shapes.common import About

_PLAIN: Final[dict[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    dict: {"type": "object"},
}
_INDENT: Final = re.compile(r"\n\s*")


def schema_of(hint: Any, registry: ComponentRegistry) -> Schema:
    """Return the schema of a type; a Struct becomes a component and is referenced."""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, Mapping):
        return _titled(hint, registry)
    if origin is Annotated:
        schema = dict(schema_of(arguments[0], registry))
        for about in arguments[1:]:
            if isinstance(about, About):
                nullable = NoneType in get_args(arguments[0])
                schema |= about.schema | (_nullable_enum(about.schema) if nullable else {})
        if "anyOf" in schema:
            schema["anyOf"] = [_titled(one, registry) for one in schema["anyOf"]]
        return _titled(schema, registry) if "enum" in schema else schema
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _component(hint, registry)
    if origin is Literal:
        return {"type": "string", "enum": [*arguments]}
    if origin in (Union, UnionType):
        return _union(arguments, registry)
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], registry)}
    if origin is dict:
        inner = schema_of(arguments[1], registry)
        return {"type": "object"} | ({"additionalProperties": inner} if inner else {})
    return {} if hint is Any else dict(_PLAIN[hint])


def _union(hints: Iterable[Any], registry: ComponentRegistry) -> Schema:
    hints = [one for one in hints if one is not UnsetType]
    if len(hints) == 1:
        return schema_of(hints[0], registry)
    schemas = [schema_of(one, registry) for one in hints if one is not NoneType]
    null = NoneType in hints
    if len(schemas) == 1 and null and isinstance(schemas[0].get("type"), str):
        return schemas[0] | {"type": [schemas[0]["type"], "null"]} | _nullable_enum(schemas[0])
    return {"anyOf": schemas + ([{"type": "null"}] if null else [])}


def _nullable_enum(schema: Schema) -> Schema:
    return {"enum": [*schema["enum"], None]} if "enum" in schema else {}


def _component(shape: Any, registry: ComponentRegistry) -> Schema:
    component = ResolvedComponent(shape.__name__, ResolvedComponent.SCHEMA, object=shape)
    if component not in registry:
        registry.register(component)
        members = fields(shape)
        properties = {one.encode_name: schema_of(one.type, registry) for one in members}
        required = [one.encode_name for one in members if one.required]
        component.schema = {
            "type": "object",
            "description": docstring_text(shape.__doc__),
            "properties": properties,
        }
        component.schema |= {"required": required} if required else {}
    reference: Schema = {"$ref": f"#/components/schemas/{shape.__name__}"}
    return reference


def _titled(schema: Mapping[str, Any], registry: ComponentRegistry) -> Schema:
    """Return a reference to a schema with a title, which becomes a component; other schemas are returned as
    they are."""
    if "title" not in schema:
        return dict(schema)
    component = ResolvedComponent(schema["title"], ResolvedComponent.SCHEMA, object=str(schema["title"]))
    component.schema = dict(schema)
    registry.register_on_missing(component)
    return {"$ref": f"#/components/schemas/{schema['title']}"}


def docstring_text(text: str | None) -> str:
    """Return the paragraphs of a docstring, each on one line."""
    return "\n\n".join(_INDENT.sub(" ", one).strip() for one in (text or "").split("\n\n"))
