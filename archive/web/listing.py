"""The list of games: what its form and its search box ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from archive.queries.games import GameFilters
from archive.queries.positions import PositionFilters
from archive.web.forms import RESULT_NUMBERS
from kifu_core.errors import DecodeError
from kifu_core.keys import shogi64
from kifu_core.position import Position

if TYPE_CHECKING:
    from django import forms

    from archive.web.forms import GameFilterForm, PositionFilterForm

_SHORTEST_CODE: Final = 20
"""Shorter words that happen to be a code are taken for a name."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in use, and the address of the list without it."""

    label: str
    text: str
    href: str


def chips(form: forms.Form) -> list[Chip]:
    """The filters in use, in the form's order."""
    used = {field.html_name: str(field.value()) for field in form if field.value()}
    labels = {field.html_name: str(field.label) for field in form}
    return [
        Chip(labels[name], _words(form, name, value), _without(used, name)) for name, value in used.items()
    ]


def _words(form: forms.Form, name: str, value: str) -> str:
    """A filter's value as the form's menus call it."""
    choices = getattr(form.fields.get(name), "choices", ())
    return next((str(text) for choice, text in choices if choice == value), value)


def _without(used: dict[str, str], name: str) -> str:
    rest = urlencode({key: value for key, value in used.items() if key != name})
    return f"?{rest}" if rest else "."


def filters_of(form: GameFilterForm) -> GameFilters:
    """A valid form's filters for the query."""
    asked = {name: None if value == "" else value for name, value in form.cleaned_data.items()}
    asked["record_kind"] = asked.pop("kind")
    asked["result"] = RESULT_NUMBERS.get(asked["result"] or "")
    return GameFilters(**asked)


def position_filters_of(form: PositionFilterForm) -> PositionFilters:
    """A valid form's filters for the games through a position."""
    asked = {name: None if value == "" else value for name, value in form.cleaned_data.items()}
    return PositionFilters(**asked | {"result": RESULT_NUMBERS.get(asked["result"] or "")})


KEYS: Final = {
    "player": "player", "対局者": "player", "black": "black", "先手": "black",
    "white": "white", "後手": "white",
    "event": "event", "棋戦": "event", "opening": "opening", "戦型": "opening", "from": "from", "to": "to",
    "result": "result", "handicap": "handicap", "special": "special", "kind": "kind",
    "min_plies": "min_plies", "max_plies": "max_plies",
}  # fmt: skip
"""What may stand before the colon in the search box, and the filter it is."""

_TOKEN: Final = re.compile(r'(?:([^\s:："]+)[:：])?(?:"([^"]*)"|(\S+))')


def filters_in(words: str) -> dict[str, str]:
    """The filters that the words of the search box ask for: `key:value`, `@name`, and a player's name.

    >>> filters_in('@羽生善治 event:名人戦 from:1994')
    {'player': '羽生善治', 'event': '名人戦', 'from': '1994'}
    >>> filters_in('the end of genesis')
    {'player': 'the end of genesis'}
    """
    found: dict[str, str] = {}
    free = []
    for match in _TOKEN.finditer(words):
        key, text = match[1], match[2] if match[2] is not None else match[3]
        if key in KEYS:
            found[KEYS[key]] = text
        elif key is None and text.startswith("@") and len(text) > 1:
            found["player"] = text[1:]
        else:
            free.append(match[0])
    if free:
        found.setdefault("player", " ".join(free))
    return found


def position_in(words: str) -> str | None:
    """The code of a position that was pasted as SFEN or as a Shogi64 code; None for other words."""
    text = words.removeprefix("position ").removeprefix("sfen ").strip()
    try:
        if text.count("/") == 8:
            return shogi64.encode(Position.from_sfen(text.split(" moves ")[0]))
        if len(text) >= _SHORTEST_CODE:
            shogi64.decode(text)
            return text
    except DecodeError:
        return None
    return None
