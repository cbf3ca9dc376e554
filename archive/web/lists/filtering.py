"""The filters of the position page: what stays when one is dropped, and what was likely meant instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise

from archive.queries.games.filters import FILTERS
from archive.queries.names.ids_of_names import NameKind, ids_of_name
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


def list_address(asked: Mapping[str, str]) -> str:
    """Return the address of the list that filters ask for: the page with diagrams where it has problems of a
    length, else the list of games."""
    if asked.keys() == _OF_PROBLEMS and asked["min_plies"] == asked["max_plies"]:
        return f"{reverse('problems')}?{urlencode({'length': asked['min_plies']})}"
    return f"{reverse('games')}?{urlencode(asked)}"


def kept(request: HttpRequest, form: forms.Form) -> dict[str, str]:
    """Return what an address asks for beside the form's filters: it stays when these change."""
    names = {*(field.html_name for field in form), *_OF_ONE_PAGE}
    return {name: str(value) for name, value in request.GET.items() if name not in names}


def in_use(form: forms.Form) -> dict[str, str]:
    """Return what a form's fields ask for, as addresses have it."""
    said = ((field.html_name, field.value()) for field in form if field.value())
    return {
        name: str(value)
        for name, value in said
        if not (isinstance(form, FilterForm) and form.is_usual(name, value))
    }


def feed_of_list(request: HttpRequest) -> str:
    """Return the address of the feed of the list of games that a request asks for."""
    query = request.GET.copy()
    for name in ("cursor", "order"):
        query.pop(name, None)
    return f"{reverse('games-feed')}?{query.urlencode()}" if query else reverse("games-feed")


_OF_ALL: Final = {"csv": "CSV", "ndjson": "JSON"}


def downloads_of_list(request: HttpRequest, form: forms.Form) -> list[tuple[str | Promise, str]]:
    """Return what a valid form's list of games can be downloaded as: what it is called, and the address."""
    asked = {name: value for name, value in form.cleaned_data.items() if value not in (None, "", [])}
    asked.pop("order", None)
    if CHOSEN in request.GET:
        asked[CHOSEN] = request.GET[CHOSEN]
    offered = {**PAGES[asked.get("game", SHOGI.name)].bulk, **_OF_ALL}
    whole = reverse("api:games-export")
    return [(text, f"{whole}?{urlencode({'as': name, **asked})}") for name, text in offered.items()]


def reached_anyway(scope: Scope, explorer: Explorer, filtered: bool) -> int | None:
    """Return how many games reach the position whatever else they are; None where that is not counted.

    Without filters it is what the explorer tells, and a sample has numbers of its own.
    """
    if not filtered or explorer.sample is not None:
        return None
    return count_reaching(scope, explorer.kind, explorer.code, explorer.match)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A filter that asks for a name that nobody here has: its label, the name, and of each likely one the
    name and the address of this page with that instead."""

    label: str
    text: str
    names: tuple[tuple[str, str], ...]


def suggestions(scope: Scope, form: forms.Form, also: Mapping[str, str]) -> list[Suggestion]:
    """Suggest what the form's names that are not here were meant to be; `also` stays in the addresses."""
    asked = in_use(form)
    found = []
    for one in FILTERS:
        field, text = one.name, asked.get(one.name, "")
        if one.names and text and not ids_of_name(scope, one.names, text):
            links = (
                (name, f"?{urlencode({**also, **asked, field: name})}")
                for name in meant(scope, one.names, text)
            )
            found.append(Suggestion(str(form[field].label), text, tuple(links)))
    return found


def meant(scope: Scope, kind: NameKind, text: str) -> list[str]:
    """Return names that hold a text, otherwise those that are spelt nearly like it."""
    return [one.name for one in names_with(scope, kind, text, limit=_MOST)] or similar_spellings(
        scope, kind, text
    )


def image_query(kind: str, form: forms.Form, match: Match, *, turned: bool) -> str:
    """Return the match and the filters as the page of another orientation of the position has them.

    With the colours exchanged, what one side had to be is the other's.
    """
    asked = in_use(form)
    if turned:
        one, other = GAMES[kind].rules.sides
        exchanged = {one: other, other: one}
        asked = {exchanged.get(name, name): value for name, value in asked.items()}
        if "result" in asked:
            asked["result"] = exchanged.get(asked["result"], asked["result"])
    return f"?{urlencode({'match': match, **asked})}"


def query_of(fields: Mapping[str, Any]) -> str:
    """Return an address with these parameters; without any, the address of this page alone."""
    return f"?{urlencode(fields)}" if fields else "."
