"""JSON of answers and exports: always valid UTF-8."""

import json
from typing import Any, Final

from django.utils.functional import Promise
from msgspec import to_builtins
from msgspec.json import Encoder


def encode(value: Any) -> bytes:
    """Return a value as JSON in UTF-8; moments are RFC 3339 in UTC.

    Lone surrogates, which records can have, become U+FFFD, since UTF-8 cannot encode them.
    """
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(to_builtins(value, enc_hook=_plain), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _plain(value: Any) -> str:
    # msgspec encodes no subclasses of str, such as SafeString, and no lazy translations.
    if isinstance(value, str | Promise):
        return str(value)
    raise TypeError(f"{type(value)} cannot be encoded")


_ENCODER: Final = Encoder(enc_hook=_plain)
