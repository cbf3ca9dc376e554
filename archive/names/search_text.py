"""Texts as they are searched: one form for all ways to write the same, and the pieces that indexes hold.

A text holds a word if its form holds the word's form. Indexes only say which texts may: each run between
blanks is there as its pairs of neighbouring characters and its last character, so that two characters are
one lookup and a single one is the beginning of others. Whoever asks them looks at the texts afterwards.

Forms and pieces are stored: a change of either needs a migration that makes them anew (0029).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from archive.names.character_forms import FORMS

LONGEST: Final = 64 * 1024
"""Bytes of UTF-8 that a text has at most; what follows is not searched."""

MOST_PIECES: Final = 12
"""Pieces of a word that an index is asked for: the texts are looked at anyhow."""

_STRETCH: Final = 1000
"""Characters that are normalized at once: the time is quadratic in marks that nothing carries."""

_HIRAGANA: Final = (*range(0x3041, 0x3097), 0x309D, 0x309E)
_TO_KATAKANA: Final = {code: FORMS.get(code + 0x60, code + 0x60) for code in _HIRAGANA}
_CONTROLS: Final = (*range(0x20), *range(0x7F, 0xA0))
_FORMS: Final = (
    FORMS | _TO_KATAKANA | dict.fromkeys(_CONTROLS, " ") | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
)
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f]")


def searched(text: str) -> str:
    """Return the form in which a text is compared: one for all widths, cases, kana and forms of characters,
    with single blanks.

    >>> searched("ＡＢｃ"), searched("髙見　泰地"), searched("ﾋﾟｮ"), searched("ぴょ")
    ('abc', '高見 泰地', 'ピョ', 'ピョ')
    """
    if text.isascii():
        return " ".join(_UNPRINTABLE.sub(" ", text).lower().split())
    # What a mark stands on may be another character by now, one that goes together with it.
    return " ".join(_normal(_normal(text).casefold().translate(_FORMS)).split())


def _normal(text: str) -> str:
    if len(text) <= _STRETCH:
        return unicodedata.normalize("NFKC", text)
    stretches = (text[start : start + _STRETCH] for start in range(0, len(text), _STRETCH))
    return "".join(unicodedata.normalize("NFKC", one) for one in stretches)


def together(lines: Iterable[str]) -> str:
    """Return the forms of lines as one text, each once, cut at `LONGEST`; no word begins in one of them and
    ends in another."""
    found: dict[str, None] = {}
    size = 0
    for line in lines:
        form = searched(line[:LONGEST])
        if form and form not in found:
            found[form] = None
            size += len(form.encode()) + 1
            if size > LONGEST:
                break
    text = "\n".join(found)
    return text if size <= LONGEST else text.encode()[:LONGEST].decode(errors="ignore").rstrip()


def pieces(text: str) -> set[str]:
    """Return the pieces of a text that has its form.

    >>> sorted(pieces("将棋 abc"))
    ['ab', 'bc', 'c', '将棋', '棋']
    """
    found: set[str] = set()
    for run in text.split():
        found.update(map("".join, pairwise(run)))
        found.add(run[-1])
    return found


class Wanted(NamedTuple):
    """What a text that may hold a word has: these pieces, and one that begins so where that is not empty."""

    pieces: tuple[str, ...]
    beginning: str = ""


def wanted(word: str) -> Wanted:
    """Return what a text has to have to hold a word that has its form and is not empty.

    >>> wanted("羽生善"), wanted("a b")
    (Wanted(pieces=('羽生', '生善'), beginning=''), Wanted(pieces=('a',), beginning='b'))
    """
    *before, last = word.split()
    found = dict.fromkeys(piece for run in before for piece in _of_run(run, ended=True))
    found.update(dict.fromkeys(_of_run(last, ended=False)))
    return Wanted(tuple(found)[:MOST_PIECES], last if len(last) == 1 else "")


def _of_run(run: str, *, ended: bool) -> Iterator[str]:
    yield from map("".join, pairwise(run))
    if ended:
        yield run[-1]
