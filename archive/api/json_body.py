"""JSON in requests and answers: strict in what is read, always valid in what is written."""

import json
from collections.abc import Mapping
from typing import Any, Final

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.utils.functional import Promise
from msgspec import to_builtins
from msgspec.json import Encoder
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

DEEPEST: Final = 32
"""Levels of lists and objects in a body; the deepest that the API takes has four."""
_SHOWN: Final = 40
"""Characters of a name that an error quotes."""


class StrictJSON(BaseParser):
    """Reads JSON as RFC 8259 defines it: UTF-8, no NaN, no number beyond a double, no half of a surrogate
    pair.

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
        if _deeper(value, DEEPEST):
            raise ParseError(f"lists and objects nest at most {DEEPEST} deep here")
        _check_names(data)
        return value


def _check_names(data: bytes) -> None:
    """Check the names in all objects of a JSON text, including objects that a later one of the same name
    hides.

    Raises ParseError.
    """
    try:
        json.loads(data, object_pairs_hook=_once, parse_int=str, parse_float=str)
    except RecursionError:
        raise ParseError(f"lists and objects nest at most {DEEPEST} deep here") from None


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Check that no name comes twice in an object, since either could be the right one. Raises
    ParseError.
    """
    names = [name for name, _value in pairs]
    if len({*names}) < len(names):
        often = next(name for name in names if names.count(name) > 1)
        raise ParseError(f"{often[:_SHOWN]!r} is given more than once in one object")


def _deeper(value: Any, levels: int) -> bool:
    """Tell whether lists and objects nest deeper than that. It takes linear time and does not use Python's
    stack.
    """
    level = [value]
    for _ in range(levels + 1):
        level = [one for one in level if isinstance(one, dict | list)]
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return True


def encode(value: Any) -> bytes:
    """Return a value as JSON in UTF-8; moments are RFC 3339 in UTC.

    Halves of surrogate pairs, which records can hold, become U+FFFD: UTF-8 cannot encode them.
    """
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(to_builtins(value, enc_hook=_text), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _text(value: Any) -> str:
    """Return a translated or marked text as a plain one."""
    if isinstance(value, str | Promise):
        return str(value)
    raise NotImplementedError(f"{type(value)} cannot be encoded")


_ENCODER: Final = Encoder(enc_hook=_text)


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
