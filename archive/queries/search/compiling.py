"""Compile a tree to SQL: the condition on a game g of a list, in one scope.

Each leaf is a CASE that is 1 or 0 and never NULL, so that NOT of it is true of exactly the other games, and
no planner turns a lookup for each listed game into a join of large tables. A name, an upload or an edition of
another scope does not exist here: a condition on it is true of no game, and its opposite of all.

Conditions that all matching games meet are also returned as filters, so that a list is read by its player,
its event or its days.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from archive.index.engine import engine
from archive.index.schema import FORK
from archive.queries.games.color_names import results_of
from archive.queries.games.filters import Filter
from archive.queries.names.ids_of_names import IDS_BY_NUMBER
from archive.queries.names.name_matching import match_name
from archive.queries.names.own_names import EITHER, own_condition
from archive.queries.patterns.pattern_slots import slots_with_pattern
from archive.queries.positions.position_query import position_keys
from archive.queries.scope import Scope
from archive.queries.search import words
from archive.queries.search.days import first_day, last_day
from archive.queries.search.fields import BY_NAME, Field
from archive.queries.search.terms import (
    And,
    Between,
    EqualTo,
    FieldIs,
    HasPattern,
    Leaf,
    Not,
    Or,
    ReachesPosition,
    Term,
    Word,
)
from archive.queries.search.words import WordMatches
from archive.queries.sql import Sql, joined, one_of
from kifu_core.classes import Match
from kifu_core.games import GAMES

_NEVER: Final = Sql("FALSE")
_COLUMNS: Final = ("player0_id", "player1_id")

_REACHED: Final = (
    "SELECT o.played, o.slot FROM {table} o WHERE o.key {one_of} AND (o.flags & {fork}) = 0{plies}"
)
_IN_SLOTS: Final = "g.slot IN (SELECT k.key FROM {keys})"
_OF_SLOTS: Final = "(SELECT d.played, d.slot FROM {sql}) d"
_IS_ONE_OF: Final = "(SELECT count(*) FROM ({sql}) r WHERE r.played = g.played AND r.slot = g.slot) > 0"


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """The `conditions` of a query on games g, and filters (by attribute) that all of its games match."""

    conditions: tuple[Sql, ...] = ()
    filters: dict[str, Any] = field(default_factory=dict)
    keys: tuple[int, ...] = ()
    """The keys of a position that all of its games reach, each under one of them."""
    few: Sql | None = None
    """A list with all of its games and few others, if its words are rare."""


def compile_query(
    scope: Scope, term: Term, used: Collection[str] = (), *, driven: bool = True
) -> CompiledQuery:
    """Return a query as SQL. `term` is a tree of `parsing.parse`; `used` are the filters that have a value
    already. With `driven`, look for a short list of games that can drive the query."""
    filters: dict[str, Any] = {}
    terms = term.terms if isinstance(term, And) else (term,)
    rest = tuple(one for one in terms if not _moved_to_filters(one, filters, used))
    position = next((one for one in rest if isinstance(one, ReachesPosition) and one.match == "exact"), None)
    keys = _keys(scope, position) if position else ()
    if not rest:
        return CompiledQuery((), filters)
    remaining = rest[0] if len(rest) == 1 else And(rest)
    matches = words.look_up_words(scope, remaining)
    few = (_few_with_pattern(scope, rest) or words.few_games(scope, remaining, matches)) if driven else None
    return CompiledQuery((_condition(_SearchContext(scope, matches), remaining),), filters, keys, few)


class _SearchContext(NamedTuple):
    """The scope of a query, and the matches of its words there."""

    scope: Scope
    words: Mapping[str, WordMatches]


# --- driving lists ---------------------------------------------------------------------------------------

_DRIVING: Final = ("player", "event", "place", "upload", "collection", "formation", "game")
"""Filters that can drive a list, and that mean the same as the field."""
_SEATED: Final = ("black", "white", "first", "second")


def _moved_to_filters(term: Term, filters: dict[str, Any], used: Collection[str]) -> bool:
    """Add the filters that all games of a term match; return whether they are equivalent to the term."""
    if not isinstance(term, FieldIs) or len(term.any_of) != 1:
        return False
    (value,) = term.any_of
    if value == EqualTo("yes") and term.field == "me" and "me" not in {*filters, *used}:
        filters["me"] = EITHER
        return True
    equivalent = dict(_ends(BY_NAME[term.field], value)) if term.field == "date" else {}
    if isinstance(value, EqualTo) and term.field in _DRIVING:
        equivalent = {term.field: int(value.value) if term.field in IDS_BY_NUMBER else value.value}
    if isinstance(value, EqualTo) and term.field in _SEATED and "player" not in {*filters, *used}:
        filters["player"] = value.value
        return False
    if not equivalent or not {*filters, *used}.isdisjoint(equivalent):
        return False
    filters.update(equivalent)
    return True


def _few_with_pattern(scope: Scope, terms: Collection[Term]) -> Sql | None:
    """Return the games with the first of the patterns as the source d of a query; None if they are not few,
    or there is no pattern."""
    pattern = next((one.pattern for one in terms if isinstance(one, HasPattern)), None)
    slots = slots_with_pattern(scope, pattern) if pattern else ()
    if pattern is None or len(slots) > words.RARE:
        return None
    each = engine().EACH.format(list=engine().KEYS, table="archive_game", on="d.slot = k.key")
    return Sql(each, (engine().listed(slots),)).where([scope.condition("d")]).embed(_OF_SLOTS)


# --- conditions ------------------------------------------------------------------------------------------


def _condition(within: _SearchContext, term: Term) -> Sql:
    if isinstance(term, Not):
        return _condition(within, term.term).embed("NOT ({sql})")
    if isinstance(term, And | Or):
        return _combined(term, [_condition(within, one) for one in term.terms])
    cases = [one.embed("CASE WHEN {sql} THEN 1 ELSE 0 END = 1") for one in _leaf(within, term)]
    return _combined(Or(()), cases) if cases else _NEVER


def _combined(term: And | Or, conditions: list[Sql]) -> Sql:
    if not conditions:
        return Sql("TRUE")
    return joined(conditions, " AND " if isinstance(term, And) else " OR ").embed("({sql})")


def _leaf(within: _SearchContext, term: Leaf) -> Iterator[Sql]:
    if isinstance(term, Word):
        yield from words.conditions_of_word(within.words[term.text])
    elif isinstance(term, ReachesPosition):
        yield from _reaches_condition(within.scope, term)
    elif isinstance(term, HasPattern):
        slots = slots_with_pattern(within.scope, term.pattern)
        yield Sql(_IN_SLOTS.format(keys=engine().KEYS), (engine().listed(slots),))
    else:
        for value in term.any_of:
            yield from _field_condition(within.scope, BY_NAME[term.field], value)


def _reaches_condition(scope: Scope, term: ReachesPosition) -> Iterator[Sql]:
    """Yield the conditions that the main line reaches a position, one for each table of the index."""
    keys = _keys(scope, term)
    plies = _plies_condition(term.plies)
    for table in engine().TABLES:
        rows = [
            Sql(
                _REACHED.format(table=table, one_of=one_of(part), fork=FORK, plies=plies.text),
                (*part, *plies.values),
            )
            for part in ([(key,) for key in keys] if engine().REMOTE_INDEX else [keys])
        ]
        yield Sql(*engine().materialized(rows, ("played", "slot"))).embed(_IS_ONE_OF)


def _keys(scope: Scope, term: ReachesPosition) -> tuple[int, ...]:
    position, match = GAMES[term.game].codec.decode(term.code), cast(Match, term.match)
    return position_keys(scope, [position], match, term.game)[0]


def _plies_condition(plies: Between | None) -> Sql:
    ends = ((">=", plies.least), ("<=", plies.most)) if plies else ()
    return joined((Sql(f" AND o.ply {sign} %s", (int(end),)) for sign, end in ends if end), "")


def _field_condition(scope: Scope, field: Field, value: EqualTo | Between) -> Iterator[Sql]:
    """Yield the conditions that a field has a value, any of which suffices."""
    if field.name == "result":
        yield from _result_is(_text(value))
    elif field.filter is not None and field.filter.own:
        yield from _own_is(scope, field.filter, _text(value))
    elif field.name in _SEATED:
        yield from _side_is(scope, field.name, _text(value))
    elif field.filter is None:
        by_attribute = {filter_.attribute: filter_ for filter_ in (field.least, field.most) if filter_}
        ends = ((by_attribute[name], end) for name, end in _ends(field, value))
        yield _combined(
            And(()), [filter_.condition(scope, (filter_.to_stored(end),)) for filter_, end in ends]
        )
    else:
        yield from _single_filter(scope, field.filter, _text(value))


def _text(value: EqualTo | Between) -> str:
    """Return the value of a field that has no ranges."""
    return value.value if isinstance(value, EqualTo) else value.least


def _single_filter(scope: Scope, filter_: Filter, text: str) -> Iterator[Sql]:
    """Yield the condition of a filter that takes one value; none for a name, an upload or a collection that
    does not exist."""
    if filter_.name_kind or filter_.name in IDS_BY_NUMBER:
        ids = (
            match_name(scope, filter_.name_kind, text).ids
            if filter_.name_kind
            else IDS_BY_NUMBER[filter_.name](scope, int(text))
        )
        if ids:
            yield filter_.condition(scope, ids)
        return
    yield filter_.condition(scope, (filter_.to_stored(_typed(filter_, text)),))


def _typed(filter_: Filter, text: str) -> Any:
    if filter_.value == "number":
        return int(text)
    if filter_.value in ("day", "last day"):
        return last_day(text) if filter_.value == "last day" else first_day(text)
    return text


def _ends(field: Field, value: EqualTo | Between) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a field's filters with their values."""
    least, most = (value.value, value.value) if isinstance(value, EqualTo) else (value.least, value.most)
    for filter_, text in ((field.least, least), (field.most, most)):
        if filter_ is not None and text:
            yield filter_.attribute, _typed(filter_, text)


def _result_is(value: str) -> Iterator[Sql]:
    """Yield the conditions on a result, for each kind of game by the names of its sides."""
    if value in ("first", "second"):
        yield Sql("g.result = %s", (int(value == "second"),))
        return
    for game in GAMES.values():
        yield Sql("g.kind = %s AND g.result = %s", (game.name, results_of(game).index(value)))


def _own_is(scope: Scope, filter_: Filter, value: str) -> Iterator[Sql]:
    """Yield the conditions on an own side, for each kind of game by the names of its sides."""
    if filter_.name != "me":
        yield own_condition(scope, filter_.name, int(value), None, "g")
        return
    if value == "yes":
        yield own_condition(scope, filter_.name, EITHER, None, "g")
        return
    for game in GAMES.values():
        own = own_condition(scope, filter_.name, game.rules.sides.index(value), None, "g")
        yield own.embed(f"(g.kind = '{game.name}' AND {{sql}})")


def _side_is(scope: Scope, side: str, value: str) -> Iterator[Sql]:
    ids = match_name(scope, "player", value).ids
    if not ids:
        return
    if side in ("first", "second"):
        yield Sql(f"g.{_COLUMNS[side == 'second']} {one_of(ids)}", ids)
        return
    for game in GAMES.values():
        column = _COLUMNS[game.rules.sides.index(side)]
        yield Sql(f"g.kind = %s AND g.{column} {one_of(ids)}", (game.name, *ids))
