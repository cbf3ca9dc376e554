"""Where a record that somebody has leads to in the archive."""

from __future__ import annotations

from typing import Final

from archive.derive.game import stem
from archive.models import Game
from archive.queries.counting import totals
from archive.queries.position_query import position_keys
from archive.queries.scope import Scope
from kifu_core.errors import KifuError
from kifu_core.games import of_record
from kifu_core.jkf import Record

LONGEST: Final = 600
"""Plies that are looked up; what games share lies long before."""


def game_of(scope: Scope, record: Record) -> int | None:
    """The game that has the same moves from the same start, the oldest of several; None for no moves."""
    if len(record["moves"]) < 2:
        return None
    same = Game.objects.filter(stem=stem(record, of_record(record).name), space__in=scope.spaces)
    return same.order_by("pk").values_list("pk", flat=True).first()


def furthest(scope: Scope, record: Record) -> str | None:
    """The code of the last position of the main line that any game reaches; None where none does."""
    game = of_record(record)
    line = [position.copy() for ply, position, _move, _entry in game.main_line(record) if ply <= LONGEST]
    try:
        keys = position_keys(scope, line, "exact", game.name)
    except KifuError:  # hands that no code can hold: such a game is in no index
        return None
    known = totals([key for found in keys for key in found], "main")
    reached = [position for position, found in zip(line, keys, strict=True) if known.keys() & {*found}]
    return game.encode(reached[-1]) if reached else None
