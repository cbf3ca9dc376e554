"""Volunteers: accounts whose programs on other machines analyse positions, and checks of their verdicts.

A share of their verdicts is repeated by our own engine. Whose verdicts are contradicted too often is
disabled, and all of them are removed; the games that had them are analysed again.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from archive.accounts.audit import note
from archive.accounts.roles import may_ask_analysis
from archive.analysis import queue
from archive.analysis.errors import AnalysisError
from archive.analysis.lines import line_of_game
from archive.analysis.usi_info import score_of
from archive.derive.chances import PONANZA, chance
from archive.derive.verdicts import LINE_MOVES, Line, NewVerdict, is_valid, legal_prefix
from archive.models import (
    AnalysisCheck,
    AnalysisClaim,
    AnalysisGame,
    AnalysisRequest,
    AnalysisVolunteer,
    AuditEvent,
    User,
    Verdict,
)
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from archive.analysis.queue import Work
    from archive.analysis.usi import SearchedPosition
    from archive.project.engine_file import EngineSetting
    from kifu_core.shogi.position import Position

TOLERANCE: Final = 0.4
"""Difference of winning chances, from -1 to 1, up to which two verdicts agree: builds of one engine differ a
little."""
MOST_WRONG: Final = 2
"""Contradicted verdicts after which a volunteer is disabled."""
MOST_CHECKS: Final = 1_000
"""Checks that wait; beyond them none is added."""


def volunteer_of(user: User) -> AnalysisVolunteer:
    """Return the row of a volunteer, which is new at first. Raises AnalysisError."""
    if not may_ask_analysis(user):
        raise AnalysisError("no-analysis-right")
    volunteer, _new = AnalysisVolunteer.objects.get_or_create(user=user)
    if volunteer.disabled is not None:
        raise AnalysisError("volunteer-disabled")
    return volunteer


def acquire(user: User, engine: str = "") -> Work | None:
    """Claim positions of public games for a volunteer with an engine of this name (empty: any); None if there
    are none. Raises AnalysisError."""
    volunteer = volunteer_of(user)
    if engine and queue.engines().by_name(engine) is None:
        raise AnalysisError("no-engine")
    AnalysisVolunteer.objects.filter(pk=volunteer.pk).update(seen=timezone.now())
    return queue.acquire([engine] if engine else None, user)


def submit(user: User, token: str, verdicts: Sequence[Mapping[str, Any]]) -> int:
    """Store verdicts on some of the positions of a claim, each with its `ply` (`read_verdict`); return how
    many were stored. Those on positions that are done are ignored. Raises AnalysisError; then nothing is
    stored."""
    volunteer = volunteer_of(user)
    claims = queue.claims_of(user, token)
    work = queue.work_of(claims) if claims else None
    if work is None:
        raise AnalysisError("claim-lost")
    read = {one["ply"]: read_verdict(work, one) for one in verdicts if one["ply"] in work.plies}
    stored = queue.complete(work, read, user)
    AnalysisVolunteer.objects.filter(pk=volunteer.pk).update(
        positions=F("positions") + len(stored), seen=timezone.now()
    )
    _add_checks(volunteer, claims, {ply: read[ply] for ply in stored}, work)
    return len(stored)


def abort(user: User, token: str) -> None:
    """Release a claim. Raises AnalysisError if it has ended."""
    if not queue.claims_of(user, token):
        raise AnalysisError("claim-lost")
    queue.abort(token)


# --- reading ---------------------------------------------------------------------------------------------


def read_verdict(work: Work, given: Mapping[str, Any]) -> NewVerdict:
    """Return a volunteer's verdict: `ply`, `nodes`, `depth`, and `lines`, each with `cp` or `mate` from the
    side to move, and `moves`. Raises AnalysisError if lines are illegal or too few, or nodes too few."""
    ply = given["ply"]
    searched = work.line.at(ply)
    position = searched.position()
    lines = read_lines(position, ply, given["lines"])
    if not min(work.lines, work.line.legal_moves(ply)) <= len(lines) <= work.lines:
        raise AnalysisError("bad-analysis", ply=ply, why=f"it should have {work.lines} lines")
    # A search that has found a mate may end early.
    if given["nodes"] < work.nodes and any(line.winner is None for line in lines):
        raise AnalysisError("bad-analysis", ply=ply, why=f"it should have {work.nodes} nodes")
    return NewVerdict(tuple(lines), work.nodes, given.get("depth", 0), history=bool(searched.moves))


def read_lines(position: Position, ply: int, given: Iterable[Mapping[str, Any]]) -> list[Line]:
    """Return lines with `cp` or `mate` from the side to move, and `moves`. Raises AnalysisError if they are
    illegal, or begin with the same move."""
    lines = [_line(position, ply, one) for one in given]
    if len({line.moves[0] for line in lines}) < len(lines):
        raise AnalysisError("bad-analysis", ply=ply, why="two lines begin with the same move")
    return lines


def _line(position: Position, ply: int, given: Mapping[str, Any]) -> Line:
    name = "mate" if given.get("mate") is not None else "cp"
    line = score_of([name, str(given.get(name))], position.turn)
    moves = tuple(given["moves"].split())
    legal = legal_prefix(position, moves)
    if line is None or not is_valid(line):
        raise AnalysisError("bad-analysis", ply=ply, why="a line has neither cp nor mate")
    if not legal or legal != moves[:LINE_MOVES]:
        raise AnalysisError("bad-analysis", ply=ply, why="a line has illegal moves")
    return line._replace(moves=legal)


# --- checks ----------------------------------------------------------------------------------------------


def _add_checks(
    volunteer: AnalysisVolunteer,
    claims: Sequence[AnalysisClaim],
    stored: Mapping[int, NewVerdict],
    work: Work,
) -> None:
    """Have a share of verdicts repeated; all of them after a first one that was wrong."""
    share = 1.0 if volunteer.failed else queue.engines().checked_share
    chosen = [ply for ply in stored if random.random() < share]
    if not chosen or AnalysisCheck.objects.count() >= MOST_CHECKS:
        return
    AnalysisCheck.objects.bulk_create(
        AnalysisCheck(
            volunteer=volunteer,
            engine=work.engine.name,
            game=claims[0].game.game,
            ply=ply,
            nodes=work.nodes,
            moves=[line.as_json() for line in stored[ply].lines],
        )
        for ply in chosen
    )


def next_check() -> tuple[AnalysisCheck, EngineSetting, SearchedPosition] | None:
    """Return the check that waits longest, with the engine and the position. Checks of games and engines that
    are gone are removed."""
    for check in AnalysisCheck.objects.select_related("volunteer__user").order_by("pk")[:MOST_CHECKS]:
        setting, line = queue.engines().by_name(check.engine), line_of_game(check.game, PUBLIC)
        if setting is not None and line is not None and check.ply < len(line.keys):
            return check, setting, line.at(check.ply)
        check.delete()
    return None


def judge(check: AnalysisCheck, ours: NewVerdict) -> bool:
    """Count a check, and disable its volunteer after `MOST_WRONG` contradictions; return whether the verdicts
    agree."""
    theirs = tuple(map(Line.from_json, check.moves))
    agree = _agree(theirs, ours.lines)
    with transaction.atomic():
        volunteer = (
            AnalysisVolunteer.objects.select_for_update().select_related("user").get(pk=check.volunteer_id)
        )
        if not AnalysisCheck.objects.filter(pk=check.pk).delete()[0]:
            return agree
        volunteer.checked += 1
        volunteer.failed += not agree
        volunteer.save(update_fields=["checked", "failed"])
        if volunteer.failed >= MOST_WRONG and volunteer.disabled is None:
            disable(volunteer)
    return agree


def _agree(theirs: Sequence[Line], ours: Sequence[Line]) -> bool:
    """Return whether the best lines have nearly the same winning chances; without any of ours, nothing can be
    said."""
    if not ours or not theirs:
        return True
    one, other = (chance(line.score, line.winner, PONANZA) for line in (theirs[0], ours[0]))
    return abs(one - other) <= TOLERANCE


def disable(volunteer: AnalysisVolunteer) -> None:
    """Take no more verdicts of a volunteer, remove the stored ones, and have their games analysed again."""
    with transaction.atomic():
        volunteer.disabled = timezone.now()
        volunteer.save(update_fields=["disabled"])
        AnalysisCheck.objects.filter(volunteer=volunteer).delete()
        AnalysisClaim.objects.filter(volunteer=volunteer.user).delete()
        removed, _rows = Verdict.objects.filter(by=volunteer.user).delete()
        games = AnalysisGame.objects.filter(
            state=AnalysisGame.State.DONE, finished__gte=volunteer.made, request__space=PUBLIC
        ).exclude(request__state=AnalysisRequest.State.CANCELLED)
        again = AnalysisRequest.objects.filter(
            pk__in=list(games.values_list("request", flat=True).distinct())
        )
        games.update(state=AnalysisGame.State.OPEN, finished=None)
        again.update(state=AnalysisRequest.State.OPEN, finished=None)
        note(
            AuditEvent.RIGHTS,
            volunteer.user,
            f"volunteer {volunteer.user_id}: disabled, {removed} verdicts removed",
        )
