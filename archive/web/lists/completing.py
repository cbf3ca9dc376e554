"""Completions in the search box."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.derive.issues import language
from archive.models import NAMED, NameKind
from archive.names.romaji import romanized
from archive.queries.names import people
from archive.queries.names.name_matching import is_searchable
from archive.queries.scope import Scope, scope_of
from archive.queries.search.completions import COUNT_LIMIT, Completion, completions
from archive.web.lists.filtering import list_address
from archive.web.lists.rows import latin_on_page
from archive.web.wording import NAME_WORDS, formation_name

_KINDS: Final[dict[str, str | Promise]] = {
    **{kind: words.one for kind, words in NAME_WORDS.items()},
    "formation": _("Castle or opening"),
    "problem": _("Tsume problems"),
}


def complete(request: HttpRequest) -> HttpResponse:
    """Return the rows of the list of completions; with `choose` those of a field for a name."""
    text = request.GET.get("q", "").strip()
    kind = next((kind for kind in NAMED if kind == request.GET.get("choose")), None)
    if kind is not None:
        rows = _choices(scope_of(request), kind, text)
    else:
        rows = [*map(_row, completions(scope_of(request), text))]
    return render(request, "archive/parts/completions.html", {"rows": rows, "most": COUNT_LIMIT})


_CHOSEN_FROM: Final = 100
"""Names that are ranked by their games, at most."""
_CHOICES: Final = 8


def _choices(scope: Scope, kind: NameKind, text: str) -> list[dict[str, object]]:
    """Return the names with the most games whose names or readings contain a text. The values
    have numbers, which tell namesakes apart."""
    found = people.names(scope, kind, text, limit=_CHOSEN_FROM) if is_searchable(text) else []
    ranked = sorted(found, key=lambda one: (-one.games, one.name, one.id))[:_CHOICES]
    latin = latin_on_page(kind, [one.id for one in ranked])
    return [
        {
            "value": f"{one.name} #{one.id}",
            "name": one.name,
            "latin": latin.get(one.id, ""),
            "kind": f"#{one.id}",
            "games": one.games if one.games < people.COUNT_LIMIT else None,
        }
        for one in ranked
    ]


def _row(completion: Completion) -> dict[str, object]:
    return {
        "href": list_address(dict(completion.filters)),
        "kind": _KINDS[completion.kind],
        "before": completion.before,
        "name": formation_name(completion.name) if completion.kind == "formation" else completion.name,
        "latin": "" if language() == "ja" else _latin(completion),
        "games": completion.games,
        "problems": completion.kind == "problem",
    }


def _latin(completion: Completion) -> str:
    return completion.latin or (romanized(completion.name) if completion.kind == "player" else "")
