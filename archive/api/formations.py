"""Castles and openings as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from archive.api.shapes.formations import WorkInfo
from archive.api.shapes.games import FormationInGame, FormationNames
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from archive.queries.patterns.formation_counts import GameFormationAt
    from kifu_core.shogi.formations import Formation, Publication

Named = TypeVar("Named", bound=FormationNames)


def with_names(kind: type[Named], formation: Formation, **members: Any) -> Named:
    """Return an object of a subclass of `FormationNames` with the names of a castle or an opening."""
    return kind(
        formation=formation.name,
        family=formation.family,
        japanese=formation.japanese,
        reading=formation.reading,
        english=formation.english,
        **members,
    )


def work_info(work: Publication) -> WorkInfo:
    """Return a work; members that it lacks are None."""
    return WorkInfo(
        title=work.title,
        author=work.author or None,
        publisher=work.publisher,
        year=work.year,
        isbn=work.isbn or None,
        url=work.url or None,
    )


def formation_in_game(had: GameFormationAt) -> FormationInGame:
    """Return a castle or an opening of a side of a game."""
    return with_names(FormationInGame, had.formation, side=SHOGI.rules.sides[had.colour], ply=had.ply)
