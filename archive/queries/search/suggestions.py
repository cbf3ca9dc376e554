"""Suggestions for a list of few or no games: similar names, and a search of the words in texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive.derive import headers
from archive.models import LABELS, NAMED, NameKind
from archive.queries.games.filters import game_filters
from archive.queries.games.keyset import KeysetPage
from archive.queries.games.listing import GameRow, find_games
from archive.queries.names import people
from archive.queries.names.similar_names import similar_spellings
from archive.queries.scope import Scope
from archive.queries.search.errors import TOO_SLOW, QueryError
from archive.queries.search.parsing import parse
from archive.queries.search.printing import always_quoted, quoted
from kifu_core.shogi import formations

MOST_COUNTED: Final = 50
"""Games of a search in texts that are counted at most."""

WORDS: Final = ("player", "event", "opening", "formation", "place")
"""Filters whose values are searched in texts as well."""

FEW: Final = 10
"""A list with fewer games gets suggestions."""

_PLAYERS: Final = ("player", "black", "white")
_OF_EACH: Final = 8
"""Similar names for each text."""
_LOOKED_UP: Final = 5
"""Single words that are looked up: each costs a scan of all names."""

Parameters = Mapping[str, Any]
"""Valid values of filters by their names in addresses."""


def is_short(page: KeysetPage[GameRow]) -> bool:
    """Return whether a page is a complete list of few games."""
    return page.next is None and len(page.items) < FEW


def similar_names(
    scope: Scope, parameters: Parameters, *, apart: bool
) -> list[tuple[NameKind, people.NamedCount]]:
    """Return others whose names contain a name of the filters. If there are none and
    `apart` is set, return those whose names contain one of its words."""
    words = list(dict.fromkeys(parameters[name] for name in (*_PLAYERS, *LABELS) if parameters.get(name)))
    requested = {
        headers.folded(form_of(text)) for text in words for form_of in (headers.player_name, headers.plain)
    }

    def holding(texts: Iterable[str]) -> list[tuple[NameKind, people.NamedCount]]:
        matches = (
            (kind, one)
            for text in texts
            for kind in NAMED
            for one in people.names(scope, kind, text, limit=_OF_EACH)
        )
        return [(kind, one) for kind, one in matches if headers.folded(one.name) not in requested]

    parts = dict.fromkeys(word for text in words for word in text.split() if word not in words)
    single = list(parts)[:_LOOKED_UP]
    return holding(sorted(words)) or (list(dict.fromkeys(holding(sorted(single)))) if apart else [])


def similar_players(scope: Scope, parameters: Parameters) -> list[tuple[str, str]]:
    """Return players whose names are spelled nearly like an unknown name: the filter and the name."""
    return [
        (name, spelling)
        for name in _PLAYERS
        if parameters.get(name)
        for spelling in similar_spellings(scope, "player", parameters[name])
    ]


def other_filters(parameters: Parameters) -> list[str]:
    """Return the unset filters that words may belong to if they are no player's name."""
    return [name for name in ("event", "opening") if parameters.get("player") and not parameters.get(name)]


@dataclass(frozen=True, slots=True)
class TextSearch:
    """A search for games that have words in a name or in their text."""

    words: str
    query: str
    """The query that finds these games."""
    games: int | None
    """The number of these games; None if counting takes too long."""
    more: bool = False
    """Whether there are more games than `games`."""


def text_search(scope: Scope, parameters: Parameters, listed: int) -> TextSearch | None:
    """Return the search in texts for the names of the filters; None if it has no more than the `found` games,
    and if the filters have a query already."""
    words = [word for name in WORDS for word in _words(name, parameters.get(name) or "")]
    if not words or parameters.get("q"):
        return None
    # The search box takes a quoted word in parentheses for no name.
    query = " AND ".join(map(quoted, words)) if len(words) > 1 else f"({always_quoted(words[0])})"
    rest = {name: value for name, value in parameters.items() if name not in WORDS}
    text = " ".join(words)
    try:
        parse(query)
        page = find_games(scope, game_filters({**rest, "q": query}), limit=MOST_COUNTED)
    except QueryError as error:
        return TextSearch(text, query, None) if error.code == TOO_SLOW else None
    games, has_more = len(page.items), page.next is not None
    return TextSearch(text, query, games, has_more) if games > listed or has_more else None


def _words(filter_name: str, value: str) -> list[str]:
    """Return the words of a filter's value; for a castle or an opening, its Japanese name."""
    return [formations.BY_NAME[value].japanese] if filter_name == "formation" and value else value.split()
