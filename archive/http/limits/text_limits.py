"""The limits on reading texts that visitors send: so much of them, for so long.

Requests run in threads, which nothing can end from outside; `kifu_core.deadline` ends the reading itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from kifu_core.deadline import TooSlowError, time_limit
from kifu_core.errors import KifuError

_ROOM: Final = 64 * 1024
"""Bytes of a body beside the record in it: names of fields, boundaries."""
_ESCAPED: Final = 3
"""How much longer a text is at most in a body: in a form, a byte of it is three (`%E6`)."""


@contextmanager
def limited_reading() -> Iterator[None]:
    """End what the body reads or writes after ARCHIVE_READ_SECONDS; raise KifuError `too-slow` then."""
    seconds = settings.ARCHIVE_READ_SECONDS
    try:
        with time_limit(seconds):
            yield
    except TooSlowError:
        raise KifuError("too-slow", params={"seconds": seconds}) from None


def check_text(text: str, limit: int) -> None:
    """Raise KifuError `too-large` for a text of more than so many bytes in UTF-8."""
    # Every character has a byte at least: what is far too long is not encoded.
    check_size(len(text) if len(text) > limit else len(text.encode("utf-8", "surrogatepass")), limit)


def check_body(request: HttpRequest, limit: int) -> None:
    """Raise KifuError `too-large` for a body that must hold a text of more than so many bytes, unread."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdecimal():
        check_size(int(length[:20]), limit, _ESCAPED * limit + _ROOM)


def check_size(size: int, limit: int, most: int | None = None) -> None:
    """Raise KifuError `too-large`, which names the limit, for more bytes than `most` (None: the limit)."""
    if size > (limit if most is None else most):
        raise KifuError("too-large", params={"limit": limit})
