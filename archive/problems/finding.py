"""The search for problems: it follows the changes of the archive, and writes those of each changed game."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from django.db.models import Q

from archive import store
from archive.derive.chances import PONANZA
from archive.derive.formations import FormationRow
from archive.derive.problems import (
    NODES,
    VERSION,
    Judged,
    keys_to_confirm,
    places_of,
    problem_of,
    problems_in,
)
from archive.derive.verdicts import Line
from archive.models import (
    Engine,
    Game,
    GameAnalysis,
    GameChange,
    GameFormation,
    ProblemScan,
    Verdict,
)
from archive.queries.games.changes import is_of_order, last_change
from archive.queries.games.taken_down import is_hidden
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from collections.abc import Iterable

    from archive.derive.problems import FoundProblem

TURN_SECONDS: Final = 5.0
"""How long a turn takes, about."""
_BATCH: Final = 50
"""Changes that are read at once."""
_KEYS: Final = 500
"""Keys of one statement."""


def scan(seconds: float = TURN_SECONDS) -> bool:
    """Search games that changed since the last turn for about `seconds`; return whether others remain.

    A later version of the rules begins with the first change again, as does an archive that was restored.
    """
    until = time.monotonic() + seconds
    row = ProblemScan.objects.order_by("pk").first() or ProblemScan.objects.create(version=VERSION)
    end = last_change()
    if row.version != VERSION or (row.after and not is_of_order(row.after, end)):
        row.version, row.after = VERSION, 0
        row.save()
    while row.after < end:
        changes = GameChange.objects.filter(number__gt=row.after, number__lte=end).order_by("number")
        for number, game in changes.values_list("number", "game")[:_BATCH]:
            find([game])
            row.after = number or 0
            if time.monotonic() >= until:
                break
        else:
            row.after = row.after if changes.filter(number__gt=row.after).exists() else end
        row.save(update_fields=["after"])
        if time.monotonic() >= until:
            return row.after < end
    return False


def find(games: Iterable[int]) -> int:
    """Find the problems of games, by id, anew; return their number. Games without any lose theirs."""
    pks = [*games]
    rows = Game.objects.filter(pk__in=pks, kind=SHOGI.name, stored__isnull=False)
    shogi = rows.filter(Q(record_kind="problem") | Q(pk__in=GameAnalysis.objects.values("game")))
    searched = [game for game in shogi.select_related("stored").order_by("pk") if not is_hidden(game.pk)]
    store.forget_problems({*pks}.difference(game.pk for game in searched))
    return store.write_problems(
        store.GameProblems(game.pk, game.space, bytes(game.digest), _problems(game)) for game in searched
    )


def _problems(game: Game) -> list[tuple[FoundProblem, int | None]]:
    if game.record_kind == Game.RecordKind.PROBLEM:
        one = problem_of(game.jkf)
        return [(one, None)] if one else []
    places = places_of(game.jkf, game.space)
    formations = [
        FormationRow(*row)
        for row in GameFormation.objects.filter(slot=game.slot).values_list("formation", "colour", "ply")
    ]
    found: dict[int, tuple[FoundProblem, int]] = {}
    for engine, verdicts in _verdicts(place.key for place in places):
        later = {row.pk: more for row, more in _verdicts(keys_to_confirm(places, verdicts))}
        verdicts |= later.get(engine.pk, {})
        for one in problems_in(places, verdicts, engine.scale or PONANZA, formations):
            if one.key not in found or found[one.key][0].nodes < one.nodes:
                found[one.key] = (one, engine.pk)
    return [*found.values()]


def _verdicts(wanted: Iterable[int]) -> list[tuple[Engine, dict[int, Judged]]]:
    """Return the verdicts of each engine, without networks and comments, by these keys."""
    keys = sorted({*wanted})
    by_engine: dict[int, dict[int, Judged]] = defaultdict(dict)
    for at in range(0, len(keys), _KEYS):
        rows = Verdict.objects.filter(
            key__in=keys[at : at + _KEYS], game=0, engine__source=Engine.Source.ENGINE
        ).order_by("nodes", "depth", "lines")
        for engine, key, moves, nodes in rows.values_list("engine_id", "key", "moves", "nodes"):
            lines = tuple(map(Line.from_json, moves))
            if lines:
                by_engine[engine][key] = _judged(by_engine[engine].get(key), lines, nodes)
    engines = Engine.objects.in_bulk(by_engine)
    return [(engines[pk], by_engine[pk]) for pk in sorted(by_engine)]


def _judged(before: Judged | None, lines: tuple[Line, ...], nodes: int) -> Judged:
    """Return the judgement with a verdict that has at least as many nodes as those before."""
    if len(lines) > 1 and nodes >= NODES:
        return Judged(lines, nodes, lines, nodes)
    wide = (before.wide, before.wide_nodes) if before else ((), 0)
    return Judged(lines, nodes, *wide)
