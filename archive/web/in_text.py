"""Words that a list of games takes for names or openings: how many games have them in their text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from archive.queries.filters import games_asked
from archive.queries.games import find_games
from archive.queries.named import named
from archive.queries.scope import CHOSEN, Scope
from archive.queries.search.errors import TOO_SLOW, QueryError
from archive.queries.search.grammar import parse
from archive.queries.search.printing import quoted
from archive.web.filtering import in_use

if TYPE_CHECKING:
    from django.http import HttpRequest

    from archive.web.forms import GameFilterForm

COUNTED: Final = 50
"""Games that are counted at most."""

_WORDS: Final = ("player", "event", "opening", "site")
"""Filters whose values can as well be words of a text."""

_PHRASE: Final = re.compile(r"\"([^\"]+)\"|「([^「」]+)」")
_SURE: Final = re.compile(r'\("(?:[^"]|"")+"\)')


@dataclass(frozen=True, slots=True)
class InText:
    """A list of the games that have `words` in a name or in their text.

    `games` is how many these are, `more` tells that there are others beyond; None where to count them takes
    too long.
    """

    words: str
    href: str
    games: int | None
    more: bool = False


def in_text(request: HttpRequest, scope: Scope, form: GameFilterForm, found: int) -> InText | None:
    """Return where the words that a valid form takes for names are looked for in texts; None where that has
    no more games than were `found`, and where a query is asked for already."""
    asked = in_use(form)
    words = [word for name in _WORDS for word in asked.get(name, "").split()]
    if not words or "q" in asked:
        return None
    rest = {name: value for name, value in form.cleaned_data.items() if name not in _WORDS}
    query = " AND ".join(map(quoted, words)) if len(words) > 1 else _surely(words[0])
    kept = {name: value for name, value in asked.items() if name not in _WORDS}
    if CHOSEN in request.GET:
        kept[CHOSEN] = request.GET[CHOSEN]
    shown, href = " ".join(words), f"?{urlencode({'q': query, **kept})}"
    try:
        parse(query)
        page = find_games(scope, games_asked({**rest, "q": query}), limit=COUNTED)
    except QueryError as error:
        return InText(shown, href, None) if error.code == TOO_SLOW else None
    games, more = len(page.items), page.next is not None
    return InText(shown, href, games, more) if games > found or more else None


def _surely(word: str) -> str:
    """Return a query for a word that the search box takes for no name."""
    doubled = word.replace('"', '""')
    return f'("{doubled}")'


def is_phrase(scope: Scope, words: str) -> bool:
    """Tell whether words are one text in quotation marks that is no name of a player or an event, or any text
    in these and parentheses."""
    match = _PHRASE.fullmatch(words.strip())
    if match is None:
        return _SURE.fullmatch(words.strip()) is not None
    text = match[1] or match[2]
    return not (named(scope, "player", text) or named(scope, "event", text))
