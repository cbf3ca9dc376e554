"""JSON in requests and answers of the API: strict when read, always valid when written."""

import json
from collections.abc import Mapping
from typing import Any, Final

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from archive.shapes.encoding import encode
from kifu_core.jkf import FORK_LEVELS

DEEPEST: Final = 3 * FORK_LEVELS + 8
"""Levels of lists and objects in a body; the deepest that the API takes is a record."""
_QUOTED_LENGTH: Final = 40
"""Characters of a name that an error quotes."""


class StrictJSON(BaseParser):
    """Reads JSON as RFC 8259 defines it: UTF-8, no NaN, no number beyond a double, no lone surrogate.

    It stops reading a body at DATA_UPLOAD_MAX_MEMORY_SIZE.
    """

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise RequestDataTooBig
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"this is no JSON: {error}") from error
        if _is_deeper(value, DEEPEST):
            raise ParseError(f"lists and objects nest at most {DEEPEST} deep here")
        _check_names(data)
        return value


def _check_names(data: bytes) -> None:
    """Check that no object of a JSON text has a name twice, since either value could be the right one.

    Raises ParseError.
    """
    try:
        json.loads(data, object_pairs_hook=_refuse_repeated_names, parse_int=str, parse_float=str)
    except RecursionError:
        raise ParseError(f"lists and objects nest at most {DEEPEST} deep here") from None


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> None:
    names = [name for name, _value in pairs]
    if len({*names}) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ParseError(f"{repeated[:_QUOTED_LENGTH]!r} is given more than once in one object")


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects nest deeper than `levels`, in linear time and without recursion."""
    level = [value]
    for _ in range(levels + 1):
        level = [one for one in level if isinstance(one, dict | list)]
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return True


class JSONAnswer(BaseRenderer):
    """Writes answers."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else encode(data)
