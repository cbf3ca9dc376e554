"""Completions for the search box: names, castles and openings, problems of a length, and
opponents of a player (`羽生 対 谷`), each with its number of games or problems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from archive.index.texts import text_index
from archive.models import NameKind
from archive.names.search_text import search_form
from archive.queries.games.filters import game_filters
from archive.queries.games.listing import slots_of
from archive.queries.names.name_matching import is_searchable, match_name, players_by_reading
from archive.queries.names.people import TABLES
from archive.queries.patterns.formation_counts import formation_counts
from archive.queries.problems.lists import ProblemFilters, problems
from archive.queries.scope import Scope
from archive.queries.search.box import filters_of_players, mate_filters, split_at_against
from archive.queries.search.errors import QueryError
from archive.queries.sql import Sql, conjunction, one_of
from kifu_core.shogi.formations import FORMATIONS, Formation

LONGEST: Final = 100
"""Characters of a text that is completed, at most."""
COUNT_LIMIT: Final = 1_000
"""Games of a completion that are counted, at most."""
_MOST_LISTED: Final[dict[NameKind, int]] = {"player": 6, "event": 4, "place": 3}
_FORMATIONS: Final = 3
_MOST_RANKED: Final = 100
"""Names that are ranked by their games, at most."""
_RANK_COUNT_LIMIT: Final = 100
"""Games that are counted to rank a name, at most."""

_MOST_ALIKE: Final = 20
"""Players whose opponents are searched together, at most: a name of more players is too vague."""
_NOBODY: Final = 0
"""The id of no player."""
_MEETINGS: Final = 2_000
"""Latest games in which opponents are searched."""

_OPPONENTS: Final = """
    SELECT n.name FROM (
        SELECT d.slot, d.colour FROM archive_gameplayer d WHERE d.player_id {ids}
        ORDER BY d.played DESC LIMIT %s
    ) a
    JOIN archive_gameplayer b ON b.slot = a.slot AND b.colour = 1 - a.colour
    JOIN archive_player n ON n.id = b.player_id
    WHERE NOT n.id {ids} AND ({holds} OR n.id {by_reading})
    GROUP BY n.name ORDER BY count(*) DESC, n.name LIMIT %s
"""
_HOLDING: Final = """
    SELECT n.name, n.latin,
        (SELECT count(*) FROM (SELECT 1 FROM {games} d WHERE d.{kind}_id = n.id LIMIT %s) x)
    FROM (
        SELECT n.id, n.name, n.latin FROM {table} n WHERE {where} ORDER BY length(n.name), n.name LIMIT %s
    ) n
"""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion: its kind, its name (the identifier of a formation), its number of games, which is None
    from `COUNT_LIMIT` on, its filters, the text that stays in front of the name, and the name of a player or
    event in Latin letters, if it has one."""

    kind: Literal["player", "event", "place", "formation", "problem"]
    name: str
    games: int | None
    filters: tuple[tuple[str, str], ...]
    before: str = ""
    latin: str = ""


def completions(scope: Scope, text: str) -> list[Completion]:
    """Return the completions of a text that have games, the most frequent of each kind first."""
    if len(text) > LONGEST or not is_searchable(text):
        return []
    results = [*_problems(scope, text), *_opponents(scope, text)]
    for kind in _MOST_LISTED:
        results += (_name_completion(scope, kind, *name) for name in _names(scope, kind, text))
    return [one for one in (*results, *_formations(scope, text)) if one.games != 0]


def _name_completion(scope: Scope, kind: NameKind, name: str, latin: str) -> Completion:
    games = _games(scope, record_kind="game", **{kind: name})
    return Completion(kind, name, games, ((kind, name),), latin=latin)


def _games(scope: Scope, **parameters: object) -> int | None:
    slots = slots_of(scope, game_filters(parameters), COUNT_LIMIT)
    return None if slots is None else len(slots)


def _names(scope: Scope, kind: NameKind, text: str) -> list[tuple[str, str]]:
    where = [
        scope.scan_condition("n"),
        Sql("n.home_id IS NULL"),
        Sql(text_index().HOLDS.format(text="n.searched"), (search_form(text),)),
    ]
    counts = dict(_counted(kind, conjunction(where)))
    if kind == "player" and (by_reading := players_by_reading(scope, text, prefix=True)[:_MOST_RANKED]):
        counts |= dict(_counted(kind, Sql(f"n.id {one_of(by_reading)}", tuple(by_reading))))
    ranked = sorted(counts.items(), key=lambda row: (-row[1][0], row[0]))
    return [(name, latin) for name, (games, latin) in ranked if games][: _MOST_LISTED[kind]]


def _opponents(scope: Scope, text: str) -> list[Completion]:
    """Return completions of the second name of `A 対 B` by players who met A in A's latest games."""
    first, against, start = split_at_against(text)
    ids = match_name(scope, "player", first).ids if is_searchable(start) else ()
    if not 0 < len(ids) <= _MOST_ALIKE:
        return []
    by_reading = players_by_reading(scope, start, prefix=True)[:_MOST_RANKED] or [_NOBODY]
    holds = text_index().HOLDS.format(text="n.searched")
    sql = _OPPONENTS.format(ids=one_of(ids), holds=holds, by_reading=one_of(by_reading))
    values = (*ids, _MEETINGS, *ids, search_form(start), *by_reading, _MOST_LISTED["player"])
    rows = Sql(sql, values).rows()
    try:
        return [_opponent(scope, first, name, first + against) for (name,) in rows]
    except QueryError:  # a query takes no control characters, which `first` may have
        return []


def _opponent(scope: Scope, first: str, name: str, before: str) -> Completion:
    filters = filters_of_players(scope, [first, name])
    games = _games(scope, record_kind="game", **filters)
    return Completion("player", name, games, tuple(filters.items()), before)


def _counted(kind: NameKind, where: Sql) -> list[tuple[str, tuple[int, str]]]:
    sql = _HOLDING.format(where=where.text, **TABLES[kind])
    rows = Sql(sql, (_RANK_COUNT_LIMIT, *where.values, _MOST_RANKED)).rows()
    return [(name, (games, latin)) for name, latin, games in rows]


def _formations(scope: Scope, text: str) -> list[Completion]:
    form = search_form(text)
    matching = [one for one in FORMATIONS if form in _form_of(one)]
    counts = formation_counts(scope) if matching else {}
    games = {one.name: counts[one.name].games for one in matching if one.name in counts}
    ranked = sorted(games.items(), key=lambda row: (-row[1], row[0]))[:_FORMATIONS]
    return [Completion("formation", name, n, (("formation", name),)) for name, n in ranked]


@cache
def _form_of(formation: Formation) -> str:
    names = formation.name, formation.japanese, formation.reading, formation.english
    return search_form("\n".join(names))


def _problems(scope: Scope, text: str) -> list[Completion]:
    filters = mate_filters(text)
    if not filters:
        return []
    length = int(filters["min_plies"])
    of_length = problems(scope, ProblemFilters(least=length, most=length))[:COUNT_LIMIT].count()
    shown = of_length if of_length < COUNT_LIMIT else None
    return [Completion("problem", text, shown, tuple(filters.items()))] if of_length or shown is None else []
