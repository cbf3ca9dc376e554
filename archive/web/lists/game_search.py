"""The list of games: what its form asks for, and what narrows it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from archive.models import Upload
from archive.queries.games.taken_down import hidden_whole
from archive.queries.scope import Scope
from archive.queries.search.errors import QueryError
from archive.queries.search.parsing import parse
from archive.web.forms import ALL_KINDS
from archive.web.lists.filtering import in_use
from archive.web.wording import MENUS, formation
from kifu_core.games import SHOGI
from kifu_core.shogi import formations

if TYPE_CHECKING:
    from django import forms

    from archive.queries.games.facets import Facets
    from archive.web.forms import GameFilterForm


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in use, and the address of the list without it."""

    label: str
    text: str
    href: str


def chips(scope: Scope, form: forms.Form, kept: Mapping[str, str] | None = None) -> list[Chip]:
    """Return the filters in use, in the form's order; both ends of the same day, month or year are one chip.

    What is `kept` stays in the addresses.
    """
    used = in_use(form)
    labels = {field.html_name: str(field.label) for field in form}
    one_date = used.get("from") is not None and used.get("from") == used.get("to")

    def chip(name: str, value: str) -> Chip:
        if one_date and name == "from":
            return Chip(_("Date"), value, _without(kept or {}, used, "from", "to"))
        return Chip(labels[name], _words(scope, form, name, value), _without(kept or {}, used, name))

    filters = {name: value for name, value in used.items() if name not in _NO_FILTERS}
    return [chip(name, value) for name, value in filters.items() if not (one_date and name == "to")]


_NO_FILTERS: Final = ("order",)
"""What stands in addresses beside the filters, and says only how the list is shown."""


def _words(scope: Scope, form: forms.Form, name: str, value: str) -> str:
    """Return a filter's value as the form's menus call it; an upload is called by its name."""
    if name == "upload" and (number := getattr(form, "cleaned_data", {}).get(name)) is not None:
        shown = Upload.objects.exclude(state=Upload.State.DELETING).filter(pk=number, space__in=scope.spaces)
        called = shown.values_list("name", flat=True).first()
        return source_name(number, "" if hidden_whole([number]) else called)
    if name.endswith("formation"):
        return formation(value)
    choices = getattr(form.fields.get(name), "choices", ())
    return next((str(text) for choice, text in choices if choice == value), value)


def source_name(upload: int, name: str | None) -> str:
    """Return what an upload is called: its name, or its number where there is none."""
    return name or _("file %(number)s") % {"number": upload}


def _without(kept: Mapping[str, str], used: dict[str, str], *names: str) -> str:
    rest = urlencode({**kept, **{key: value for key, value in used.items() if key not in names}})
    return f"?{rest}" if rest else "."


@dataclass(frozen=True, slots=True)
class Facet:
    """One kind of values among the games of a list: its name, and of each value text, number and address."""

    label: str
    values: tuple[tuple[str, int, str], ...]


def facets_of(form: GameFilterForm, found: Facets) -> list[Facet]:
    """Return what can narrow a list down: the kinds of which it has several values, without those in use."""
    used = in_use(form)

    def facet(name: str, values: Iterable[tuple[str, int, dict[str, str]]]) -> Facet:
        linked = ((text, n, f"?{urlencode(used | asked)}") for text, n, asked in values)
        return Facet(str(form.fields[name].label if name in form.fields else _("Year")), tuple(linked))

    kinds = [kind for kind, _n in found.boards] or [SHOGI.name]
    menus = [name for name in _MENUS if len(kinds) == 1 or name not in _OF_ONE]
    all_of_them = [
        facet("player", ((name, n, {"player": name}) for _pk, name, n in found.players)),
        facet("event", ((name, n, {"event": name}) for _pk, name, n in found.events)),
        facet("year", ((str(year), n, {"from": str(year), "to": str(year)}) for year, n in found.years)),
        *(facet(name, _menu_values(form, name, kinds[0], getattr(found, _MENUS[name]))) for name in menus),
        facet("opening", ((text, n, {"opening": text}) for text, n in found.openings)),
        facet(
            "formation",
            ((formation(name), n, {"formation": name}) for name, n in found.formations),
        ),
        facet("upload", _sources(found)),
    ]
    hidden = {str(form.fields[name].label) for name in form.fields if used.get(name, ALL_KINDS) != ALL_KINDS}
    return [one for one in all_of_them if len(one.values) > 1 and one.label not in hidden]


def _sources(found: Facets) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Yield each upload's name, number of games and filter. Hidden names are hidden from everybody."""
    hidden = hidden_whole([pk for pk, _name, _n in found.sources])
    for pk, name, n in found.sources:
        yield source_name(pk, "" if pk in hidden else name), n, {"upload": str(pk)}


_MENUS: Final = {
    "game": "boards", "result": "results", "handicap": "handicaps", "special": "endings",
    "record_kind": "kinds",
}  # fmt: skip
_OF_ONE: Final = ("result", "handicap")
"""What has other words in every kind of game."""


def _menu_values(
    form: GameFilterForm, name: str, kind: str, values: Iterable[tuple[str | int, int]]
) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Yield the values of a field with a menu, in its words; no other can be asked for."""
    menu, also = _menu(form, name, kind), {"game": kind} if name in _OF_ONE and kind != SHOGI.name else {}
    for value, n in values:
        if value in menu:
            chosen, text = menu[value]
            yield text, n, {name: chosen} | also


def _menu(form: GameFilterForm, name: str, kind: str) -> dict[str | int, tuple[str, str]]:
    """Return what the address says and what people read, by value."""
    choices = MENUS[name](kind) if name in _OF_ONE else getattr(form.fields[name], "choices", ())
    values = ((number if name == "result" else value) for number, (value, _text) in enumerate(choices))
    return {one: (value, str(text)) for one, (value, text) in zip(values, choices, strict=True)}


def wrong_place(text: str) -> tuple[str, str, str] | None:
    """Return a wrong query in three parts, of which the middle one is the wrong character; None if the whole
    text is wrong, or none of it."""
    try:
        parse(text)
    except QueryError as error:
        if error.position is not None:
            at = error.position
            return text[:at], text[at : at + 1] or "␣", text[at + 1 :]
    return None


def by_moves(form: GameFilterForm) -> tuple[str, str] | None:
    """Return what an opening is called that is asked for as records name it, and the list of the games whose
    moves have it; None where no opening of the moves has that name, or one is asked for already."""
    used = in_use(form)
    found = formations.by_any_name(used.pop("opening", ""))
    if found is None or "formation" in used:
        return None
    return formation(found.name), f"?{urlencode({**used, 'formation': found.name})}"
