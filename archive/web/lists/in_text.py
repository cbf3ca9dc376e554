"""Links from a list by names or openings to the games that have the same words in their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from archive.queries.scope import CHOSEN, Scope
from archive.queries.search import suggestions
from archive.web.lists.filtering import values_in_use

if TYPE_CHECKING:
    from django.http import HttpRequest

    from archive.web.forms import GameFilterForm


@dataclass(frozen=True, slots=True)
class InText:
    """The address and number of the games that have `words` in a name or in their text
    (`suggestions.TextSearch`)."""

    words: str
    href: str
    games: int | None
    more: bool = False


def in_text(request: HttpRequest, scope: Scope, form: GameFilterForm, shown: int) -> InText | None:
    """Return the text search for the names in a valid form; None if it has no more games than are `shown`, or
    if the form has a query."""
    search = suggestions.text_search(scope, form.cleaned_data, shown)
    if search is None:
        return None
    others = {name: value for name, value in values_in_use(form).items() if name not in suggestions.WORDS}
    if CHOSEN in request.GET:
        others[CHOSEN] = request.GET[CHOSEN]
    href = f"?{urlencode({'q': search.query, **others})}"
    return InText(search.words, href, search.games, search.more)
