"""Values of the moves of opening books and trees: of one engine, raw and back-propagated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from archive.derive.negamax import Opinion, Place, back_propagate, before, value_of
from archive.queries.positions.verdicts import SOURCES, EngineInfo, StoredVerdict, verdicts_at
from kifu_core.games import SHOGI
from kifu_core.shogi.position import Position

if TYPE_CHECKING:
    from archive.queries.positions.opening_tree import MoveTree
    from archive.queries.scope import Scope
    from kifu_core.shogi.books import BookEntry

K = TypeVar("K")
T = TypeVar("T")

_AT_ONCE: Final = 500
"""Positions of one statement."""


class MoveValue(NamedTuple):
    """The value of a move for the side that plays it: the engine's `raw` one of the position after it, and
    the back-propagated one. None where no verdict leads to one; `depth` is 0 if it is unknown."""

    raw: int | None
    backed: int | None
    depth: int = 0


class EngineOpinions(NamedTuple):
    """The opinions of one engine on positions by their keys, and the depths of its searches."""

    engine: EngineInfo | None
    opinions: Mapping[Any, Opinion]
    depths: Mapping[Any, int]


def opinions_on(scope: Scope, positions: Iterable[tuple[K, Position]]) -> EngineOpinions:
    """Return the opinions of the engine that judges most of these positions. Engines that search precede
    networks, and these precede the comments of records. One statement for each `_AT_ONCE` positions."""
    engines: dict[int, EngineInfo] = {}
    by_engine: dict[int, dict[K, StoredVerdict]] = {}
    turns: dict[K, int] = {}
    for part in _parts(positions):
        verdicts_on = verdicts_at(scope, SHOGI.name, [position for _key, position in part])
        for (key, position), verdicts in zip(part, verdicts_on, strict=True):
            turns[key] = position.turn
            for one in verdicts:
                engines[one.engine.pk] = one.engine
                by_engine.setdefault(one.engine.pk, {}).setdefault(key, one)
    if not engines:
        return EngineOpinions(None, {}, {})
    chosen = min(engines, key=lambda pk: (SOURCES[engines[pk].source], -len(by_engine[pk]), pk))
    opinions, depths = dict[K, Opinion](), dict[K, int]()
    for key, verdict in by_engine[chosen].items():
        line = verdict.lines[0]
        if (value := value_of(line, turns[key])) is not None:
            opinions[key] = Opinion(value, line.moves[0] if line.moves else "")
            depths[key] = verdict.depth
    return EngineOpinions(engines[chosen], opinions, depths)


def _parts(values: Iterable[T]) -> Iterator[Sequence[T]]:
    remaining = iter(values)
    while part := [*islice(remaining, _AT_ONCE)]:
        yield part


def book_values(
    scope: Scope, entries: Sequence[BookEntry]
) -> tuple[EngineInfo | None, dict[tuple[str, int], MoveValue]]:
    """Return the engine of the values of a book, None if no position has a verdict, and the value of each
    move by SFEN and packed move. Linear in the moves of the book."""
    places, positions = dict[str, Place[str]](), dict[str, Position]()
    for entry in entries:
        position = Position.from_sfen(entry.sfen)
        positions[entry.sfen] = position
        moves: dict[str, str] = {}
        for one in entry.moves:
            after = position.copy()
            after.do_move(one.move)
            sfen = after.sfen(None)
            positions.setdefault(sfen, after)
            moves[SHOGI.text.move_name(one.move)] = sfen
        places[entry.sfen] = Place(entry.ply, moves)
    engine, opinions, depths = opinions_on(scope, positions.items())
    values = back_propagate(places, opinions)
    return engine, {
        (entry.sfen, one.move): _move_value(
            places[entry.sfen].moves[SHOGI.text.move_name(one.move)], opinions, values, depths
        )
        for entry in entries
        for one in entry.moves
    }


def _move_value(
    after: K, opinions: Mapping[K, Opinion], values: Mapping[K, int], depths: Mapping[K, int]
) -> MoveValue:
    raw, backed = opinions.get(after), values.get(after)
    return MoveValue(
        None if raw is None else before(raw.value),
        None if backed is None else before(backed),
        depths.get(after, 0),
    )


def tree_values(scope: Scope, tree: MoveTree) -> tuple[EngineInfo | None, dict[str, MoveValue]]:
    """Return the engine of the values of a tree of shogi, None if no position has a verdict, and the values
    of its moves by the codes of the positions after them. Linear in the tree."""
    places, codes = dict[str, Place[str]](), {tree.root.code}
    level, ply = [tree.root], 0
    while level:
        for node in level:
            moves = {child.played.name: child.code for child in node.children if child.played}
            if moves:
                places.setdefault(node.code, Place(ply, moves))
            codes.update(moves.values())
        level, ply = [child for node in level for child in node.children], ply + 1
    positions = ((code, SHOGI.codec.decode(code)) for code in sorted(codes))
    engine, opinions, depths = opinions_on(scope, positions)
    values = back_propagate(places, opinions)
    return engine, {code: _move_value(code, opinions, values, depths) for code in codes}
