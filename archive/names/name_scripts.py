"""The scripts that names of accounts are written in: a letter of another script may look like one of them.

This follows the highly restrictive profile of Unicode (https://www.unicode.org/reports/tr39/, 5.2), for the
scripts that keyboards write.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

_TOGETHER: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
    *(frozenset({one}) for one in ("CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC")),
    *(frozenset({one}) for one in ("DEVANAGARI", "BENGALI", "TAMIL", "THAI")),
)
"""Scripts that one name may have letters of."""

CHARACTERS: Final = _(
    "A user name has letters of any language, digits, and . + - _ only: no spaces and no @."
)
_CHARACTERS: Final = re.compile(r"[\w.+-]+")

_NO_SCRIPT: Final = frozenset("0123456789.+-_")
_LAST_LATIN: Final = "\u017f"
"""Letters of Latin beyond it, but for those with accents, are for phoneticians, who write g and a twice."""

_LOOK_LIKE: Final = str.maketrans(
    # Small and capital letters of Cyrillic and Greek, then katakana.
    "асеіјорѕхуһԁԛԝАВЕЅІЈКМНОРСТУХουινγκΑΒΕΖΗΙΚΜΝΟΡΤΥΧカニロエタトハヘリーチ",
    "aceijopsxyhdqwABESIJKMHOPCTYXouivykABEZHIKMNOPTYX力二口工夕卜八へり一千",
)
"""Letters, and those of another script that they look like."""


def check_script(name: str) -> None:
    """Raise ValidationError for a name, in its normal form (NFKC), with other characters than names have, or
    letters of scripts that do not go together."""
    if not _CHARACTERS.fullmatch(name):
        raise ValidationError(CHARACTERS, code="username_characters")
    scripts = {_script_of(char) for char in name if char not in _NO_SCRIPT}
    if not any(scripts <= allowed for allowed in _TOGETHER):
        text = _("A user name cannot mix letters of different scripts.")
        raise ValidationError(text, code="username_scripts")


def skeleton(name: str) -> str:
    """Return a name as it looks: names that look the same have the same."""
    return name.translate(_LOOK_LIKE).casefold()


def _script_of(char: str) -> str:
    """Return the script of a letter as the names of characters call it; empty where it is none of ours."""
    words = unicodedata.name(char, "").replace("-", " ").split()
    match words:
        case ["LATIN", *_rest]:
            return "LATIN" if unicodedata.normalize("NFKD", char)[0] <= _LAST_LATIN else ""
        case ["IDEOGRAPHIC", *_rest]:
            return "CJK"
        case ["HANGUL", kind, *_rest] if kind != "SYLLABLE":
            return ""
        case [script, *_rest]:
            return script
    return ""
