"""Castles and openings as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from archive.queries.patterns.formation_counts import GameFormationAt
    from kifu_core.shogi.formations import Formation, Publication


def named_json(one: Formation) -> dict[str, Any]:
    """Return what a castle or an opening is called."""
    return {
        "formation": one.name,
        "family": one.family,
        "japanese": one.japanese,
        "reading": one.reading,
        "english": one.english,
    }


def work_json(one: Publication) -> dict[str, Any]:
    """Return what is known of a work; null for what it has not or does not tell."""
    return {
        "title": one.title,
        "author": one.author or None,
        "publisher": one.publisher,
        "year": one.year,
        "isbn": one.isbn or None,
        "url": one.url or None,
    }


def had_json(had: GameFormationAt) -> dict[str, Any]:
    """Return what a side of a game has."""
    return named_json(had.formation) | {"side": SHOGI.rules.sides[had.colour], "ply": had.ply}
