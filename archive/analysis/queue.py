"""The queue of positions: claims of workers and volunteers, and the verdicts that complete them.

The store of verdicts alone decides which positions remain: those without a verdict of the engine with enough
nodes and lines. So no stored verdict is computed again, and a worker that dies loses no position: its claims
end after `LEASE`. A claim is a row that exists once for a position and an engine. Verdicts are stored in the
transaction that removes their claims; a worker whose claim has ended stores nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from archive import store
from archive.analysis.lines import GameLine, line_of_game
from archive.models import AnalysisClaim, AnalysisGame, AnalysisRequest, User, Verdict
from archive.project.engine_file import EngineFile, EngineSetting
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from archive.derive.verdicts import NewVerdict

CHUNK: Final = 6
"""Successive plies among which positions are claimed together."""
LEASE: Final = timedelta(seconds=120)
"""Time until the next verdict of a claim has to be stored."""
MOST_FAILURES: Final = 3
"""Failures of the engine at a position after which it is left out."""
_CANDIDATES: Final = 20
_ROUNDS: Final = 10
"""Groups of games that may turn out to need no work before there is an answer."""


@dataclass(frozen=True)
class Work:
    """Positions that one worker or volunteer has claimed."""

    token: str
    engine: EngineSetting
    line: GameLine
    plies: tuple[int, ...]
    nodes: int
    lines: int


def engines() -> EngineFile:
    """Return the engines of the settings."""
    file: EngineFile = settings.ENGINES
    return file


def engine_id(setting: EngineSetting) -> int:
    """Return the id of the stored identity of an engine."""
    return store.engine_of(
        store.EngineIdentity(
            setting.name, version=setting.version, network=setting.network, options=dict(setting.options)
        )
    )


# --- claims ----------------------------------------------------------------------------------------------


def acquire(names: Collection[str] | None = None, volunteer: User | None = None) -> Work | None:
    """Claim the most urgent positions for an engine of these names (None: any); None if there are none.

    Volunteers get games of the public archive only.
    """
    AnalysisClaim.objects.filter(until__lt=timezone.now()).delete()
    configured = {setting.name for setting in engines().engine}
    usable = configured if names is None else configured.intersection(names)
    for _round in range(_ROUNDS):
        candidates = list(_candidates(usable, volunteer)[:_CANDIDATES])
        for row in candidates:
            if (work := _claim(row, volunteer)) is not None:
                return work
        if all(row.state == AnalysisGame.State.OPEN for row in candidates):
            return None
    return None


def _candidates(names: Collection[str], volunteer: User | None) -> QuerySet[AnalysisGame]:
    rows = AnalysisGame.objects.filter(
        state=AnalysisGame.State.OPEN, request__state=AnalysisRequest.State.OPEN, request__engine__in=names
    )
    if volunteer is not None:
        rows = rows.filter(request__space=PUBLIC)
    order = ("request__priority", "request__worked", "request_id", "id")
    return rows.select_related("request").order_by(*order)


def _claim(row: AnalysisGame, volunteer: User | None) -> Work | None:
    request = row.request
    setting, line = engines().by_name(request.engine), line_of_game(row.game, request.space)
    if setting is None:
        return None
    engine = engine_id(setting)
    lacking = {} if line is None else _lacking(row, line, engine)
    _update_progress(row, line, lacking)
    if line is None or not lacking:
        return None
    token = secrets.token_hex(16)
    claimed = _insert_claims(row, engine, _chunk(_free(engine, lacking)), token, volunteer)
    # Another worker may have completed some of them after the store was read and before they were claimed.
    lacking = _lacking(row, line, engine) if claimed else {}
    _claims(token).exclude(key__in=lacking).delete()
    plies = tuple(claimed[key] for key in claimed if key in lacking)
    if not plies:
        return None
    if request.priority != AnalysisRequest.Priority.PERSON:
        AnalysisRequest.objects.filter(pk=request.pk).update(worked=timezone.now())
    return Work(token, setting, line, plies, request.nodes, request.lines)


def _free(engine: int, lacking: Mapping[int, int]) -> dict[int, int]:
    """Return the positions that nobody has claimed."""
    claimed = {*AnalysisClaim.objects.filter(engine=engine, key__in=lacking).values_list("key", flat=True)}
    return {key: ply for key, ply in lacking.items() if key not in claimed}


def _chunk(free: Mapping[int, int]) -> dict[int, int]:
    """Return the first of the free positions that lie within `CHUNK` plies."""
    last = min(free.values(), default=0) + CHUNK
    return {key: ply for key, ply in free.items() if ply < last}


def _insert_claims(
    row: AnalysisGame, engine: int, chunk: Mapping[int, int], token: str, volunteer: User | None
) -> dict[int, int]:
    """Claim positions; return those that nobody else has claimed meanwhile, by key, with their plies."""
    until = timezone.now() + LEASE
    # In the order of keys, so that two who claim the same positions do not wait for each other.
    claims = [
        AnalysisClaim(
            key=key, engine_id=engine, game=row, ply=ply, token=token, until=until, volunteer=volunteer
        )
        for key, ply in sorted(chunk.items())
    ]
    AnalysisClaim.objects.bulk_create(claims, ignore_conflicts=True)
    return dict(_claims(token).values_list("key", "ply"))


def _lacking(row: AnalysisGame, line: GameLine, engine: int) -> dict[int, int]:
    """Return the positions of a game that need work, by key, with their first plies."""
    nodes, lines = row.request.nodes, row.request.lines
    plies: dict[int, int] = {}
    for ply, key in enumerate(line.keys):
        plies.setdefault(key, ply)
    best: dict[int, int] = {}
    rows = Verdict.objects.filter(key__in=[*plies], engine=engine, game=0, nodes__gte=nodes)
    for key, number in rows.values_list("key", "lines"):
        best[key] = max(number, best.get(key, 0))
    return {
        key: ply
        for key, ply in plies.items()
        if best.get(key, 0) < lines
        and row.failures.get(str(ply), 0) < MOST_FAILURES
        and best.get(key, 0) < min(lines, line.legal_moves(ply))
    }


def _update_progress(row: AnalysisGame, line: GameLine | None, lacking: Collection[int]) -> None:
    """Store the progress of a game. A game without remaining positions is done: its analysis is derived anew,
    and its request may be done, too."""
    positions = 0 if line is None else len({*line.keys})
    rows = AnalysisGame.objects.filter(pk=row.pk, state=AnalysisGame.State.OPEN)
    if lacking:
        rows.update(positions=positions, remaining=len(lacking))
        return
    row.state = AnalysisGame.State.DONE
    # Together, and one game of a request after the other: else the request might stay open.
    with transaction.atomic():
        AnalysisRequest.objects.select_for_update().get(pk=row.request_id)
        rows.update(positions=positions, remaining=0, state=row.state, finished=timezone.now())
        store.write_analyses([row.game])
        finish_request(row.request)


def finish_request(request: AnalysisRequest) -> None:
    """Close a request whose games are all listed and done."""
    unfinished = request.games.filter(state=AnalysisGame.State.OPEN)
    done = AnalysisRequest.objects.filter(pk=request.pk, state=AnalysisRequest.State.OPEN, after=None)
    if not unfinished.exists():
        done.update(state=AnalysisRequest.State.DONE, finished=timezone.now())


# --- results ---------------------------------------------------------------------------------------------


def complete(work: Work, verdicts: Mapping[int, NewVerdict], by: User | None = None) -> tuple[int, ...]:
    """Store verdicts by ply, and give their positions back; return the plies that were still claimed.

    The claims of the other positions are renewed. A position whose verdict does not suffice is not tried
    again.
    """
    with transaction.atomic():
        claims = list(_claims(work.token).select_for_update().select_related("game__request"))
        mine = [claim for claim in claims if claim.ply in verdicts]
        if not mine:
            return ()
        game = mine[0].game
        by_key = {claim.key: verdicts[claim.ply] for claim in mine}
        store.write_verdicts(mine[0].engine_id, by_key, game.request.space, by.pk if by else None)
        AnalysisClaim.objects.filter(pk__in=[claim.pk for claim in mine]).delete()
        _claims(work.token).update(until=timezone.now() + LEASE)
        weak = [claim.ply for claim in mine if not _suffices(work, claim.ply, verdicts[claim.ply])]
        remaining = _count_failures(game, dict.fromkeys(weak, MOST_FAILURES), len(mine) - len(weak))
    if remaining <= 0:
        _recheck(game)
    return tuple(sorted(claim.ply for claim in mine))


def _claims(token: str) -> QuerySet[AnalysisClaim]:
    return AnalysisClaim.objects.filter(token=token).order_by("ply")


def _suffices(work: Work, ply: int, verdict: NewVerdict) -> bool:
    """Return whether a verdict has the nodes of its request, and its lines or all that the position has."""
    lines = len(verdict.lines)
    return verdict.nodes >= work.nodes and (lines >= work.lines or lines >= work.line.legal_moves(ply))


def _count_failures(game: AnalysisGame, failures: Mapping[int, int], done: int) -> int:
    """Add failures by ply to a game, and subtract positions that are done; return the remaining ones."""
    game = AnalysisGame.objects.select_for_update().get(pk=game.pk)
    counts = dict(game.failures)
    for ply, times in failures.items():
        counts[str(ply)] = counts.get(str(ply), 0) + times
    given_up = sum(counts[str(ply)] >= MOST_FAILURES for ply in failures)
    game.failures, game.remaining = counts, game.remaining - done - given_up
    game.save(update_fields=["failures", "remaining"])
    return game.remaining


def _recheck(game: AnalysisGame) -> None:
    """Count the remaining positions of a game anew."""
    row = AnalysisGame.objects.select_related("request").get(pk=game.pk)
    setting, line = engines().by_name(row.request.engine), line_of_game(row.game, row.request.space)
    if setting is not None:
        _update_progress(row, line, {} if line is None else _lacking(row, line, engine_id(setting)))


def fail(work: Work, ply: int) -> None:
    """Count a failure of the engine at a position, and release the claim."""
    with transaction.atomic():
        claims = list(_claims(work.token).select_for_update().select_related("game"))
        if any(claim.ply == ply for claim in claims):
            _count_failures(claims[0].game, {ply: 1}, 0)
        _claims(work.token).delete()


def abort(token: str) -> int:
    """Release a claim; return its number of positions."""
    return _claims(token).delete()[0]


def claims_of(user: User, token: str) -> list[AnalysisClaim]:
    """Return a volunteer's claims of one token, by ply."""
    return list(_claims(token).filter(volunteer=user).select_related("game__request"))


def work_of(claims: Iterable[AnalysisClaim]) -> Work | None:
    """Return the work that claims of one token stand for; None if its game or engine is gone."""
    first, *others = claims
    request = first.game.request
    setting, line = engines().by_name(request.engine), line_of_game(first.game.game, request.space)
    if setting is None or line is None:
        return None
    plies = tuple(claim.ply for claim in (first, *others))
    return Work(first.token, setting, line, plies, request.nodes, request.lines)
