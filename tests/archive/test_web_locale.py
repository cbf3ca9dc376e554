"""The catalogue: complete, with its placeholders, and compiled from what is there to read.

English has none: its texts are the ids.
"""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import allauth
from django.conf import settings
from django.template import Origin, Template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import gettext as translated
from django.utils.translation import ngettext, override, pgettext
from jinja2 import Environment

from tools.texts import translations

ARCHIVE = Path(settings.BASE_DIR) / "archive"
FOLDER = ARCHIVE / "locale" / "ja" / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|</?strong>")


def catalogue() -> dict[tuple[str, int | None], str]:
    """A .po file as gettext keeps it: (msgid, plural form or None) to text."""
    results: dict[tuple[str, int | None], str] = {}
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
            results[key, number if "msgid_plural" in fields else None] = text
    return results


def of_templates() -> Iterator[str]:
    """The texts of templates, as the catalogue has them."""
    folder = ARCHIVE / "templates"
    for path in sorted((*folder.rglob("*.html"), *folder.rglob("*.txt"))):
        origin = Origin(str(path), str(path.relative_to(folder)))
        nodes = Template(path.read_text(encoding="utf-8"), origin).nodelist
        for plain in nodes.get_nodes_by_type(TranslateNode):
            if isinstance(text := plain.filter_expression.var.literal, str):
                yield in_context(plain.message_context, text)
        for block in nodes.get_nodes_by_type(BlockTranslateNode):
            yield in_context(block.message_context, block.render_token_list(block.singular)[0])


def in_context(context: Any, text: str) -> str:
    return f"{context.var}\x04{text}" if context else text


def of_modules() -> Iterator[str]:
    """The texts of modules."""
    for path in sorted(ARCHIVE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id.removesuffix("_lazy") or "_"
                words = [one.value for one in node.args if isinstance(one, ast.Constant)]
                if name in ("_", "gettext", "ngettext") and words:
                    yield words[0]
                elif name == "pgettext" and len(words) > 1:
                    yield f"{words[0]}\x04{words[1]}"


def of_rows() -> Iterator[str]:
    """The texts of Jinja2's templates."""
    environment = Environment(extensions=["jinja2.ext.i18n"])
    for path in (ARCHIVE / "jinja2").rglob("*.html"):
        for _line, _function, text in environment.extract_translations(path.read_text(encoding="utf-8")):
            yield text if isinstance(text, str) else str(text[0])


def of_scripts() -> Iterator[str]:
    for path in (ARCHIVE / "static").rglob("*.js"):
        yield from translations(path.read_text(encoding="utf-8"))


def of_allauth() -> str:
    """The modules of django-allauth: our catalogue has better words for some of its texts."""
    folder = Path(allauth.__file__).parent / "account"
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))


def test_every_text_of_a_template_or_a_module_is_in_the_catalogue() -> None:
    unknown = {*of_templates(), *of_modules(), *of_rows()} - {key for key, _form in catalogue()}
    with override("ja"):  # what the catalogue lacks may be a text of Django's admin
        assert [text for text in sorted(unknown) if translated(text) == text] == []


def test_every_text_of_the_catalogue_is_shown_somewhere() -> None:
    shown, library = {*of_templates(), *of_modules(), *of_rows(), *of_scripts()}, of_allauth()
    unknown = {key for key, _form in catalogue()} - shown
    assert [text for text in sorted(unknown) if f'_("{text}")' not in library] == []


def test_no_tag_of_a_template_is_broken_between_lines() -> None:
    """Django takes it for text then."""
    broken = re.compile(r"\{\{[^}]*\n[^}]*\}\}|\{%[^%]*\n[^%]*%\}")
    templates = (ARCHIVE / "templates").rglob("*.*")
    assert [path.name for path in templates if broken.search(path.read_text(encoding="utf-8"))] == []


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
