"""Columns for tests: written of what is stored, and what replaying every stored game finds instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from archive.columns import building
from archive.models import ColumnSegment, Game
from archive.queries.games.filters import GameFilters
from archive.queries.patterns.summary import PatternGame, PatternSummary, pattern_games
from archive.queries.scope import PUBLIC, Scope
from kifu_core.jkf import Record
from kifu_core.shogi.patterns import Pattern, find, parse
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import can_play, packed_move, start

Place = tuple[int, int, bool]
"""The ply at which a pattern stands first, for whom, and whether mirrored."""


def paths_of(record: Record) -> Iterator[list[Position]]:
    """Every line of a record from its start to an end, the main one first."""
    branches = [([start(record)], record["moves"][1:])]
    while branches:
        line, entries = branches.pop(0)
        position = line[-1].copy()
        for entry in entries:
            branches += [(line[:], fork) for fork in entry.get("forks", ())]
            if "move" not in entry:
                continue
            if not can_play(position, packed_move(entry["move"])):
                break
            position.do_move(packed_move(entry["move"]))
            line.append(position.copy())
        yield line


def place_in(pattern: Pattern, lines: Sequence[list[Position]]) -> Place | None:
    """The first place of a pattern in any line of a game."""
    places = [where for line in lines[: 1 if pattern.main else None] if (where := find(pattern, line))]
    return min(((one.plies[0], one.own, one.mirrored) for one in places), default=None)


def replayed(pattern: Pattern, scope: Scope) -> dict[int, Place]:
    """By id, where replaying the stored games of a scope finds a pattern first."""
    games = Game.objects.filter(kind="shogi", space__in=scope.spaces).select_related("stored")
    result = {game.pk: place_in(pattern, list(paths_of(game.jkf))) for game in games}
    return {pk: place for pk, place in result.items() if place is not None}


def matches_of(scope: Scope, pattern: Pattern) -> dict[int, Place]:
    """By id, where the columns find a pattern first: all pages, which have as many games as are told."""
    games, cursor = list[PatternGame](), None
    while True:
        summary = pattern_games(scope, pattern, cursor=cursor, limit=100)
        games += summary.page.items
        if (cursor := summary.page.next) is None:
            break
    assert len(games) == summary.games
    return {one.row.id: (one.ply, one.own, one.mirrored) for one in games}


def summary_of(text: str, **filters: object) -> PatternSummary:
    """What is known of a pattern among the public games."""
    return pattern_games(PUBLIC, parse(text), GameFilters(**filters))  # type: ignore[arg-type]


def segments() -> list[ColumnSegment]:
    """The files in use."""
    return list(ColumnSegment.objects.filter(retired=None).order_by("pk"))


def build() -> None:
    """Write the columns of all that waits."""
    assert building.build()
