"""Filters in addresses of lists, and suggestions for names without games."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise

from archive.models import NameKind
from archive.queries.games.filters import FILTERS
from archive.queries.names.ids_of_names import ids_of_name
from archive.queries.names.people import names as names_with
from archive.queries.names.similar_names import similar_spellings
from archive.queries.positions.explorer import Explorer, count_reaching
from archive.queries.scope import CHOSEN, Scope
from archive.web.forms import FilterForm
from archive.web.game_registry import PAGES
from kifu_core.classes import Match
from kifu_core.games import GAMES, SHOGI

_OF_ONE_PAGE: Final = ("cursor", "part")
_MOST: Final = 5
_OF_PROBLEMS: Final = {"record_kind", "min_plies", "max_plies"}


def list_address(filters: Mapping[str, str]) -> str:
    """Return the address of the list with filters: the page with diagrams for problems of one length, else
    the list of games."""
    if filters.keys() == _OF_PROBLEMS and filters["min_plies"] == filters["max_plies"]:
        return f"{reverse('problems')}?{urlencode({'length': filters['min_plies']})}"
    return f"{reverse('games')}?{urlencode(filters)}"


def other_parameters(request: HttpRequest, form: forms.Form) -> dict[str, str]:
    """Return the parameters that stay when the filters of a form change."""
    names = {*(field.html_name for field in form), *_OF_ONE_PAGE}
    return {name: str(value) for name, value in request.GET.items() if name not in names}


def values_in_use(form: forms.Form) -> dict[str, str]:
    """Return the parameters of a form's fields that are in use."""
    values = ((field.html_name, field.value()) for field in form if field.value())
    return {
        name: str(value)
        for name, value in values
        if not (isinstance(form, FilterForm) and form.is_usual(name, value))
    }


def feed_of_list(request: HttpRequest) -> str:
    """Return the address of the feed of the requested list of games."""
    query = request.GET.copy()
    for name in ("cursor", "order"):
        query.pop(name, None)
    return reverse("games-feed", query=query)


_OF_ALL: Final = {"csv": "CSV", "ndjson": "JSON"}


BOOK_TITLES: Final = {
    "db": "YaneuraOu (.db)",
    "ybb": "YaneuraOu (.ybb)",
    "sbk": "ShogiGUI (.sbk)",
    "apery": "Apery (.bin)",
}
"""The formats of opening books and their names for people."""


def downloads_of_list(request: HttpRequest, form: forms.Form) -> list[tuple[str | Promise, str]]:
    """Return title and address of each format for downloading the list of a valid form."""
    filters = _filters_of_list(request, form)
    formats = {**PAGES[filters.get("game", SHOGI.name)].bulk, **_OF_ALL}
    export = reverse("api:games-export")
    return [(text, f"{export}?{urlencode({'as': name, **filters})}") for name, text in formats.items()]


def engine_inputs(request: HttpRequest, form: forms.Form) -> list[tuple[str, Any]] | None:
    """Return the filters of a list, as inputs of the forms for engines' files; None if it has other games
    than shogi."""
    filters = _filters_of_list(request, form)
    return [*filters.items()] if filters.get("game", SHOGI.name) == SHOGI.name else None


def _filters_of_list(request: HttpRequest, form: forms.Form) -> dict[str, Any]:
    filters = {name: value for name, value in form.cleaned_data.items() if value not in (None, "", [])}
    filters.pop("order", None)
    if CHOSEN in request.GET:
        filters[CHOSEN] = request.GET[CHOSEN]
    return filters


def unfiltered_total(scope: Scope, explorer: Explorer, filtered: bool) -> int | None:
    """Return the number of games that reach a position without the filters; None if there are no filters, or
    for a sample, which has numbers of its own."""
    if not filtered or explorer.sample is not None:
        return None
    return count_reaching(scope, explorer.kind, explorer.code, explorer.match)


@dataclass(frozen=True, slots=True)
class NameSuggestion:
    """A filter by a name without games: its label, the name, and similar names with their addresses."""

    label: str
    text: str
    names: tuple[tuple[str, str], ...]


def name_suggestions(scope: Scope, form: forms.Form, also: Mapping[str, str]) -> list[NameSuggestion]:
    """Return suggestions for the form's names without games; the addresses also have `also`."""
    used = values_in_use(form)
    results = []
    for filter_ in FILTERS:
        field, text = filter_.name, used.get(filter_.name, "")
        if filter_.name_kind and text and not ids_of_name(scope, filter_.name_kind, text):
            links = (
                (name, f"?{urlencode({**also, **used, field: name})}")
                for name in likely_names(scope, filter_.name_kind, text)
            )
            results.append(NameSuggestion(str(form[field].label), text, tuple(links)))
    return results


def likely_names(scope: Scope, kind: NameKind, text: str) -> list[str]:
    """Return names that contain a text, else names with a similar spelling."""
    return [one.name for one in names_with(scope, kind, text, limit=_MOST)] or similar_spellings(
        scope, kind, text
    )


def image_query(kind: str, form: forms.Form, match: Match, *, turned: bool) -> str:
    """Return the query for the page of another orientation of the position; `turned` exchanges the colours in
    the filters."""
    used = values_in_use(form)
    if turned:
        one, other = GAMES[kind].rules.sides
        exchanged = {one: other, other: one}
        used = {exchanged.get(name, name): value for name, value in used.items()}
        for name in {"result", "me"} & used.keys():
            used[name] = exchanged.get(used[name], used[name])
    return f"?{urlencode({'match': match, **used})}"


def query_of(fields: Mapping[str, Any]) -> str:
    """Return the relative address of this page with parameters; `.` without any."""
    return f"?{urlencode(fields)}" if fields else "."
