"""The filters in use of the list of games, and facets that narrow it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from archive.models import NameKind, Upload
from archive.queries.games.taken_down import fully_hidden
from archive.queries.names.ids_of_names import readable_collections
from archive.queries.scope import Scope
from archive.queries.search.errors import QueryError
from archive.queries.search.fields import BY_NAME
from archive.queries.search.parsing import parse
from archive.queries.search.printing import text_of
from archive.queries.search.terms import And, Between, EqualTo, FieldIs, HasPattern, Not, Term, Word
from archive.web.forms import ALL_KINDS
from archive.web.lists.filtering import values_in_use
from archive.web.lists.rows import latin_on_page
from archive.web.wording import MENUS, RESULTS_OF, formation_name, opening_text
from kifu_core.games import SHOGI
from kifu_core.shogi import formations

if TYPE_CHECKING:
    from django import forms

    from archive.models import NameKind
    from archive.queries.games.facets import Facets
from archive.web.forms import GameFilterForm


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in use, and the address of the list without it."""

    label: str
    text: str
    href: str


def chips(scope: Scope, form: forms.Form, others: Mapping[str, str] | None = None) -> list[Chip]:
    """Return the filters in use, in the form's order; equal ends of a range of dates are one chip.

    `others` are parameters that stay in the addresses.
    """
    used = values_in_use(form)
    labels = {field.html_name: str(field.label) for field in form}
    one_date = used.get("from") is not None and used.get("from") == used.get("to")

    def chip(name: str, value: str) -> Chip:
        if one_date and name == "from":
            return Chip(_("Date"), value, _without(others or {}, used, "from", "to"))
        words = _query_words(scope, form, value) if name == "q" else None
        label, text = words or (labels[name], _words(scope, form, name, value))
        return Chip(label, text, _without(others or {}, used, name))

    filters = {name: value for name, value in used.items() if name not in _NO_FILTERS}
    return [chip(name, value) for name, value in filters.items() if not (one_date and name == "to")]


_NO_FILTERS: Final = ("order",)
"""Fields of the form that do not filter."""


def _query_words(scope: Scope, form: forms.Form, text: str) -> tuple[str, str] | None:
    """Return label and text of a query's chip; None for an invalid query, whose error the form shows."""
    try:
        return _term_words(scope, form, parse(text))
    except QueryError:
        return None


def _term_words(scope: Scope, form: forms.Form, query: Term) -> tuple[str, str] | None:
    """Return label and text of a query's chip; None for free words and for terms joined by OR."""
    if isinstance(query, Not) and (words := _term_words(scope, form, query.term)):
        label, text = words
        return label, _("not {words}").format(words=text)
    if isinstance(query, FieldIs):
        values = (_value_words(scope, form, query.field, value) for value in query.any_of)
        return str(BY_NAME[query.field].label), " / ".join(values)
    if isinstance(query, HasPattern):
        return str(BY_NAME["pattern"].label), query.pattern
    if isinstance(query, And) and any(not isinstance(term, Word) for term in query.terms):
        terms = [(term, _term_words(scope, form, term)) for term in query.terms]
        texts = (": ".join(words) if words else text_of(term) for term, words in terms)
        return str(form.fields["q"].label), " · ".join(texts)
    return None


_WINNERS: Final = dict(zip(("first", "second"), RESULTS_OF[SHOGI.name], strict=False))


def _value_words(scope: Scope, form: forms.Form, field: str, value: EqualTo | Between) -> str:
    if isinstance(value, Between):
        return f"{value.least}–{value.most}"
    if field == "result" and value.value in _WINNERS:
        return str(_WINNERS[value.value])
    return _words(scope, form, field, value.value)


def _words(scope: Scope, form: forms.Form, name: str, value: str) -> str:
    """Return a filter's value in words: as in the form's menus, an upload by its name."""
    if name == "upload" and (number := getattr(form, "cleaned_data", {}).get(name)) is not None:
        shown = Upload.objects.exclude(state=Upload.State.DELETING).filter(pk=number, space__in=scope.spaces)
        upload_name = shown.values_list("name", flat=True).first()
        return source_name(number, "" if fully_hidden([number]) else upload_name)
    if name == "collection" and (number := getattr(form, "cleaned_data", {}).get(name)) is not None:
        titles = readable_collections(scope).filter(pk=number).values_list("title", flat=True)
        return titles.first() or value
    if name.endswith("formation"):
        return formation_name(value)
    if name == "opening":
        return opening_text(value)
    if value.endswith("*") and name in BY_NAME and BY_NAME[name].kind == "text":
        return f"{value[:-1]}…"
    choices = getattr(form.fields.get(name), "choices", ())
    return next((str(text) for choice, text in choices if choice == value), value)


def source_name(upload: int, name: str | None) -> str:
    """Return an upload's name, or one made of its number."""
    return name or _("file %(number)s") % {"number": upload}


def _without(others: Mapping[str, str], used: dict[str, str], *names: str) -> str:
    rest = urlencode({**others, **{key: value for key, value in used.items() if key not in names}})
    return f"?{rest}" if rest else "."


@dataclass(frozen=True, slots=True)
class Facet:
    """A field with the values that the games of a list have: text, number of games and address of each."""

    label: str
    values: tuple[tuple[str, int, str], ...]


def facets_of(form: GameFilterForm, counts: Facets) -> list[Facet]:
    """Return the facets with several values, without those of filters in use."""
    used = values_in_use(form)

    def facet(name: str, values: Iterable[tuple[str, int, dict[str, str]]]) -> Facet:
        linked = ((text, n, f"?{urlencode(used | filters)}") for text, n, filters in values)
        return Facet(str(form.fields[name].label if name in form.fields else _("Year")), tuple(linked))

    kinds = [kind for kind, _n in counts.boards] or [SHOGI.name]
    menus = [name for name in _MENUS if len(kinds) == 1 or name not in _OF_ONE]
    facets = [
        facet("player", _names("player", counts.players)),
        facet("event", _names("event", counts.events)),
        facet("place", _names("place", counts.places)),
        facet("year", ((str(year), n, {"from": str(year), "to": str(year)}) for year, n in counts.years)),
        *(facet(name, _menu_values(form, name, kinds[0], getattr(counts, _MENUS[name]))) for name in menus),
        facet("opening", ((opening_text(name), n, {"opening": name}) for name, n in counts.openings)),
        facet("formation", ((formation_name(name), n, {"formation": name}) for name, n in counts.formations)),
        facet("upload", _sources(counts)),
    ]
    hidden = {str(form.fields[name].label) for name in form.fields if used.get(name, ALL_KINDS) != ALL_KINDS}
    return [one for one in facets if len(one.values) > 1 and one.label not in hidden]


def _names(
    kind: NameKind, values: Sequence[tuple[int, str, int]]
) -> Iterator[tuple[str, int, dict[str, str]]]:
    latin = latin_on_page(kind, (pk for pk, _name, _n in values))
    for pk, name, n in values:
        yield latin.get(pk, name), n, {kind: name}


def _sources(counts: Facets) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Yield each upload's name, number of games and filter; hidden names are replaced for everybody."""
    hidden = fully_hidden([pk for pk, _name, _n in counts.sources])
    for pk, name, n in counts.sources:
        yield source_name(pk, "" if pk in hidden else name), n, {"upload": str(pk)}


_MENUS: Final = {
    "game": "boards", "result": "results", "handicap": "handicaps", "special": "endings",
    "record_kind": "kinds",
}  # fmt: skip
_OF_ONE: Final = ("result", "handicap")
"""Fields whose words depend on the kind of game."""


def _menu_values(
    form: GameFilterForm, name: str, kind: str, values: Iterable[tuple[str | int, int]]
) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Yield the values of a field that are in its menu, with words, number and filter."""
    menu, also = _menu(form, name, kind), {"game": kind} if name in _OF_ONE and kind != SHOGI.name else {}
    for value, n in values:
        if value in menu:
            chosen, text = menu[value]
            yield text, n, {name: chosen} | also


def _menu(form: GameFilterForm, name: str, kind: str) -> dict[str | int, tuple[str, str]]:
    """Return parameter and text by value."""
    choices = MENUS[name](kind) if name in _OF_ONE else getattr(form.fields[name], "choices", ())
    values = ((number if name == "result" else value) for number, (value, _text) in enumerate(choices))
    return {one: (value, str(text)) for one, (value, text) in zip(values, choices, strict=True)}


def error_parts(text: str) -> tuple[str, str, str] | None:
    """Split an invalid query around the character at fault; None for a valid query, and for an error without
    a position."""
    try:
        parse(text)
    except QueryError as error:
        if error.position is not None:
            at = error.position
            return text[:at], text[at : at + 1] or "␣", text[at + 1 :]
    return None


def by_moves(form: GameFilterForm) -> tuple[str, str] | None:
    """Return name and address of the list by moves for an opening that the form filters by name; None if no
    register has that name, or if the form filters by moves."""
    used = values_in_use(form)
    formation = formations.by_any_name(used.pop("opening", ""))
    if formation is None or "formation" in used:
        return None
    return formation_name(formation.name), f"?{urlencode({**used, 'formation': formation.name})}"
