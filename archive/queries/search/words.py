"""Free words: games whose names or texts contain a word.

The search depends on how frequent a word is. For a rare word the indexes give all its games, which are then
sorted. For a frequent word, scanning the games in their order fills a page soon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from archive.derive import headers
from archive.index.engine import engine
from archive.index.texts import text_index
from archive.names.search_text import searched
from archive.project.reading import connection
from archive.queries.names.ids_of_names import NameKind
from archive.queries.scope import Scope
from archive.queries.search.terms import And, Or, Term, Word, leaves
from archive.queries.sql import Sql, one_of

RARE: Final = 2_000
"""Games that are put in order for a query at most: where there are more, some of a page's have its words."""
LISTED_NAMES: Final = 500
"""Players, and events, that are named one by one."""
TRIED: Final = 12
"""Words of which those that are rare are looked for."""

_Place = tuple[int, int]
"""Day and slot of a game."""

_NAMES: Final = """
    SELECT n.id FROM archive_{kind} n WHERE {mine} AND {name}
    UNION SELECT a.{kind}_id FROM archive_{kind}alias a WHERE {others} AND {alias}
"""
_IN_TEXT: Final = "(SELECT count(*) FROM archive_gametext t WHERE t.game_id = g.id AND {holds}) > 0"
_OF_NAMES: Final = "SELECT d.played, d.slot FROM {each} LIMIT %s"
_OF_IDS: Final = "SELECT d.played, d.slot FROM {each} WHERE {mine}"
_COLUMNS: Final[dict[NameKind, tuple[str, ...]]] = {
    "player": ("player0_id", "player1_id"), "event": ("event_id",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordMatches:
    """The searched form of a word, and the ids of names that contain it; None if there are too many."""

    form: str
    names: Mapping[NameKind, tuple[int, ...] | None]
    looked_up: Mapping[NameKind, Sql]

    @property
    def nobody(self) -> bool:
        """Tell whether no name contains the word."""
        return not any(found is None or found for found in self.names.values())


def look_up_words(scope: Scope, term: Term) -> dict[str, WordMatches]:
    """Look up the words of a query in names; each word costs a scan of all names."""
    words = dict.fromkeys(one.text for one in leaves(term) if isinstance(one, Word))
    return {word: _look_up_word(scope, word) for word in words}


def _look_up_word(scope: Scope, word: str) -> WordMatches:
    form = searched(word)
    lookups = {kind: _names(scope, kind, word) for kind in _COLUMNS} if form else {}
    return WordMatches(form, {kind: _listed_names(sql) for kind, sql in lookups.items()}, lookups)


def names_holding(scope: Scope, kind: NameKind, word: str) -> tuple[int, ...] | None:
    """Return the ids of the players or events that have a name, or had one, that holds a word; None where
    there are more than `LISTED_NAMES`."""
    return _listed_names(_names(scope, kind, word)) if searched(word) else ()


def _listed_names(names: Sql) -> tuple[int, ...] | None:
    found = _rows(Sql(f"{names.text} LIMIT %s", (*names.values, LISTED_NAMES + 1)))
    return tuple(pk for (pk,) in found) if len(found) <= LISTED_NAMES else None


def _names(scope: Scope, kind: NameKind, word: str) -> Sql:
    """Return SQL for the ids of players or events that have a name, or had one, that holds a word."""
    # As names are stored, without titles; but for what would be left of a title alone.
    form = searched(word)
    if kind == "player":
        form = searched(headers.player_key(word)) or form
    mine, others = scope.condition("n"), scope.condition("a")
    holds = text_index().HOLDS
    text = _NAMES.format(
        kind=kind,
        mine=mine.text,
        others=others.text,
        name=holds.format(text="n.searched"),
        alias=holds.format(text="a.searched"),
    )
    return Sql(text, (*mine.values, form, *others.values, form))


def conditions_of_word(word: WordMatches) -> Iterator[Sql]:
    """Yield the conditions for a game g with a word in the name of a player or the event, or in its text; any
    one of them suffices. Yields none for a word that is empty in the form that is searched."""
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
    """Return a list of games, as the source d of a query with its columns `played` and `slot`, that has all
    games of a query and few others; None where there are too many, or its words do not tell.

    It names what was there a moment ago.
    """
    if not words or len(words) > TRIED:
        return None
    return _list_of(_places(scope, term, words))


def few_games_of(kind: NameKind, ids: Sequence[int]) -> Sql | None:
    """Return such a list of the games of some players or events; None where there are too many."""
    return _list_of(_of_names(kind, ids))


def _list_of(places: set[_Place] | None) -> Sql | None:
    if places is None or len(places) > RARE:
        return None
    # Both numbers of a place in one, as a list of numbers is all that statements are given.
    keys = engine().listed([played << 32 | slot for played, slot in sorted(places)])
    return Sql(f"(SELECT k.key >> 32 AS played, k.key & {2**32 - 1} AS slot FROM {engine().KEYS}) d", (keys,))


def _places(scope: Scope, term: Term, words: Mapping[str, WordMatches]) -> set[_Place] | None:
    """Return games among which all are that a term is true of; None where that cannot be told, or where they
    are many."""
    if isinstance(term, Word):
        return _of_word(scope, words[term.text])
    if isinstance(term, Or):
        found: set[_Place] = set()
        for one in term.terms:
            places = _places(scope, one, words)
            if places is None:
                return None
            found |= places
        return found
    if isinstance(term, And):
        forms = [
            words[one.text].form for one in term.terms if isinstance(one, Word) and words[one.text].nobody
        ]
        if forms and (places := _of_texts(scope, forms)) is not None:
            return places
        others = (one for one in term.terms if not (isinstance(one, Word) and words[one.text].nobody))
        tried = (_places(scope, one, words) for one in others)
        return next((places for places in tried if places is not None), None)
    return None


def _of_word(scope: Scope, word: WordMatches) -> set[_Place] | None:
    if not word.form:
        return set()
    found: set[_Place] = set()
    for kind, ids in word.names.items():
        listed = None if ids is None else _of_names(kind, ids)
        if listed is None:
            return None
        found |= listed
    texts = _of_texts(scope, [word.form])
    return None if texts is None else found | texts


def _of_names(kind: NameKind, ids: Sequence[int]) -> set[_Place] | None:
    """Return the games of some players or events; None where they are many."""
    if not ids:
        return set()
    each = _each(f"archive_game{kind}", f"d.{kind}_id = k.key")
    listed = _rows(Sql(_OF_NAMES.format(each=each), (engine().listed(ids), RARE + 1)))
    # Who plays himself has two rows for one game, so rows are what there may be more of.
    return None if len(listed) > RARE else {*listed}


def _of_texts(scope: Scope, forms: Sequence[str]) -> set[_Place] | None:
    """Return the games whose texts hold all of these; None where they may be many."""
    if not all(forms):
        return set()
    games = text_index().games_with_words(forms, scope.spaces, RARE)
    if games is None:
        return None
    # Asked for again: a game may have been moved this moment.
    mine = scope.condition("d")
    sql = _OF_IDS.format(each=_each("archive_game", "d.id = k.key"), mine=mine.text)
    return {*_rows(Sql(sql, (engine().listed(games), *mine.values)))}


def _each(table: str, on: str) -> str:
    """Return a FROM clause that looks up, for each number k of a list, the rows d of a table."""
    return engine().EACH.format(list=engine().KEYS, table=table, on=on)


def _rows(sql: Sql) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(*sql)
        return list(cursor.fetchall())
