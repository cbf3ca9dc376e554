"""Remove openings that exclude each other, such as a bishop exchange in a game with a ranging rook.

A line belongs to the group of openings that settles first. A rook that ranges or has taken a pawn settles at
once. An exchange of bishops, walls and a rook that stays at home are the beginning of many openings: they
settle if no rook has ranged by move 30.
"""

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
"""The group of each opening that settles a line."""
_SETTLED: Final = {"kakugawari": 30, "yagura-sen": 30, _OPPOSED: 30}
"""The earliest ply at which an opening settles a line."""
_FORMS: Final = {name: with_forms(name) for name in _KINDS}
_SHARED: Final = {"yagura-nakabisha": {"yagura-sen", _RANGING}}
"""The groups of openings that belong to several and settle none."""
_SURPRISES: Final = {"sujichigai", "onigoroshi"}
"""Openings whose exchange of bishops is no opening of that name."""


def compatible(formations: Sequence[FormationOccurrence]) -> list[FormationOccurrence]:
    """Return the formations of a line, parents included, without excluded ones, in their order."""
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
