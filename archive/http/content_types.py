"""What requests say of their body's type: what nobody can read is refused before Django stumbles over it.

Django reads `Content-Type` while it makes a request, outside of all middleware, and decodes queries and forms
by any codec that Python has, among them such as are none of texts.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.utils.http import parse_header_parameters

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

CHARSETS: Final = frozenset((
    "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "latin1", "windows-1252", "cp1252",
    "shift-jis", "sjis", "cp932", "ms932", "euc-jp", "iso-2022-jp",
))  # fmt: skip
"""Charsets of forms. By name, not by codec: Python remembers every name that it was ever asked for."""

REFUSED: Final = "archive.refused_content_type"
"""In the environment of a request whose type was taken away: the status to answer, 400 or 415."""


class UsableContentTypes:
    """Around the WSGI application: takes a type that nobody can read away; a middleware answers it."""

    def __init__(self, application: Wsgi) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if status := _refused(environ.get("CONTENT_TYPE", "")):
            environ["CONTENT_TYPE"] = ""
            environ[REFUSED] = status
        return self.application(environ, start_response)


def _refused(content_type: str) -> int:
    """Return 400 for a type that cannot be read, 415 for a charset that is not in `CHARSETS`, else 0."""
    try:
        charset = parse_header_parameters(content_type)[1].get("charset")
    except (ValueError, LookupError):
        return 400
    name = (charset or "utf-8").lower().replace("_", "-")
    return 0 if name in CHARSETS else 415
