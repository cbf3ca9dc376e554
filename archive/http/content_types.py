"""Refuse requests whose `Content-Type` Django cannot read, before Django builds its request object.

Django parses the header outside of all middleware, and decodes forms with any codec of Python, also those
that decode no text.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.utils.http import parse_header_parameters

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

CHARSETS: Final = frozenset((
    "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "latin1", "windows-1252", "cp1252",
    "shift-jis", "sjis", "cp932", "ms932", "euc-jp", "iso-2022-jp",
))  # fmt: skip
"""Charsets of forms, by name. `codecs.lookup` would cache every name that a client invents."""

REFUSED: Final = "archive.refused_content_type"
"""The key in a request's environment with the status to answer, 400 or 415, after its type was removed."""


class ContentTypeCheck:
    """WSGI middleware that removes an unreadable `Content-Type`; `InvalidRequests` then answers the error."""

    def __init__(self, application: Wsgi) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if status := _error_status(environ.get("CONTENT_TYPE", "")):
            environ["CONTENT_TYPE"] = ""
            environ[REFUSED] = status
        return self.application(environ, start_response)


def _error_status(content_type: str) -> int:
    """Return 400 for an unparsable type, 415 for a charset that is not in `CHARSETS`, else 0."""
    try:
        charset = parse_header_parameters(content_type)[1].get("charset")
    except (ValueError, LookupError):
        return 400
    name = (charset or "utf-8").lower().replace("_", "-")
    return 0 if name in CHARSETS else 415
