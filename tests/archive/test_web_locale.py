"""The catalogues: complete, with their placeholders, and compiled from what is there to read."""

from __future__ import annotations

import ast
import gettext
import re
from pathlib import Path

import pytest
from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "archive" / "locale"
LANGUAGES = ("ja", "en")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|</?strong>")


def catalogue(language: str) -> dict[tuple[str, int | None], str]:
    """A .po file as gettext keeps it: (msgid, plural form or None) to text."""
    found: dict[tuple[str, int | None], str] = {}
    path = FOLDER / language / "LC_MESSAGES" / "django.po"
    for block in path.read_text(encoding="utf-8").split("\n\n")[1:]:
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str) -> None:
    assert [key for key, text in catalogue(language).items() if not text] == []


def test_both_languages_have_the_same_texts() -> None:
    ids = [{key for key, _form in catalogue(language)} for language in LANGUAGES]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_the_placeholders(language: str) -> None:
    for (key, _form), text in catalogue(language).items():
        assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(key)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_the_readable_one(language: str) -> None:
    path = FOLDER / language / "LC_MESSAGES" / "django.mo"
    with path.open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    shipped = {
        (key if isinstance(key, tuple) else (key, None)): text for key, text in compiled.items() if key != ""
    }
    assert shipped == catalogue(language)
