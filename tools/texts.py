"""Writes the texts of scripts that other sites load, in both languages.

    python -m tools.texts

writes `archive/static/<game>/texts.js`: the texts in calls of `gettext("…")` in the scripts of the folder, as
translated in the catalogue, and texts of the library and the pages about that game. No page of ours surrounds
such a script, so it has to bring both languages.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import django
from django.utils.functional import Promise
from django.utils.translation import gettext, override

from kifu_core.messages import TEXTS
from kifu_core.quoridor import draw as quoridor
from kifu_core.shogi import draw as shogi
from kifu_core.shogi.annotations import BRUSHES, MARKS, SHAPES
from kifu_core.shogi.patterns import japanese, words
from kifu_core.shogi.pieces import BY_NAME

Export = tuple[str, Mapping[Any, object]]
"""The comment and the value of an exported name."""

STATIC: Final = Path(__file__).resolve().parents[1] / "archive" / "static"
LANGUAGES: Final = ("ja", "en")

_HEAD: Final = """\
// @ts-check
/** Written by `python -m tools.texts` from the catalogue of the pages and from kifu_core. */
"""
_BY_LANGUAGE: Final = '@type {Record<string, Record<"ja" | "en", string>>}'
_GETTEXT_CALL: Final = re.compile(r"""\bgettext\(("(?:[^"\\]|\\.)*")?""")
_CODE: Final = re.compile(r'"([a-z]+(?:-[a-z]+)*)"')


def modules() -> dict[Path, str]:
    """Return the files that this tool writes, with their contents."""
    return {STATIC / game / "texts.js": _module(make(_scripts(game))) for game, make in _GAMES.items()}


def _scripts(game: str) -> str:
    paths = sorted((STATIC / game).glob("*.js"))
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path.name != "texts.js")


def _module(exports: Mapping[str, Export]) -> str:
    parts = [
        f"/** {about} */\nexport const {name} = {{\n{_entries(value)}}};\n"
        for name, (about, value) in exports.items()
    ]
    return "\n".join([_HEAD, *parts])


def _entries(value: Mapping[Any, object]) -> str:
    return "".join(
        f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps(one, ensure_ascii=False)},\n"
        for key, one in value.items()
    )


def translations(script: str) -> dict[str, str]:
    """Return the Japanese translations of the texts that a script passes to `gettext`.

    Raises ValueError for an argument that is no string literal, and for a text without translation.
    """
    translated = {}
    for literal in _GETTEXT_CALL.findall(script):
        if not literal:
            raise ValueError("gettext() takes a string literal in double quotes")
        text = json.loads(literal)
        translated[text] = _in("ja", text)
        if translated[text] == text:
            raise ValueError(f"archive/locale/ja has no {literal}")
    return dict(sorted(translated.items()))


def _in(language: str, text: str | Promise) -> str:
    with override(language):
        return gettext(text) if isinstance(text, str) else str(text)


def messages(script: str) -> dict[str, dict[str, str]]:
    """Return the library's messages for the codes in a script, by language."""
    codes = {*_CODE.findall(script)} & TEXTS.keys()
    return {code: dict(zip(LANGUAGES, TEXTS[code], strict=True)) for code in sorted(codes)}


def _translations(script: str) -> Export:
    about = "Texts of the modules of this folder: English to Japanese. @type {Record<string, string>}"
    return about, translations(script)


def _shogi(script: str) -> dict[str, Export]:
    # The pages can be imported only after `django.setup()`.
    from archive.web.shogi.pages import SHOGI

    endings = {
        special: {language: _in(language, words) for language in LANGUAGES}
        for special, words in SHOGI.words.endings.items()
    }
    return {
        "TRANSLATIONS": _translations(script),
        "ENDINGS": (f"By JKF's names of endings. {_BY_LANGUAGE}", endings),
        "SIDES": ("By colour.", shogi.SIDES),
        "PIECES": ("By kind.", shogi.PIECES),
        "PHRASES": ("Words for describing positions.", shogi.PHRASES),
        "NAMED": ("Kinds of pieces by all their Japanese names. @type {Record<string, number>}", BY_NAME),
        "ANNOTATIONS": ("In comments.", {"marks": MARKS, "brushes": BRUSHES, "shapes": SHAPES}),
        **_patterns(),
    }


def _patterns() -> dict[str, Export]:
    strings = "@type {Record<string, string>}"
    expressions = {
        name.lower(): getattr(japanese, name)
        for name in ("WORD", "KEPT", "THEN", "PLACED", "ALLOWED", "SPAN", "TO", "NAMED", "COUNTED")
    }
    return {
        "EXPRESSIONS": ("Of patterns in Japanese.", expressions),
        "SIGNS": (f"How many a number means by the word behind it. {strings}", japanese.SIGNS),
        "NUMERALS": ("Numbers of pieces. @type {Record<string, number>}", japanese.NUMERALS),
        "OPTIONS": (f"What may stand before a colon. {strings}", japanese.OPTIONS),
        "VALUES": (f"What may stand behind one. {strings}", japanese.VALUES),
        "CONDITIONS": (f"Conditions as pages tell them. {strings}", japanese.WORDS),
        "IN_WORDS": ("What patterns are written with in Japanese.", words.PHRASES["ja"]),
    }


def _quoridor(script: str) -> dict[str, Export]:
    return {
        "TRANSLATIONS": _translations(script),
        "MESSAGES": (f"What is wrong with a code, or odd. {_BY_LANGUAGE}", messages(script)),
        "SIDES": ("By colour.", quoridor.SIDES),
        "PHRASES": ("Words for describing positions.", quoridor.PHRASES),
    }


_GAMES: Final[dict[str, Callable[[str], dict[str, Export]]]] = {"shogi": _shogi, "quoridor": _quoridor}


def main() -> None:
    """Write the files."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
    django.setup()
    for path, text in modules().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
