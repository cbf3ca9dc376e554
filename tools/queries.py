"""Writes the table of the search language's fields in docs/search.md, from the filters.

    python -m tools.queries

writes it into the pages of both languages, between two marks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import django
from django.utils import translation

DOCS: Final = Path(__file__).parent.parent / "docs"
PAGES: Final = {"en": DOCS / "search.md", "ja": DOCS / "search.ja.md"}
_TABLE: Final = re.compile(r"(?<=<!-- fields -->\n).*?(?=<!-- end of fields -->)", re.DOTALL)
_HEADS: Final = {"en": ("field", "", "takes"), "ja": ("項目", "", "値")}
_TAKES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "text": "text", "number": "number, range", "one number": "number", "day": "date, range",
        "one day": "date", "position": "position", "pattern": "pattern",
        "formation": "any of its [names](formations.md)",
    },
    "ja": {
        "text": "文字列", "number": "数、範囲", "one number": "数", "day": "日付、範囲", "one day": "日付",
        "position": "局面", "pattern": "部分図", "formation": "[名前](formations.md)のどれか",
    },
}  # fmt: skip
_MOST: Final = 8
"""Values of a choice in the table."""


def table(language: str) -> str:
    """Return the table of fields in a language."""
    from archive.queries.search.fields import FIELDS  # needs Django's settings

    rows = ["| " + " | ".join(_HEADS[language]) + " |", "| --- | --- | --- |"]
    with translation.override(language):
        for field in FIELDS:
            names = ", ".join(f"`{name}`" for name in dict.fromkeys((field.name, *field.keys)))
            choices = [f"`{choice}`" for choice in field.choices[:_MOST]]
            more = ", …" if len(field.choices) > _MOST else ""
            takes = ", ".join(choices) + more if choices else _TAKES[language][field.kind]
            rows.append(f"| {names} | {field.label} | {takes} |")
    return "\n".join(rows) + "\n"


def pages() -> dict[Path, str]:
    """Return the pages with up-to-date tables."""
    # No text of a table has a backslash.
    return {
        page: _TABLE.sub(table(language), page.read_text(encoding="utf-8"))
        for language, page in PAGES.items()
    }


def main() -> None:
    """Write the tables."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
    django.setup()
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
