"""Rows of tables as lines of JSON and back, the same for the same row on every engine.

A line has the columns in their order. Bytes are hexadecimal digits, moments UTC, records JSON (which the
database has packed, see `archive.models.codec`). Permissions have their names, since ids differ between
databases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from django.contrib.auth.models import Permission
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import connection
from django.db.models import BinaryField, Field, JSONField

from archive.backup.tables import Table
from archive.models import codec
from archive.models.names import InitialField

PACKED: Final = frozenset({"record", "base"})
"""The names of columns with packed records."""

INVALID: Final = (
    ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError,
    ValidationError, ObjectDoesNotExist,
)  # fmt: skip
"""Errors of `parse` and `stored_values` for an invalid line."""

_OPTIONS: Final = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE


def line(table: Table, values: Sequence[Any], *, accounts: bool) -> bytes:
    """Return the line of a row, its values in the order of the table's fields."""
    row = {
        name: _json(field, value) for (name, field), value in zip(table.fields.items(), values, strict=True)
    }
    if not accounts:
        row |= {
            name: value.format(id=row["id"]) if isinstance(value, str) else value
            for name, value in table.replaced.items()
        }
    return orjson.dumps(row, option=_OPTIONS)


def _json(field: Field[Any, Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(field, BinaryField):
        if field.name in PACKED:
            return orjson.Fragment(codec.to_json(codec.unpack(value)))
        return bytes(value).hex()
    if isinstance(field, JSONField):
        return orjson.Fragment(codec.to_json(value, sort=True))
    if field.related_model is Permission:
        codename, app, model = Permission.objects.get(pk=value).natural_key()
        return f"{app}.{model}.{codename}"
    return value


def parse(table: Table, text: bytes) -> dict[str, Any]:
    """Return the values of a line by column; columns of later versions have their defaults.

    Raises one of `INVALID`.
    """
    values: Mapping[str, Any] = orjson.loads(text)
    if unknown := values.keys() - table.fields.keys():
        raise ValueError(f"unknown columns: {', '.join(sorted(unknown))}")
    return {
        name: _value(field, values[name]) if name in values else _default(field)
        for name, field in table.fields.items()
    }


def _value(field: Field[Any, Any], value: Any) -> Any:
    if isinstance(field, BinaryField):
        return value if value is None or field.name in PACKED else bytes.fromhex(value)
    if field.related_model is Permission:
        app, model, codename = value.split(".")
        return Permission.objects.get_by_natural_key(codename, app, model).pk
    return field.to_python(value)


def _default(field: Field[Any, Any]) -> Any:
    if field.has_db_default():
        return field.db_default
    if not (field.has_default() or field.null):
        raise ValueError(f"{field.attname} is missing")
    return field.get_default()


def stored_values(table: Table, row: Mapping[str, Any]) -> list[Any]:
    """Return the values of a row as the database stores them, followed by those derived from its name.

    Raises one of `INVALID`.
    """
    if table.derived:
        named = table.model(**row)
        initial = (name for name, field in table.fields.items() if isinstance(field, InitialField))
        row = {**row, **{name: table.fields[name].pre_save(named, add=True) for name in initial}}
    values = [_stored(field, row[name]) for name, field in table.fields.items()]
    return values + [field.pre_save(named, add=True) for field in table.derived.values()]


def _stored(field: Field[Any, Any], value: Any) -> Any:
    if isinstance(field, BinaryField) and field.name in PACKED and value is not None:
        value = codec.pack(value)
    return field.get_db_prep_save(value, connection)
