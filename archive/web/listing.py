"""The list of games: what its form and its search box ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from archive.models import Upload
from archive.queries import finding
from archive.queries.games import GameFilters
from archive.queries.positions import PositionFilters
from archive.web.forms import RESULT_NUMBERS
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.keys import shogi64
from kifu_core.position import Position

if TYPE_CHECKING:
    from django import forms

    from archive.queries.facets import Facets
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
    """A filter's value as the form's menus call it, and uploads by their names."""
    if name == "upload":
        return source_name(int(value), Upload.objects.filter(pk=value).values_list("name", flat=True).first())
    choices = getattr(form.fields.get(name), "choices", ())
    return next((str(text) for choice, text in choices if choice == value), value)


def source_name(upload: int, name: str | None) -> str:
    """What an upload is called."""
    return name or _("upload %(number)s") % {"number": upload}


def _without(used: dict[str, str], name: str) -> str:
    rest = urlencode({key: value for key, value in used.items() if key != name})
    return f"?{rest}" if rest else "."


@dataclass(frozen=True, slots=True)
class Facet:
    """One kind of values among the games of a list: its name, and of each value text, number and address."""

    label: str
    values: tuple[tuple[str, int, str], ...]


def facets_of(form: GameFilterForm, found: Facets) -> list[Facet]:
    """What can narrow a list down: the kinds of which it has several values, those in use left out."""
    used = {field.html_name: str(field.value()) for field in form if field.value()}

    def facet(name: str, values: Iterable[tuple[str, int, dict[str, str]]]) -> Facet:
        linked = ((text, n, f"?{urlencode(used | asked)}") for text, n, asked in values)
        return Facet(str(form.fields[name].label if name in form.fields else _("Year")), tuple(linked))

    menus = ((name, getattr(found, many)) for name, many in _MENUS.items())
    all_of_them = [
        facet("player", ((name, n, {"player": name}) for _pk, name, n in found.players)),
        facet("event", ((name, n, {"event": name}) for _pk, name, n in found.events)),
        facet("year", ((str(year), n, {"from": str(year), "to": str(year)}) for year, n in found.years)),
        *(facet(name, _menu_values(form, name, values)) for name, values in menus),
        facet("opening", ((text, n, {"opening": text}) for text, n in found.openings)),
        facet("upload", ((source_name(pk, name), n, {"upload": str(pk)}) for pk, name, n in found.sources)),
    ]
    hidden = {str(form.fields[name].label) for name in form.fields if name in used}
    return [one for one in all_of_them if len(one.values) > 1 and one.label not in hidden]


_MENUS: Final = {"result": "results", "handicap": "handicaps", "special": "endings", "kind": "kinds"}


def _menu_values(
    form: GameFilterForm, name: str, values: Iterable[tuple[str | int, int]]
) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Values of a field with a menu, in its words; those that it does not have cannot be asked for."""
    numbers = {number: word for word, number in RESULT_NUMBERS.items()}
    menu = {value: str(text) for value, text in getattr(form.fields[name], "choices", ())}
    for value, n in values:
        chosen = numbers[value] if isinstance(value, int) else value
        if chosen in menu:
            yield menu[chosen], n, {name: chosen}


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
    """The code of a position that was pasted as SFEN, as a USI line (its end), or as a Shogi64 code; None for
    other words."""
    text = words.removeprefix("position ").removeprefix("sfen ").strip()
    try:
        if " moves " in text and (text.count("/") == 8 or text.startswith("startpos ")):
            line = text if text[0] == "s" else f"sfen {text}"
            return shogi64.encode(finding.of_text(SHOGI, f"position {line}"))
        if text.count("/") == 8:
            return shogi64.encode(Position.from_sfen(text))
        if len(text) >= _SHORTEST_CODE:
            shogi64.decode(text)
            return text
    except KifuError:
        return None
    return None
