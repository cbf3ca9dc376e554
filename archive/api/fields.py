"""Fields of requests. Each accepts one spelling of a value, and its error says in English what it accepts.

The framework's own fields are more lenient: they accept `1_0`, `１０` and ` 10.0 ` for the number ten.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers

from archive.queries.games.filters import IDS, MOST_IDS
from kifu_core.shogi.formations import by_any_name

_WHOLE: Final = re.compile(r"-?[0-9]{1,19}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class WholeNumberField(serializers.IntegerField):
    """A whole number; in an address or a form it is written in ASCII digits."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, str) and _WHOLE.fullmatch(data):
            return int(data)
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return data


class TextField(serializers.CharField):
    """A text, and no JSON number. `schema` has keywords for the contract, if the view checks the text
    itself."""

    def __init__(self, schema: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.schema = dict(schema or {})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class CursorField(TextField):
    """The cursor of a page."""

    def __init__(self, max_length: int | None = None) -> None:
        text = "Where the page begins, taken from `next_url` of an earlier page."
        super().__init__(required=False, max_length=max_length, help_text=text)


class LimitField(TextField):
    """The `limit` of a page, which `archive.api.pagination.limit_of` checks."""

    def __init__(self, largest: int, default: int) -> None:
        schema = number_schema(1, largest, default)
        super().__init__(required=False, schema=schema, help_text="The largest number of results.")


class RawTextField(TextField):
    """A text with any characters, unchanged."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_blank=True, trim_whitespace=False, **options)
        self.validators = []


def number_schema(least: int, most: int, default: int | None = None) -> dict[str, Any]:
    """Return the schema of a text that is a number."""
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return schema if default is None else schema | {"default": default}


class FormFileField(serializers.Field[Any, Any, Any, Any]):
    """A file in a form, or several files. `schema` is for the contract."""

    def __init__(self, *, several: bool = False, **options: Any) -> None:
        super().__init__(**options)
        one = {"type": "string", "format": "binary"}
        self.schema: dict[str, Any] = {"type": "array", "items": one} if several else one

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, UploadedFile):
            raise serializers.ValidationError("this is no file of a form (multipart/form-data)")
        return data


class ChoiceField(serializers.ChoiceField):
    """One of a few words."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            raise serializers.ValidationError(f"this is none of {', '.join(self.choices)}")
        return data


class FormationNameField(TextField):
    """A castle or an opening under any of its names; the value is its name for programs."""

    def to_internal_value(self, data: Any) -> str:
        formation = by_any_name(super().to_internal_value(data))
        if formation is None:
            raise serializers.ValidationError("no castle or opening is called so; GET formations has them")
        return formation.name


class IdsField(TextField):
    """The ids of several games, separated by commas."""

    def __init__(self, **options: Any) -> None:
        super().__init__(schema={"pattern": r"^\d+(,\d+)*$"}, **options)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not IDS.fullmatch(text):
            raise serializers.ValidationError(f"these are not 1 to {MOST_IDS} numbers separated by commas")
        return text


class DayField(serializers.DateField):
    """A day such as 2024-05-01."""

    def to_internal_value(self, value: Any) -> date:
        if not isinstance(value, str) or not _DAY.fullmatch(value):
            self.fail("invalid", format="YYYY-MM-DD")
        day: date = super().to_internal_value(value)
        return day


class FlagField(serializers.Field[bool, Any, Any, Any]):
    """Yes or no: 1 or 0, `true` or `false`."""

    def to_internal_value(self, data: Any) -> bool:
        values = {"1": True, "true": True, "0": False, "false": False}
        if isinstance(data, bool):
            return data
        if not isinstance(data, str) or data not in values:
            raise serializers.ValidationError(f"this is none of {', '.join(values)}")
        return values[data]


class RecordField(serializers.DictField):
    """A record as a JSON object, whose members the view checks."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("this is no object")
        return data


class LimitedListField(serializers.ListField):
    """A list whose length is checked before its items are."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            raise serializers.ValidationError(f"these are more than {self.max_length}")
        values: list[Any] = super().to_internal_value(data)
        return values
