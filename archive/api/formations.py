"""Castles and openings as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from archive.api.shapes.common import extend
from archive.api.shapes.formations import WorkInfo
from archive.api.shapes.games import FormationNames, GameFormation
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from archive.queries.patterns.formation_counts import GameFormationAt
    from kifu_core.shogi.formations import Formation, Publication


def formation_names(one: Formation) -> FormationNames:
    """Return what a castle or an opening is called."""
    return FormationNames(one.name, one.family, one.japanese, one.reading, one.english)


def work_info(one: Publication) -> WorkInfo:
    """Return a work; members that it lacks are None."""
    return WorkInfo(
        title=one.title,
        author=one.author or None,
        publisher=one.publisher,
        year=one.year,
        isbn=one.isbn or None,
        url=one.url or None,
    )


def game_formation(had: GameFormationAt) -> GameFormation:
    """Return what a side of a game has."""
    side = SHOGI.rules.sides[had.colour]
    return extend(GameFormation, formation_names(had.formation), side=side, ply=had.ply)
