"""Tables as CSV that spreadsheets open as they are."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final

UTF8: Final = b"\xef\xbb\xbf"
"""The mark at the head of a file that tells Excel UTF-8."""


def lines(rows: Iterable[Sequence[Any]]) -> bytes:
    """Return rows as lines of CSV."""
    out = io.StringIO()
    csv.writer(out).writerows(map(_cell, row) for row in rows)
    return out.getvalue().encode("utf-8", "replace")


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a formula begins with; to spreadsheets of Japan also in full width."""


def _cell(value: Any) -> Any:
    """Put an apostrophe before a text that begins like a formula: spreadsheets would run the formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
