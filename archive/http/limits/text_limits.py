"""Limits on the size and characters of texts that visitors send, and on the time for parsing them.

Requests run in threads, which cannot be stopped from outside; `kifu_core.deadline` stops the parser itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from kifu_core.deadline import TooSlowError, time_limit
from kifu_core.errors import KifuError

_OVERHEAD: Final = 64 * 1024
"""Bytes of a body around the record in it: names of fields, boundaries."""
_ESCAPED_BYTES: Final = 3
"""Bytes of a form for one byte of a text (`%E6`)."""


@contextmanager
def limited_reading() -> Iterator[None]:
    """Raise KifuError `too-slow` if the body reads or writes records longer than ARCHIVE_READ_SECONDS."""
    seconds = settings.ARCHIVE_READ_SECONDS
    try:
        with time_limit(seconds):
            yield
    except TooSlowError:
        raise KifuError("too-slow", params={"seconds": seconds}) from None


def check_text(text: str, limit: int) -> None:
    """Raise KifuError `too-large` for a text with more than `limit` bytes of UTF-8."""
    # A character has at least one byte, so a text with more characters need not be encoded.
    check_size(len(text) if len(text) > limit else len(text.encode("utf-8", "surrogatepass")), limit)


def check_search_text(text: str) -> None:
    """Raise KifuError for a text to search for: `too-large`, or `nul-character` since parameters have no NUL
    either."""
    check_text(text, settings.ARCHIVE_MAX_FIND_BYTES)
    if "\0" in text:
        raise KifuError("nul-character")


def check_body(request: HttpRequest, limit: int) -> None:
    """Raise KifuError `too-large`, before reading a body, if its length implies a text over the limit."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdecimal():
        check_size(int(length[:20]), limit, _ESCAPED_BYTES * limit + _OVERHEAD)


def check_size(size: int, limit: int, accepted: int | None = None) -> None:
    """Raise KifuError `too-large` for more bytes than `accepted` (default: the limit); it names the limit."""
    if size > (limit if accepted is None else accepted):
        raise KifuError("too-large", params={"limit": limit})
