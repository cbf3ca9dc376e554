"""Openings that exclude each other: a game in which a rook ranges is no bishop exchange, and a double wing is
no yagura.

Of the kinds of game that a line has something of, it is of the one that settles first. A rook that ranges or
has taken a pawn settles it at once. An exchange of bishops, walls and a rook that stays at home are what many
openings begin with: they settle it when no rook has ranged by move 30.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kifu_core.game import FormationOccurrence
from kifu_core.shogi.formations.register import with_forms

_RANGING: Final = "furibisha"
_OPPOSED: Final = "taikokei"
_BOTH: Final = "aifuribisha"
_KINDS: Final = {
    "kakugawari": "kakugawari",
    "aigakari": "aigakari",
    "yokofu": "yokofu",
    "yagura-sen": "yagura-sen",
    _RANGING: _RANGING,
    _OPPOSED: _RANGING,
    "ishida": _RANGING,
    "kazaguruma": _RANGING,
    "gyokuto-gin": _RANGING,
}
"""The kind of game that an opening makes of a line."""
_SETTLED: Final = {"kakugawari": 30, "yagura-sen": 30, _OPPOSED: 30}
"""The ply at which an opening settles what the game is, if it stands earlier."""
_FORMS: Final = {name: with_forms(name) for name in _KINDS}
_SHARED: Final = {"yagura-nakabisha": {"yagura-sen", _RANGING}}
"""The kinds of what is of several and settles none."""
_SURPRISES: Final = {"sujichigai", "onigoroshi"}
"""Begin with an exchange of bishops that is no opening of that name."""


def compatible(formations: Sequence[FormationOccurrence]) -> list[FormationOccurrence]:
    """Return those of the formations of a line, with all that they are forms of, that do not exclude each
    other, in their order."""
    if any(one.name in _SURPRISES for one in formations):
        formations = [one for one in formations if one.name not in _FORMS["kakugawari"]]
    settling = sorted((one for one in formations if one.name in _KINDS), key=_settling_ply)
    if not settling:
        return [*formations]
    kind = _KINDS[settling[0].name]
    excluded = {form for name, other in _KINDS.items() if other != kind for form in _FORMS[name]}
    excluded |= {name for name, kinds in _SHARED.items() if kind not in kinds}
    left = [one for one in formations if one.name not in excluded]
    return _without_contradiction(left) if kind == _RANGING else left


def _settling_ply(one: FormationOccurrence) -> tuple[int, int]:
    return max(one.ply, _SETTLED.get(one.name, 0)), one.ply


def _without_contradiction(formations: list[FormationOccurrence]) -> list[FormationOccurrence]:
    """Drop the openings of one ranging rook, or those of two, whichever settles later."""
    opposed = [one for one in formations if one.name == _OPPOSED]
    ranging = sorted((one for one in formations if one.name == _RANGING), key=_settling_ply)
    if not opposed or not ranging[1:]:
        return formations
    second = ranging[1]
    if _settling_ply(second) < min(map(_settling_ply, opposed)):
        return [one for one in formations if one.name != _OPPOSED]
    return [
        one
        for one in formations
        if one.name != _BOTH and not (one.color == second.color and one.name in _FORMS[_RANGING])
    ]
