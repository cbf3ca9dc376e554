"""Stored analyses of games, which are derived from the verdicts of an engine on their positions, and the
scales of engines."""

from __future__ import annotations

import time
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from math import ceil
from typing import TYPE_CHECKING, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from archive.derive.calibration import Calibration, DecidedGame, calibrate
from archive.derive.chances import PONANZA
from archive.derive.game_analysis import EngineVerdict, StoredAnalysis, analyse, best_verdict, pack
from archive.derive.text import EVALUATIONS
from archive.derive.verdicts import Line, keys_of_line
from archive.models import Engine, Game, GameAnalysis, GameChange, Verdict
from archive.store.existing import batched
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from django.db.models import QuerySet

ByEngine = dict[int, dict[int, EngineVerdict]]
"""The verdicts of engines by key."""

FIT_GAMES: Final = 30
"""Decisive games without which no scale is fitted."""
GROWTH: Final = 0.25
"""The share by which these games grow until the scale is fitted anew by itself."""
FITTED_AT_MOST: Final = 20_000
"""The most games of a fit. With so many the scale is no longer fitted by itself: it would hardly change."""
_BATCH: Final = 100


def write_analyses(games: Collection[int], engine: int | None = None) -> int:
    """Analyse games, by id, by the stored verdicts of an engine, or of each engine that has any; return the
    number of analyses. Games with fewer than two verdicts have none.

    An analysis replaces the one of the same engine. Games that have one count as evaluated
    (`archive.derive.text.EVALUATIONS`). Linear in the positions.
    """
    written = 0
    for part in batched(sorted(games)):
        with transaction.atomic():
            written += _write(part, engine)
    return written


def renew_analyses(games: Collection[int]) -> int:
    """Derive the analyses that games have anew, in the caller's transaction; return their number. Those of
    positions without verdicts, as after a move to another space, are removed."""
    engines = defaultdict[int, list[int]](list)
    for game, engine in GameAnalysis.objects.filter(game__in=games).values_list("game_id", "engine_id"):
        engines[engine].append(game)
    return sum(_write(with_its, engine) for engine, with_its in sorted(engines.items()))


def _write(games: Collection[int], engine: int | None) -> int:
    """Replace the analyses of games by an engine, or by each engine."""
    # Before their analyses are read, since others may write them at the same time.
    shogi = list(
        Game.objects.select_for_update(of=("self",))
        .filter(pk__in=games, kind=SHOGI.name)
        .select_related("stored")
        .order_by("pk")
    )
    stored = GameAnalysis.objects.filter(game__in=games)
    stored = stored if engine is None else stored.filter(engine=engine)
    old = {
        (game, pk): bytes(content)
        for game, pk, content in stored.values_list("game_id", "engine_id", "content")
    }
    stored.delete()
    scales = _scales()
    rows = [row for game in shogi for row in _rows(game, engine, scales)]
    GameAnalysis.objects.bulk_create(rows)
    _count_as_evaluated({row.game_id for row in rows if old.get((row.game_id, row.engine_id)) != row.content})
    return len(rows)


def _scales() -> dict[int, float]:
    """Return the scales of all engines."""
    return {pk: scale or PONANZA for pk, scale in Engine.objects.values_list("pk", "scale")}


def _rows(game: Game, engine: int | None, scales: Mapping[int, float]) -> list[GameAnalysis]:
    record = game.jkf
    keys = keys_of_line(record, game.space)
    rows = []
    for pk, by_key in sorted(_verdicts(keys, engine).items()):
        analysis = analyse(record, [by_key.get(key) for key in keys], scales[pk])
        if len(analysis.evaluations) > 1:
            first, second = (analysis.accuracy(color) for color in (0, 1))
            rows.append(
                GameAnalysis(
                    game=game, engine_id=pk, space=game.space, content=pack(analysis, scales[pk]),
                    accuracy0=first, accuracy1=second, made=timezone.now(),
                )
            )  # fmt: skip
    return rows


def _verdicts(keys: Iterable[int], engine: int | None) -> ByEngine:
    """Return the best verdicts from analyses of an engine, or of each engine."""
    rows = defaultdict[tuple[int, int], list[tuple[list[Line], int, int]]](list)
    for part in batched(sorted({*keys})):
        stored = Verdict.objects.filter(key__in=part, game=0)
        if engine is not None:
            stored = stored.filter(engine=engine)
        for pk, key, lines, nodes, depth in stored.values_list("engine_id", "key", "moves", "nodes", "depth"):
            rows[pk, key].append(([Line.from_json(line) for line in lines], nodes, depth))
    by_engine: ByEngine = defaultdict(dict)
    for (pk, key), of_key in rows.items():
        if verdict := best_verdict(of_key):
            by_engine[pk][key] = verdict
    return by_engine


def _count_as_evaluated(games: Collection[int]) -> None:
    """Set the bit of evaluated games, and note the change for those that follow the archive."""
    changed = list(Game.objects.filter(pk__in=games).only("pk", "space", "features"))
    new = [game.pk for game in changed if not game.features & EVALUATIONS]
    Game.objects.filter(pk__in=new).update(features=F("features") + EVALUATIONS)
    GameChange.objects.bulk_create(GameChange(space=game.space, game=game.pk) for game in changed)


def is_fit_due(engine: Engine) -> bool:
    """Return whether an engine has analysed so many more decisive games that its scale is to be fitted anew:
    `GROWTH` more than at the last fit, up to `FITTED_AT_MOST`. Reads no more rows than that."""
    due = max(FIT_GAMES, ceil(engine.fitted_games * (1 + GROWTH)))
    return due <= FITTED_AT_MOST and _decisive(engine.pk).order_by()[:due].count() == due


def fit_engine(engine: int) -> Calibration | None:
    """Fit the scale of an engine to the results of the games that it has analysed, and store it with its
    calibration; None with fewer than `FIT_GAMES` games that a side won, or if no scale fits.

    Mates are left out. Linear in the positions of the newest `FITTED_AT_MOST` games. `mark_anew` then derives
    the analyses anew.
    """
    rows = _decisive(engine).order_by("-game_id").values_list("content", "game__result")[:FITTED_AT_MOST]
    games = [
        DecidedGame(_scores(content), result == Game.Result.BLACK)
        for content, result in rows.iterator(chunk_size=_BATCH)
    ]
    fitted = calibrate(games) if len(games) >= FIT_GAMES else None
    if fitted is None:
        return None
    Engine.objects.filter(pk=engine).update(
        scale=fitted.fit.scale,
        log_loss=fitted.fit.log_loss,
        fitted_positions=fitted.fit.positions,
        fitted_games=len(games),
        calibration=[list(band) for band in fitted.bands],
        marked_until=0,
    )
    return fitted


def _decisive(engine: int) -> QuerySet[GameAnalysis]:
    """Return the analyses of games that a side won."""
    decisive = (Game.Result.BLACK, Game.Result.WHITE)
    return GameAnalysis.objects.filter(engine=engine, game__result__in=decisive)


def _scores(content: bytes | memoryview) -> array[int]:
    scores = StoredAnalysis(content).scores
    return array("i", (one.score for one in scores if one.winner is None and one.score is not None))


def mark_anew(engine: int, seconds: float) -> bool:
    """Derive the analyses of an engine anew by its scale for about `seconds`, in the order of games; return
    whether all are done. A killed worker goes on where it was."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        row = Engine.objects.only("marked_until").get(pk=engine)
        if row.marked_until is None:
            return True
        analysed = GameAnalysis.objects.filter(engine=engine, game__gt=row.marked_until)
        games = list(analysed.order_by("game").values_list("game_id", flat=True)[:_BATCH])
        write_analyses(games, engine)
        at_this = Engine.objects.filter(pk=engine, marked_until=row.marked_until)  # not if fitted meanwhile
        at_this.update(marked_until=games[-1] if games else None)
    return False
