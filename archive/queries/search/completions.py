"""What the search box offers while somebody types: players, events, castles and openings, problems of a
length, each with the number of its games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from archive.index.texts import text_index
from archive.names.search_text import searched
from archive.project.reading import connection
from archive.queries.games.filters import game_filters
from archive.queries.games.listing import slots_of
from archive.queries.names.ids_of_names import NameKind
from archive.queries.names.name_matching import is_searchable, players_by_reading
from archive.queries.names.people import TABLES
from archive.queries.patterns.formation_counts import formation_counts
from archive.queries.scope import Scope
from archive.queries.search.box import mate_filters
from archive.queries.sql import Sql, conjunction, one_of
from kifu_core.shogi.formations import FORMATIONS, Formation

LONGEST: Final = 100
"""Characters of a text that is completed."""
COUNTED_TO: Final = 1_000
"""Games that are counted; there may be more."""
_LISTED: Final[dict[NameKind, int]] = {"player": 6, "event": 4}
_FORMATIONS: Final = 3
_RANKED: Final = 100
"""Names of which those with the most games are offered."""
_RANKED_TO: Final = 100
"""Games of a name that are counted to rank it."""

_HOLDING: Final = """
    SELECT n.name, (SELECT count(*) FROM (SELECT 1 FROM {games} d WHERE d.{kind}_id = n.id LIMIT %s) x)
    FROM (SELECT n.id, n.name FROM {table} n WHERE {where} ORDER BY length(n.name), n.name LIMIT %s) n
"""


@dataclass(frozen=True, slots=True)
class Completion:
    """Something that a text may become: what it is, what it is called (formations by their names for
    programs), its games, `COUNTED_TO` at least where these are None, and the filters that ask for it."""

    kind: Literal["player", "event", "formation", "problem"]
    name: str
    games: int | None
    asked: tuple[tuple[str, str], ...]


def completions(scope: Scope, text: str) -> list[Completion]:
    """Return what a text may become, the most frequent of each kind first; nothing without games."""
    if len(text) > LONGEST or not is_searchable(text):
        return []
    found = [*_of_mate(scope, text)]
    for kind in _LISTED:
        found += (_named(scope, kind, name) for name in _names(scope, kind, text))
    return [one for one in (*found, *_formations(scope, text)) if one.games != 0]


def _named(scope: Scope, kind: NameKind, name: str) -> Completion:
    return Completion(kind, name, _games(scope, record_kind="game", **{kind: name}), ((kind, name),))


def _games(scope: Scope, **asked: object) -> int | None:
    slots = slots_of(scope, game_filters(asked), COUNTED_TO)
    return None if slots is None else len(slots)


def _names(scope: Scope, kind: NameKind, text: str) -> list[str]:
    """Return names that hold a text or are read so, those with the most games first."""
    where = [scope.condition("n"), Sql(text_index().HOLDS.format(text="n.searched"), (searched(text),))]
    found = dict(_counted(kind, conjunction(where)))
    if kind == "player" and (read := players_by_reading(scope, text, begun=True)[:_RANKED]):
        found |= dict(_counted(kind, Sql(f"n.id {one_of(read)}", tuple(read))))
    ranked = sorted(found.items(), key=lambda row: (-row[1], row[0]))
    return [name for name, games in ranked if games][: _LISTED[kind]]


def _counted(kind: NameKind, where: Sql) -> list[tuple[str, int]]:
    with connection.cursor() as cursor:
        sql = _HOLDING.format(where=where.text, **TABLES[kind])
        cursor.execute(sql, [_RANKED_TO, *where.values, _RANKED])
        return list(cursor.fetchall())


def _formations(scope: Scope, text: str) -> list[Completion]:
    """Return castles and openings whose names hold a text, those with the most games first."""
    form = searched(text)
    called = [one for one in FORMATIONS if form in searched("\n".join(_called(one)))]
    known = formation_counts(scope) if called else {}
    games = {one.name: known[one.name].games for one in called if one.name in known}
    ranked = sorted(games.items(), key=lambda row: (-row[1], row[0]))[:_FORMATIONS]
    return [Completion("formation", name, n, (("formation", name),)) for name, n in ranked]


def _called(one: Formation) -> tuple[str, ...]:
    return one.name, one.japanese, one.reading, one.english


def _of_mate(scope: Scope, text: str) -> list[Completion]:
    asked = mate_filters(text)
    if not asked:
        return []
    games = _games(scope, **{name: int(value) if value.isdigit() else value for name, value in asked.items()})
    return [Completion("problem", text, games, tuple(asked.items()))]
