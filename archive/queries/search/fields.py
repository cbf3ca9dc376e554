"""The fields of the search language, made from the filters of games and from pairs of them.

A filter that is added to `archive.queries.games.filters` becomes a field with its name and its keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.queries.games.filters import FILTERS, RANGES, RESULT_NAMES, Filter
from kifu_core.shogi import specials

Kind = Literal["text", "choice", "number", "one number", "day", "one day", "formation", "position", "pattern"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its names, the type of its value, and its filters.

    `one` is the filter of a single value, `least` and `most` are those of the ends of a range. For a choice,
    `choices` are the values, and `read` converts a word to a value.
    """

    name: str
    label: str | Promise
    kind: Kind
    keys: tuple[str, ...] = ()
    one: Filter | None = None
    least: Filter | None = None
    most: Filter | None = None
    choices: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)

    def read(self, text: str) -> str:
        """Return the value of a word; other words unchanged."""
        if text in self.words:
            return self.words[text]
        value = self.one.parse(text) if self.one else text
        return next((choice for choice in self.choices if choice.lower() == value.lower()), value)

    def in_range(self, number: int) -> bool:
        """Return whether the field can have this number."""
        ends = [one for one in (self.one, self.least, self.most) if one]
        return all(one.least <= number <= one.most for one in ends)


_SIDES: Final = ("first", "second")
_WON: Final = {
    text: _SIDES[colour]
    for word, colour in specials.SIDES.items()
    for text in (word, f"{word}勝", f"{word}勝ち", f"{word}の勝ち")
}
"""Words for the winner that are the same in every kind of game: a colour, not a side's name."""
_KINDS: Final[dict[str, Kind]] = {
    "text": "text", "choice": "choice", "number": "one number", "day": "one day", "last day": "one day",
    "formation": "formation",
}  # fmt: skip
_POSITION: Final = Field(
    "reaches", _("Reaches the position"), "position", ("pos", "sfen", "position", "局面")
)
_PATTERN: Final = Field("pattern", _("Pattern on the board"), "pattern", ("部分図", "形"))
_COLOURS: Final = (
    Field("first", _("Who begins in an even game"), "text", ("sente", "先手", "下手")),
    Field("second", _("Who answers in an even game"), "text", ("gote", "後手", "上手")),
)


def _of_filters() -> Iterator[Field]:
    for one in FILTERS:
        if one.name == "result":
            choices = (*RESULT_NAMES, *_SIDES)
            yield Field(one.name, one.label, "choice", one.keys, one, choices=choices, words=_WON)
        elif one.value != "query":
            yield Field(one.name, one.label, _KINDS[one.value], one.keys, one, choices=tuple(one.choices))


def _of_spans() -> Iterator[Field]:
    by_attribute = {one.attribute: one for one in FILTERS}
    for span in RANGES:
        least, most = by_attribute[span.least], by_attribute[span.most]
        kind: Kind = "number" if least.value == "number" else "day"
        yield Field(span.name, span.label, kind, span.keys, least=least, most=most)


FIELDS: Final = (*_of_filters(), *_of_spans(), *_COLOURS, _POSITION, _PATTERN)
"""All fields."""
BY_NAME: Final = {one.name: one for one in FIELDS}
BY_KEY: Final = {key.lower(): one for one in FIELDS for key in (one.name, *one.keys)}
"""Fields by their keys, which precede a colon."""

_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    ord("“"): '"', ord("”"): '"', ord("｢"): "「", ord("｣"): "」",
}  # fmt: skip
_BLANK: Final = re.compile(r"\s")


def folded(text: str) -> str:
    """Return a text with half-width letters, signs and blanks; no character moves."""
    return _BLANK.sub(" ", text.translate(_WIDE))
