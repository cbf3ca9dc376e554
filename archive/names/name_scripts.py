"""The scripts of account names, which must not mix letters that look alike.

Follows Unicode's highly restrictive profile (https://www.unicode.org/reports/tr39/, 5.2) for common scripts.
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
"""Sets of scripts that one name may combine."""

CHARACTERS: Final = _(
    "A user name has letters of any language, digits, and . + - _ only: no spaces and no @."
)
_CHARACTERS: Final = re.compile(r"[\w.+-]+")

_NO_SCRIPT: Final = frozenset("0123456789.+-_")
_LAST_LATIN: Final = "\u017f"
"""Later Latin letters without a decomposition are phonetic, with look-alikes of g and a."""

_LOOK_LIKE: Final = str.maketrans(
    # Small and capital letters of Cyrillic and Greek, then katakana.
    "асеіјорѕхуһԁԛԝАВЕЅІЈКМНОРСТУХουινγκΑΒΕΖΗΙΚΜΝΟΡΤΥΧカニロエタトハヘリーチ",
    "aceijopsxyhdqwABESIJKMHOPCTYXouivykABEZHIKMNOPTYX力二口工夕卜八へり一千",
)
"""Letters, and the letters of other scripts that they look like."""


def check_script(name: str) -> None:
    """Raise ValidationError for a name in NFKC with forbidden characters, or with letters of scripts that may
    not be combined."""
    if not _CHARACTERS.fullmatch(name):
        raise ValidationError(CHARACTERS, code="username_characters")
    scripts = {_script_of(char) for char in name if char not in _NO_SCRIPT}
    if not any(scripts <= allowed for allowed in _TOGETHER):
        text = _("A user name cannot mix letters of different scripts.")
        raise ValidationError(text, code="username_scripts")


def skeleton(name: str) -> str:
    """Return a form of a name that is equal for names that look alike."""
    return name.translate(_LOOK_LIKE).casefold()


def _script_of(char: str) -> str:
    """Return the script of a letter from its Unicode name; empty if it is not allowed."""
    match unicodedata.name(char, "").replace("-", " ").split():
        case ["LATIN", *_rest]:
            return "LATIN" if unicodedata.normalize("NFKD", char)[0] <= _LAST_LATIN else ""
        case ["IDEOGRAPHIC", *_rest]:
            return "CJK"
        case ["HANGUL", kind, *_rest] if kind != "SYLLABLE":
            return ""
        case [script, *_rest]:
            return script
    return ""
