"""Rows of tables as lines of JSON, the same for the same row on every engine, and back.

A line has the columns in their order. Bytes are hexadecimal digits, moments UTC, records the JSON that is
packed in the database (`archive.models.codec`); rights are named, since their ids are those of one database.
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

PACKED: Final = "record"
"""The column of tables that have a packed record."""

WRONG: Final = (
    ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError,
    ValidationError, ObjectDoesNotExist,
)  # fmt: skip
"""What `parsed` and `stored` raise for a line that is no row."""

_OPTIONS: Final = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE


def line(table: Table, values: Sequence[Any], *, accounts: bool) -> bytes:
    """Return the line of a row, its values in the order of the table's fields."""
    row = {name: _told(one, value) for (name, one), value in zip(table.fields.items(), values, strict=True)}
    if not accounts:
        row |= {
            name: value.format(id=row["id"]) if isinstance(value, str) else value
            for name, value in table.replaced.items()
        }
    return orjson.dumps(row, option=_OPTIONS)


def _told(one: Field[Any, Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(one, BinaryField):
        if one.name == PACKED:
            return orjson.Fragment(codec.to_json(codec.unpack(value)))
        return bytes(value).hex()
    if isinstance(one, JSONField):
        return orjson.Fragment(codec.to_json(value, sort=True))
    if one.related_model is Permission:
        right, app, model = Permission.objects.get(pk=value).natural_key()
        return f"{app}.{model}.{right}"
    return value


def parsed(table: Table, text: bytes) -> dict[str, Any]:
    """Return the values of a line by their columns; columns that the line does not have, as they came later,
    have the values that rows had when these came. Raises any of `WRONG`."""
    told: Mapping[str, Any] = orjson.loads(text)
    if unknown := told.keys() - table.fields.keys():
        raise ValueError(f"unknown columns: {', '.join(sorted(unknown))}")
    return {
        name: _value(one, told[name]) if name in told else _default(one) for name, one in table.fields.items()
    }


def _value(one: Field[Any, Any], told: Any) -> Any:
    if isinstance(one, BinaryField):
        return told if told is None or one.name == PACKED else bytes.fromhex(told)
    if one.related_model is Permission:
        app, model, right = told.split(".")
        return Permission.objects.get_by_natural_key(right, app, model).pk
    return one.to_python(told)


def _default(one: Field[Any, Any]) -> Any:
    if one.has_db_default():
        return one.db_default
    if not (one.has_default() or one.null):
        raise ValueError(f"{one.attname} is missing")
    return one.get_default()


def stored(table: Table, row: Mapping[str, Any]) -> list[Any]:
    """Return a row's values as the database takes them, those that follow from its name behind them. Raises
    any of `WRONG`."""
    values = [_stored(one, row[name]) for name, one in table.fields.items()]
    return values + [one.of(row["name"]) for one in table.following.values()]


def _stored(one: Field[Any, Any], value: Any) -> Any:
    if isinstance(one, BinaryField) and one.name == PACKED and value is not None:
        value = codec.pack(value)
    return one.get_db_prep_save(value, connection)
