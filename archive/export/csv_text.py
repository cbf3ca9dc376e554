"""CSV that spreadsheets open without questions."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from archive.queries.games.game_json import moment_text

BOM: Final = b"\xef\xbb\xbf"
"""The byte order mark by which Excel recognizes UTF-8."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters of formulas; Japanese spreadsheets accept full-width ones."""


def csv_lines(rows: Iterable[Sequence[Any]]) -> bytes:
    """Return rows as CSV in UTF-8. Lists are separated by spaces, moments are RFC 3339, None is empty."""
    out = io.StringIO()
    csv.writer(out).writerows(map(_cell, row) for row in rows)
    return out.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        value = " ".join(value)
    elif isinstance(value, datetime):
        value = moment_text(value)
    if isinstance(value, str) and value.startswith(_FORMULA):
        # An apostrophe keeps spreadsheets from running the text as a formula.
        return f"'{value}"
    return value
