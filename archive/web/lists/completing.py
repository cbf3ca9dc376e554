"""Completions in the search box."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.derive.issues import language
from archive.names.romaji import romanized
from archive.queries.scope import scope_of
from archive.queries.search.completions import COUNT_LIMIT, Completion, completions
from archive.web.lists.filtering import list_address
from archive.web.wording import formation_name

_KINDS: Final[dict[str, str | Promise]] = {
    "player": _("Player"),
    "event": _("Event"),
    "formation": _("Castle or opening"),
    "problem": _("Tsume problems"),
}


def complete(request: HttpRequest) -> HttpResponse:
    """Return the rows of the list of completions."""
    rows = [*map(_row, completions(scope_of(request), request.GET.get("q", "").strip()))]
    return render(request, "archive/parts/completions.html", {"rows": rows, "most": COUNT_LIMIT})


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
