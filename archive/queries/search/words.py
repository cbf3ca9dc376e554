"""Free words: games whose names or texts contain a word.

The search depends on the frequency of a word. For a rare word the indexes return all its games, which are
then sorted. For a frequent word, scanning the games in their order soon fills a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from archive.derive import headers
from archive.index.engine import engine
from archive.index.texts import text_index
from archive.models import NameKind
from archive.names.search_text import search_form
from archive.queries.scope import Scope
from archive.queries.search.terms import And, Or, Term, Word, leaves
from archive.queries.sql import Sql, one_of

RARE: Final = 2_000
"""Games that are sorted for a query at most; if there are more, a scan meets its words often enough."""
LISTED_NAMES: Final = 500
"""Names whose ids are listed; if there are more, the condition is a subquery."""
MOST_WORDS: Final = 12
"""A query with more words is not searched for rare ones."""

_Game = tuple[int, int]
"""Day and slot of a game."""

_NAMES: Final = "SELECT n.id FROM archive_{kind} n WHERE {mine} AND n.home_id IS NULL AND {name}"
_IN_TEXT: Final = "(SELECT count(*) FROM archive_gametext t WHERE t.game_id = g.id AND {holds}) > 0"
_OF_NAMES: Final = "SELECT d.played, d.slot FROM {each} LIMIT %s"
_OF_IDS: Final = "SELECT d.played, d.slot FROM {each} WHERE {mine}"
_COLUMNS: Final[dict[NameKind, tuple[str, ...]]] = {
    "player": ("player0_id", "player1_id"), "event": ("event_id",), "place": ("place_id",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordMatches:
    """The searched form of a word, and the ids of names that contain it; None if there are too many."""

    form: str
    names: Mapping[NameKind, tuple[int, ...] | None]
    looked_up: Mapping[NameKind, Sql]

    @property
    def nobody(self) -> bool:
        """Return whether no name contains the word."""
        return not any(found is None or found for found in self.names.values())


def look_up_words(scope: Scope, term: Term) -> dict[str, WordMatches]:
    """Look up the words of a query in names, by one scan of all names for each word."""
    words = dict.fromkeys(one.text for one in leaves(term) if isinstance(one, Word))
    return {word: _look_up_word(scope, word) for word in words}


def _look_up_word(scope: Scope, word: str) -> WordMatches:
    form = search_form(word)
    lookups = {kind: _names(scope, kind, word) for kind in _COLUMNS} if form else {}
    return WordMatches(form, {kind: _listed_names(sql) for kind, sql in lookups.items()}, lookups)


def names_with_word(scope: Scope, kind: NameKind, word: str) -> tuple[int, ...] | None:
    """Return the ids of names with a present or former name that contains a word; None for more
    than `LISTED_NAMES`."""
    return _listed_names(_names(scope, kind, word)) if search_form(word) else ()


def _listed_names(names: Sql) -> tuple[int, ...] | None:
    rows = names.embed("{sql} LIMIT %s", LISTED_NAMES + 1).rows()
    return tuple(pk for (pk,) in rows) if len(rows) <= LISTED_NAMES else None


def _names(scope: Scope, kind: NameKind, word: str) -> Sql:
    # Names are stored without titles; a word that is only a title stays as it is.
    form = search_form(word)
    if kind == "player":
        form = search_form(headers.player_key(word)) or form
    readable = scope.scan_condition("n")
    name = text_index().HOLDS.format(text="n.searched")
    text = _NAMES.format(kind=kind, mine=readable.text, name=name)
    return Sql(text, (*readable.values, form))


def conditions_of_word(word: WordMatches) -> Iterator[Sql]:
    """Yield the conditions, any of which suffices, for a game g with a word in the name of a player, the
    event or the place, or in its text. Yields none for a word whose searched form is empty."""
    for kind, ids in word.names.items():
        for column in _COLUMNS[kind]:
            if ids is None:
                names = word.looked_up[kind]
                yield Sql(f"g.{column} IN ({names.text})", names.values)
            elif ids:
                yield Sql(f"g.{column} {one_of(ids)}", ids)
    if word.form:
        yield Sql(_IN_TEXT.format(holds=text_index().HOLDS.format(text="t.text")), (word.form,))


def few_games(scope: Scope, term: Term, words: Mapping[str, WordMatches]) -> Sql | None:
    """Return a list of games as the source d of a query, with the columns `played` and `slot`, that has all
    games of a query and few others; None if there are too many, or the words do not limit them. The list is
    that of a moment ago."""
    if not words or len(words) > MOST_WORDS:
        return None
    return _as_source(_candidates(scope, term, words))


def few_games_of(kind: NameKind, ids: Sequence[int]) -> Sql | None:
    """Return such a list of the games of some names; None if there are too many."""
    return _as_source(_games_of_names(kind, ids))


def _as_source(places: set[_Game] | None) -> Sql | None:
    if places is None or len(places) > RARE:
        return None
    # Day and slot are packed into one number, since a statement takes lists of numbers.
    keys = engine().listed([played << 32 | slot for played, slot in sorted(places)])
    return Sql(f"(SELECT k.key >> 32 AS played, k.key & {2**32 - 1} AS slot FROM {engine().KEYS}) d", (keys,))


def _candidates(scope: Scope, term: Term, words: Mapping[str, WordMatches]) -> set[_Game] | None:
    """Return games that include all matches of a term; None if they are many, or the term has no such
    list."""
    if isinstance(term, Word):
        return _games_with_word(scope, words[term.text])
    if isinstance(term, Or):
        games: set[_Game] = set()
        for one in term.terms:
            places = _candidates(scope, one, words)
            if places is None:
                return None
            games |= places
        return games
    if isinstance(term, And):
        forms = [
            words[one.text].form for one in term.terms if isinstance(one, Word) and words[one.text].nobody
        ]
        if forms and (places := _games_with_texts(scope, forms)) is not None:
            return places
        rest = (one for one in term.terms if not (isinstance(one, Word) and words[one.text].nobody))
        candidates = (_candidates(scope, one, words) for one in rest)
        return next((places for places in candidates if places is not None), None)
    return None


def _games_with_word(scope: Scope, word: WordMatches) -> set[_Game] | None:
    if not word.form:
        return set()
    games: set[_Game] = set()
    for kind, ids in word.names.items():
        of_names = None if ids is None else _games_of_names(kind, ids)
        if of_names is None:
            return None
        games |= of_names
    texts = _games_with_texts(scope, [word.form])
    return None if texts is None else games | texts


def _games_of_names(kind: NameKind, ids: Sequence[int]) -> set[_Game] | None:
    """Return the games of some names; None if they are many."""
    if not ids:
        return set()
    each = _each(f"archive_game{kind}", f"d.{kind}_id = k.key")
    rows = Sql(_OF_NAMES.format(each=each), (engine().listed(ids), RARE + 1)).rows()
    # A game of a player against himself has two rows, so rows are counted before they become a set.
    return None if len(rows) > RARE else {*rows}


def _games_with_texts(scope: Scope, forms: Sequence[str]) -> set[_Game] | None:
    """Return the games whose texts contain all of these; None if they may be many."""
    if not all(forms):
        return set()
    games = text_index().games_with_words(forms, scope.spaces, RARE)
    if games is None:
        return None
    # The scope is checked again, because a game may just have been moved.
    readable = scope.condition("d")
    sql = _OF_IDS.format(each=_each("archive_game", "d.id = k.key"), mine=readable.text)
    return {*Sql(sql, (engine().listed(games), *readable.values)).rows()}


def _each(table: str, on: str) -> str:
    return engine().EACH.format(list=engine().KEYS, table=table, on=on)
