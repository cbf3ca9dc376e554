"""Words that a list takes for names or openings: where the list of games is that have them in their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from archive.queries.scope import CHOSEN, Scope
from archive.queries.search import suggestions as offers
from archive.web.lists.filtering import in_use

if TYPE_CHECKING:
    from django.http import HttpRequest

    from archive.web.forms import GameFilterForm


@dataclass(frozen=True, slots=True)
class InText:
    """The address of a list of games that have `words` in a name or in their text, and how many these are
    (`offers.InText`)."""

    words: str
    href: str
    games: int | None
    more: bool = False


def in_text(request: HttpRequest, scope: Scope, form: GameFilterForm, found: int) -> InText | None:
    """Return where the words that a valid form takes for names are looked for in texts; None where that has
    no more games than were `found`, and where a query is asked for already."""
    offered = offers.text_search(scope, form.cleaned_data, found)
    if offered is None:
        return None
    kept = {name: value for name, value in in_use(form).items() if name not in offers.WORDS}
    if CHOSEN in request.GET:
        kept[CHOSEN] = request.GET[CHOSEN]
    href = f"?{urlencode({'q': offered.query, **kept})}"
    return InText(offered.words, href, offered.games, offered.more)
