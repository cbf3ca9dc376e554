"""What the search box offers while somebody types, as rows of its list."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive.queries.scope import scope_of
from archive.queries.search.completions import COUNTED_TO, Completion, completions
from archive.web.lists.filtering import list_address
from archive.web.wording import formation

_KINDS: Final[dict[str, str | Promise]] = {
    "player": _("Player"),
    "event": _("Event"),
    "formation": _("Castle or opening"),
    "problem": _("Tsume problems"),
}


def complete(request: HttpRequest) -> HttpResponse:
    """Answer with what the words of the search box may become: nothing where nothing begins so."""
    found = completions(scope_of(request), request.GET.get("q", "").strip())

    rows = [*map(_row, found)]
    return render(request, "archive/parts/completions.html", {"rows": rows, "most": COUNTED_TO})


def _row(one: Completion) -> dict[str, object]:
    return {
        "href": list_address(dict(one.filters)),
        "kind": _KINDS[one.kind],
        "name": formation(one.name) if one.kind == "formation" else one.name,
        "games": one.games,
        "player": one.kind == "player",
        "problems": one.kind == "problem",
    }
