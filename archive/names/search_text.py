"""The form in which texts are searched, and the pieces that text indexes contain.

A text contains a word if its form contains the word's form. Indexes contain each run between blanks as its
pairs of neighbouring characters and its last character, so two characters are one lookup, and one character
is a prefix search. They yield candidates, whose texts must be checked.

Forms and pieces are stored: a change needs a migration that computes them again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from archive.names.character_forms import FORMS

LONGEST: Final = 64 * 1024
"""The limit of a searchable text in bytes of UTF-8."""

LONGEST_NAMES: Final = 8 * 1024
"""The limit of the searchable names of a player in characters."""

MAX_PIECES: Final = 12
"""Pieces of a word that are looked up: the candidates' texts are checked anyway."""

_STRETCH: Final = 1000
"""Characters that are normalized at once, because the time is quadratic in stray combining marks."""

_HIRAGANA: Final = (*range(0x3041, 0x3097), 0x309D, 0x309E)
_TO_KATAKANA: Final = {code: FORMS.get(code + 0x60, code + 0x60) for code in _HIRAGANA}
_CONTROLS: Final = (*range(0x20), *range(0x7F, 0xA0))
_FORMS: Final = (
    FORMS | _TO_KATAKANA | dict.fromkeys(_CONTROLS, " ") | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
)
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f]")


def search_form(text: str) -> str:
    """Return the form of a text for searches: equal for all widths, cases, kana and variants of characters,
    with single blanks.

    >>> search_form("ＡＢｃ"), search_form("髙見　泰地"), search_form("ﾋﾟｮ"), search_form("ぴょ")
    ('abc', '高見 泰地', 'ピョ', 'ピョ')
    """
    if text.isascii():
        return " ".join(_UNPRINTABLE.sub(" ", text).lower().split())
    # Normalized again, because a mark may combine with a character that folding has produced.
    return " ".join(_normal(_normal(text).casefold().translate(_FORMS)).split())


def search_forms(names: Iterable[str]) -> str:
    """Return the distinct forms of names, one a line; of names in Latin letters also without accents. They
    are cut at `LONGEST_NAMES` characters.

    >>> search_forms(["羽生善治", "", "Habu", "habu", "Ōyama"]).split()
    ['羽生善治', 'habu', 'ōyama', 'oyama']
    """
    forms: dict[str, None] = {}
    for form in map(search_form, names):
        plain = "".join(
            char for char in unicodedata.normalize("NFKD", form) if not unicodedata.combining(char)
        )
        forms.update(dict.fromkeys([form, plain] if plain.isascii() else [form]))
    return "\n".join(form for form in forms if form)[:LONGEST_NAMES]


def _normal(text: str) -> str:
    if len(text) <= _STRETCH:
        return unicodedata.normalize("NFKC", text)
    stretches = (text[start : start + _STRETCH] for start in range(0, len(text), _STRETCH))
    return "".join(unicodedata.normalize("NFKC", stretch) for stretch in stretches)


def joined_forms(lines: Iterable[str]) -> str:
    """Return the distinct forms of lines as lines of one text, cut at `LONGEST`."""
    forms: dict[str, None] = {}
    size = 0
    for line in lines:
        form = search_form(line[:LONGEST])
        if form and form not in forms:
            forms[form] = None
            size += len(form.encode()) + 1
            if size > LONGEST:
                break
    text = "\n".join(forms)
    return text if size <= LONGEST else text.encode()[:LONGEST].decode(errors="ignore").rstrip()


def pieces(text: str) -> set[str]:
    """Return the pieces of a text in search form.

    >>> sorted(pieces("将棋 abc"))
    ['ab', 'bc', 'c', '将棋', '棋']
    """
    result: set[str] = set()
    for run in text.split():
        result.update(_pieces_of_run(run, complete=True))
    return result


class RequiredPieces(NamedTuple):
    """The pieces of every text that contains a word. Unless `prefix` is empty, such a text has a piece that
    begins with it."""

    pieces: tuple[str, ...]
    prefix: str = ""


def required_pieces(word: str) -> RequiredPieces:
    """Return the pieces that a text must have to contain a word, which is not empty and in search form.

    >>> required_pieces("羽生善"), required_pieces("a b")
    (RequiredPieces(pieces=('羽生', '生善'), prefix=''), RequiredPieces(pieces=('a',), prefix='b'))
    """
    *before, last = word.split()
    required = dict.fromkeys(piece for run in before for piece in _pieces_of_run(run, complete=True))
    required.update(dict.fromkeys(_pieces_of_run(last, complete=False)))
    return RequiredPieces(tuple(required)[:MAX_PIECES], last if len(last) == 1 else "")


def _pieces_of_run(run: str, *, complete: bool) -> Iterator[str]:
    yield from map("".join, pairwise(run))
    if complete:
        yield run[-1]
