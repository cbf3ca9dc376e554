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
    """A field of the search language."""

    name: str
    label: str | Promise
    kind: Kind
    """The type of its values."""
    keys: tuple[str, ...] = ()
    """More names of the field."""
    filter: Filter | None = None
    """The filter of a field that has single values."""
    least: Filter | None = None
    """The filter by the lower end of a range."""
    most: Filter | None = None
    """The filter by the upper end of a range."""
    choices: tuple[str, ...] = ()
    """The values of a choice."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Words that stand for values, with these values."""

    def read(self, text: str) -> str:
        """Return the value that a word stands for, or the word itself."""
        if text in self.words:
            return self.words[text]
        value = self.filter.parse(text) if self.filter else text
        return next((choice for choice in self.choices if choice.lower() == value.lower()), value)

    def in_range(self, number: int) -> bool:
        """Return whether the field can have this number."""
        ends = [filter_ for filter_ in (self.filter, self.least, self.most) if filter_]
        return all(filter_.least <= number <= filter_.most for filter_ in ends)


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
    for filter_ in FILTERS:
        if filter_.name == "result":
            choices = (*RESULT_NAMES, *_SIDES)
            yield Field(
                filter_.name, filter_.label, "choice", filter_.keys, filter_, choices=choices, words=_WON
            )
        elif filter_.value not in ("ids", "query"):
            yield Field(
                filter_.name,
                filter_.label,
                _KINDS[filter_.value],
                filter_.keys,
                filter_,
                choices=tuple(filter_.choices),
            )


def _of_spans() -> Iterator[Field]:
    by_attribute = {filter_.attribute: filter_ for filter_ in FILTERS}
    for span in RANGES:
        least, most = by_attribute[span.least], by_attribute[span.most]
        kind: Kind = "number" if least.value == "number" else "day"
        yield Field(span.name, span.label, kind, span.keys, least=least, most=most)


FIELDS: Final = (*_of_filters(), *_of_spans(), *_COLOURS, _POSITION, _PATTERN)
"""All fields."""
BY_NAME: Final = {field_.name: field_ for field_ in FIELDS}
BY_KEY: Final = {key.lower(): field_ for field_ in FIELDS for key in (field_.name, *field_.keys)}
"""Fields by their keys, which precede a colon."""

_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    ord("“"): '"', ord("”"): '"', ord("｢"): "「", ord("｣"): "」",
}  # fmt: skip
_BLANK: Final = re.compile(r"\s")


def folded(text: str) -> str:
    """Return a text with half-width letters, signs and blanks; no character moves."""
    return _BLANK.sub(" ", text.translate(_WIDE))
