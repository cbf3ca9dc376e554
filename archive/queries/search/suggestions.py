"""What is offered where a list of games has few or none: names like those that were asked for, and the games
whose texts have the words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive.derive import headers
from archive.queries.games.filters import game_filters
from archive.queries.games.keyset import KeysetPage
from archive.queries.games.listing import GameRow, find_games
from archive.queries.names import people
from archive.queries.names.ids_of_names import NameKind
from archive.queries.names.similar_names import similar_spellings
from archive.queries.scope import Scope
from archive.queries.search.errors import TOO_SLOW, QueryError
from archive.queries.search.parsing import parse
from archive.queries.search.printing import quoted
from kifu_core.shogi import formations

COUNTED: Final = 50
"""Games with words in their texts that are counted at most."""

WORDS: Final = ("player", "event", "opening", "formation", "site")
"""Filters whose values can as well be words of a text."""

FEW: Final = 10
"""Games; to a list with fewer something is offered."""

_PLAYERS: Final = ("player", "black", "white")
_KINDS: Final[tuple[NameKind, ...]] = ("player", "event")
_OF_EACH: Final = 8
"""Names that hold a text."""
_LOOKED_UP: Final = 5
"""Words of all the names together that nobody has as a whole: each is a look at all names."""

Asked = Mapping[str, Any]
"""Valid values of filters, under the names that addresses have."""


def is_short(page: KeysetPage[GameRow]) -> bool:
    """Tell whether a page is a whole list of few games."""
    return page.next is None and len(page.items) < FEW


def similar_names(scope: Scope, asked: Asked, *, apart: bool) -> list[tuple[NameKind, people.NamedCount]]:
    """Return players and events whose names hold what was asked for as a name, for lists that came out short.

    Where nobody's does and `apart` is set, return those whose names hold one of its words.
    """
    words = list(dict.fromkeys(asked[name] for name in (*_PLAYERS, "event") if asked.get(name)))
    known = {
        headers.folded(form_of(text)) for text in words for form_of in (headers.player_name, headers.plain)
    }

    def holding(texts: Iterable[str]) -> list[tuple[NameKind, people.NamedCount]]:
        found = (
            (kind, one)
            for text in texts
            for kind in _KINDS
            for one in people.names(scope, kind, text, limit=_OF_EACH)
        )
        return [(kind, one) for kind, one in found if headers.folded(one.name) not in known]

    parts = dict.fromkeys(word for text in words for word in text.split() if word not in words)
    single = list(parts)[:_LOOKED_UP]
    return holding(sorted(words)) or (list(dict.fromkeys(holding(sorted(single)))) if apart else [])


def similar_players(scope: Scope, asked: Asked) -> list[tuple[str, str]]:
    """Return players likely meant by a name that nobody here has: the filter that asks for it, the name."""
    return [
        (name, found)
        for name in _PLAYERS
        if asked.get(name)
        for found in similar_spellings(scope, "player", asked[name])
    ]


def other_filters(asked: Asked) -> list[str]:
    """Return the filters that could ask for words that are no player's name."""
    return [name for name in ("event", "opening") if asked.get("player") and not asked.get(name)]


@dataclass(frozen=True, slots=True)
class TextSearch:
    """The list of the games that have `words` in a name or in their text: what `query` finds.

    `games` is how many these are, `more` tells that there are others beyond; None where to count them takes
    too long.
    """

    words: str
    query: str
    games: int | None
    more: bool = False


def text_search(scope: Scope, asked: Asked, found: int) -> TextSearch | None:
    """Return what the words that are asked for as names find in texts; None where that has no more games than
    were `found`, and where a query is asked for already."""
    words = [word for name in WORDS for word in _words(name, asked.get(name) or "")]
    if not words or asked.get("q"):
        return None
    query = " AND ".join(map(quoted, words)) if len(words) > 1 else _surely(words[0])
    rest = {name: value for name, value in asked.items() if name not in WORDS}
    shown = " ".join(words)
    try:
        parse(query)
        page = find_games(scope, game_filters({**rest, "q": query}), limit=COUNTED)
    except QueryError as error:
        return TextSearch(shown, query, None) if error.code == TOO_SLOW else None
    games, more = len(page.items), page.next is not None
    return TextSearch(shown, query, games, more) if games > found or more else None


def _words(name: str, value: str) -> list[str]:
    """Return the words of what a filter asks for: of a castle or an opening its name in Japanese records."""
    return [formations.BY_NAME[value].japanese] if name == "formation" and value else value.split()


def _surely(word: str) -> str:
    """Return a query for a word that the search box takes for no name."""
    doubled = word.replace('"', '""')
    return f'("{doubled}")'
