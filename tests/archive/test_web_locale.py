"""The catalogue: complete, with its placeholders, and compiled from what is there to read.

English has none: its texts are the ids.
"""

from __future__ import annotations

import ast
import gettext
import re
from pathlib import Path

from django.conf import settings
from django.utils.translation import ngettext, override, pgettext

FOLDER = Path(settings.BASE_DIR) / "archive" / "locale" / "ja" / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|</?strong>")


def catalogue() -> dict[tuple[str, int | None], str]:
    """A .po file as gettext keeps it: (msgid, plural form or None) to text."""
    found: dict[tuple[str, int | None], str] = {}
    for block in (FOLDER / "django.po").read_text(encoding="utf-8").split("\n\n")[1:]:
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if not line.startswith('"'):
                name, line = line.split(" ", 1)
            fields[name] = fields.get(name, "") + ast.literal_eval(line)
        key = (f"{fields['msgctxt']}\x04" if "msgctxt" in fields else "") + fields["msgid"]
        forms = [text for field, text in sorted(fields.items()) if field.startswith("msgstr")]
        for number, text in enumerate(forms):
            found[key, number if "msgid_plural" in fields else None] = text
    return found


def test_every_text_is_translated() -> None:
    assert [key for key, text in catalogue().items() if not text] == []


def test_translations_keep_the_placeholders() -> None:
    for (key, _form), text in catalogue().items():
        assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(key)), key


def test_the_compiled_catalogue_is_the_readable_one() -> None:
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    shipped = {
        (key if isinstance(key, tuple) else (key, None)): text for key, text in compiled.items() if key != ""
    }
    assert shipped == catalogue()


def test_texts_in_english_are_their_ids() -> None:
    with override("en"):
        assert [ngettext("%(n)s game", "%(n)s games", n) for n in (0, 1, 2)] == [
            "%(n)s games",
            "%(n)s game",
            "%(n)s games",
        ]
        assert pgettext("Quoridor", "Black") == "Black"
