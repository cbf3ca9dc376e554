"""Turn a tree into SQL: the condition on a game g of a list, in one scope.

Each leaf is a CASE that is 1 or 0 and never NULL, so that NOT of it is true of exactly the other games, and
no planner turns a lookup for each listed game into a join over whole tables. A name, an upload or an edition
of another scope does not exist here: a condition on it is true of no game, and its opposite of all.

What all games of the answer must have is also given as filters, so that a list is read by its player, its
event or its days.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from archive.index.engine import engine
from archive.index.schema import FORK
from archive.queries.games.color_names import results_of
from archive.queries.games.filters import Filter
from archive.queries.names.ids_of_names import ids_of_upload
from archive.queries.names.name_matching import match_name
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
from archive.queries.sql import Sql, one_of
from kifu_core.classes import Match
from kifu_core.games import GAMES

_NEVER: Final = Sql("FALSE")
_COLUMNS: Final = ("player0_id", "player1_id")

_REACHED: Final = (
    "SELECT o.played, o.slot FROM {table} o WHERE o.key {one_of} AND (o.flags & {fork}) = 0{plies}"
)
_IN_SLOTS: Final = "g.slot IN (SELECT k.key FROM {keys})"
_OF_SLOTS: Final = "(SELECT d.played, d.slot FROM {each} WHERE {mine}) d"
_ONE_OF_THESE: Final = "(SELECT count(*) FROM ({rows}) r WHERE r.played = g.played AND r.slot = g.slot) > 0"


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """What a query asks of games g beside the filters (by attribute) that all of its games pass."""

    condition: Sql | None
    filters: dict[str, Any] = field(default_factory=dict)
    keys: tuple[int, ...] = ()
    """Those of a position that all of its games reach, each under one of them."""
    few: Sql | None = None
    """A list of games that has all of its games and few others, where its words are rare."""


def compile_query(
    scope: Scope, term: Term, used: Collection[str] = (), *, driven: bool = True
) -> CompiledQuery:
    """Return a query as SQL. `term` is as `parsing.parse` gives it; filters that are `used` stay. Unless the
    list is `driven` by what is rare, that is not looked for."""
    filters: dict[str, Any] = {}
    terms = term.terms if isinstance(term, And) else (term,)
    rest = tuple(one for one in terms if not _moved_to_filters(one, filters, used))
    position = next((one for one in rest if isinstance(one, ReachesPosition) and one.match == "exact"), None)
    keys = _keys(scope, position) if position else ()
    if not rest:
        return CompiledQuery(None, filters)
    asked = rest[0] if len(rest) == 1 else And(rest)
    known = words.look_up_words(scope, asked)
    few = (_few_with_pattern(scope, rest) or words.few_games(scope, asked, known)) if driven else None
    return CompiledQuery(_condition(_SearchContext(scope, known), asked), filters, keys, few)


class _SearchContext(NamedTuple):
    """Where a query is asked, and what is known of its words there."""

    scope: Scope
    words: Mapping[str, WordMatches]


# --- what drives a list ----------------------------------------------------------------------------------

_DRIVING: Final = ("player", "event", "upload", "formation", "game")
"""Filters by which a list is read, and which ask the same as the field does."""
_SEATED: Final = ("black", "white", "first", "second")


def _moved_to_filters(term: Term, filters: dict[str, Any], used: Collection[str]) -> bool:
    """Note the filters that are true of all games of a term, and return whether they are all that it asks."""
    if not isinstance(term, FieldIs) or len(term.any_of) != 1:
        return False
    (value,) = term.any_of
    asked = dict(_ends(BY_NAME[term.field], value)) if term.field == "date" else {}
    if isinstance(value, EqualTo) and term.field in _DRIVING:
        asked = {term.field: int(value.value) if term.field == "upload" else value.value}
    if isinstance(value, EqualTo) and term.field in _SEATED and "player" not in {*filters, *used}:
        filters["player"] = value.value
        return False
    if not asked or not {*filters, *used}.isdisjoint(asked):
        return False
    filters.update(asked)
    return True


def _few_with_pattern(scope: Scope, terms: Collection[Term]) -> Sql | None:
    """Return the games in which the first pattern stands that all games of the answer have, as the source d
    of a query; None where these are not few, or there is none."""
    pattern = next((one.pattern for one in terms if isinstance(one, HasPattern)), None)
    slots = slots_with_pattern(scope, pattern) if pattern else ()
    if pattern is None or len(slots) > words.RARE:
        return None
    mine = scope.condition("d")
    each = engine().EACH.format(list=engine().KEYS, table="archive_game", on="d.slot = k.key")
    return Sql(_OF_SLOTS.format(each=each, mine=mine.text), (engine().listed(slots), *mine.values))


# --- conditions ------------------------------------------------------------------------------------------


def _condition(within: _SearchContext, term: Term) -> Sql:
    if isinstance(term, Not):
        inner = _condition(within, term.term)
        return Sql(f"NOT ({inner.text})", inner.values)
    if isinstance(term, And | Or):
        return _joined(term, [_condition(within, one) for one in term.terms])
    found = [_case(one) for one in _leaf(within, term)]
    return _joined(Or(()), found) if found else _NEVER


def _joined(term: And | Or, conditions: list[Sql]) -> Sql:
    if not conditions:
        return Sql("TRUE")
    word = " AND " if isinstance(term, And) else " OR "
    text = word.join(one.text for one in conditions)
    return Sql(f"({text})", tuple(value for one in conditions for value in one.values))


def _case(condition: Sql) -> Sql:
    return Sql(f"CASE WHEN {condition.text} THEN 1 ELSE 0 END = 1", condition.values)


def _leaf(within: _SearchContext, term: Leaf) -> Iterator[Sql]:
    """Yield conditions, any of which makes a term true."""
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
    plies = _Range.of(term.plies)
    for table in engine().TABLES:
        rows = [
            Sql(
                _REACHED.format(table=table, one_of=one_of(part), fork=FORK, plies=plies.text),
                (*part, *plies.values),
            )
            for part in ([(key,) for key in keys] if engine().REMOTE_INDEX else [keys])
        ]
        found = Sql(*engine().materialized(rows, ("played", "slot")))
        yield Sql(_ONE_OF_THESE.format(rows=found.text), found.values)


def _keys(scope: Scope, term: ReachesPosition) -> tuple[int, ...]:
    """Return the keys of a position in the index."""
    position, match = GAMES[term.game].codec.decode(term.code), cast(Match, term.match)
    return position_keys(scope, [position], match, term.game)[0]


class _Range(NamedTuple):
    text: str = ""
    values: tuple[int, ...] = ()

    @classmethod
    def of(cls, between: Between | None) -> _Range:
        """Return the condition on the ply of a row, which stands behind others."""
        ends = ((">=", between.least), ("<=", between.most)) if between else ()
        asked = [(sign, int(end)) for sign, end in ends if end]
        return cls("".join(f" AND o.ply {sign} %s" for sign, _end in asked), tuple(end for _, end in asked))


def _field_condition(scope: Scope, asked: Field, value: EqualTo | Between) -> Iterator[Sql]:
    """Yield the conditions that a field has a value."""
    if asked.name == "result":
        yield from _won(_text(value))
    elif asked.name in _SEATED:
        yield from _seated(scope, asked.name, _text(value))
    elif asked.one is None:
        ends = {"least": asked.least, "most": asked.most}
        by_attribute = {one.attribute: one for one in ends.values() if one}
        found = [by_attribute[name].condition(scope, (by_attribute[name].stored(end),))
                 for name, end in _ends(asked, value)]  # fmt: skip
        yield _joined(And(()), found)
    else:
        yield from _single_filter(scope, asked.one, _text(value))


def _text(value: EqualTo | Between) -> str:
    """Return the value of a field that has no ranges."""
    return value.value if isinstance(value, EqualTo) else value.least


def _single_filter(scope: Scope, one: Filter, text: str) -> Iterator[Sql]:
    """Yield the condition of a filter that takes one value; none where nobody here is called so."""
    if one.names or one.name == "upload":
        ids = match_name(scope, one.names, text).ids if one.names else ids_of_upload(scope, int(text))
        if ids:
            yield one.condition(scope, ids)
        return
    yield one.condition(scope, (one.stored(_typed(one, text)),))


def _typed(one: Filter, text: str) -> Any:
    if one.value == "number":
        return int(text)
    if one.value in ("day", "last day"):
        return last_day(text) if one.value == "last day" else first_day(text)
    return text


def _ends(asked: Field, value: EqualTo | Between) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of the filters that a field is made of, each with what it takes."""
    least, most = (value.value, value.value) if isinstance(value, EqualTo) else (value.least, value.most)
    for one, text in ((asked.least, least), (asked.most, most)):
        if one is not None and text:
            yield one.attribute, _typed(one, text)


def _won(value: str) -> Iterator[Sql]:
    """Yield the conditions on how games ended. Sides are those of each kind of game."""
    if value in ("first", "second"):
        yield Sql("g.result = %s", (int(value == "second"),))
        return
    for game in GAMES.values():
        yield Sql("g.kind = %s AND g.result = %s", (game.name, results_of(game).index(value)))


def _seated(scope: Scope, side: str, value: str) -> Iterator[Sql]:
    """Yield the conditions that a side is played by somebody."""
    ids = match_name(scope, "player", value).ids
    if not ids:
        return
    if side in ("first", "second"):
        yield Sql(f"g.{_COLUMNS[side == 'second']} {one_of(ids)}", ids)
        return
    for game in GAMES.values():
        column = _COLUMNS[game.rules.sides.index(side)]
        yield Sql(f"g.kind = %s AND g.{column} {one_of(ids)}", (game.name, *ids))
