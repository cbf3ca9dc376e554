"""Requests for analyses: of a game, of the games of a search, of new games; and what becomes of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from archive.accounts.audit import note
from archive.accounts.roles import may_ask_analysis, may_curate, may_read_private
from archive.analysis.errors import OPEN_REQUESTS, AnalysisError
from archive.analysis.queue import engines, finish_request
from archive.models import AnalysisGame, AnalysisRequest, AuditEvent, Game, Membership, User
from archive.queries.games.changes import changes_after, last_change
from archive.queries.games.filters import GameFilters, stored_filters
from archive.queries.games.keyset import InvalidCursorError
from archive.queries.games.listing import games_after
from archive.queries.scope import PUBLIC as PUBLIC_SCOPE
from archive.queries.scope import Scope
from archive.queries.search.errors import QueryError
from kifu_core.classes import PUBLIC
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from archive.accounts.roles import AnyUser
    from archive.project.engine_file import EngineSetting

log = logging.getLogger(__name__)

LISTED: Final = 100
"""Games of a search that are listed at once, and changes of the archive that are examined at once."""
REFILL_BELOW: Final = 50
"""The number of open games of a search below which its next games are listed."""
RETENTION: Final = timedelta(days=30)
"""The time after which finished requests, and finished games of the rule, are deleted."""
DAY: Final = timedelta(days=1)

State = AnalysisRequest.State
Priority = AnalysisRequest.Priority


@dataclass(frozen=True)
class SearchOptions:
    """The engine of a request, and its nodes and lines of each position; empty values are those of the
    settings."""

    engine: str = ""
    nodes: int = 0
    lines: int = 0


def may_analyse(user: AnyUser, space: int) -> bool:
    """Return whether a user may have single games of a space analysed."""
    return may_ask_analysis(user) and (space == PUBLIC or _is_member(user, space))


def may_analyse_lists(user: AnyUser, space: int) -> bool:
    """Return whether a user may have all games of a search in a space analysed."""
    return may_analyse(user, space) and (space != PUBLIC or may_curate(user))


def _is_member(user: AnyUser, space: int) -> bool:
    return may_read_private(user) and Membership.objects.filter(space=space, user=user.pk).exists()


def request_game(user: User, game: Game, options: SearchOptions) -> AnalysisRequest:
    """Store a request for a game, before all lists; return an open one that is equal, if there is one. Raises
    AnalysisError."""
    if not may_analyse(user, game.space):
        raise AnalysisError("no-analysis-right")
    if game.kind != SHOGI.name:
        raise AnalysisError("not-analysable")
    columns = _columns(options)
    same = AnalysisRequest.objects.filter(
        **columns, user=user, state=State.OPEN, filters__isnull=True, games__game=game.pk
    )
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if (other := same.first()) is not None:
            return other
        _check_open(user)
        if not remaining_games(user):
            raise AnalysisError("analysis-quota", games=engines().games_a_day)
        request = AnalysisRequest.objects.create(
            **columns, user=user, space=game.space, priority=Priority.PERSON, title=str(game.pk)
        )
        AnalysisGame.objects.create(request=request, game=game.pk)
        note(AuditEvent.ANALYSE, user, f"request {request.pk}: game {game.pk}")
    return request


def request_search(
    user: User, space: int, filters: Mapping[str, Any], title: str, options: SearchOptions
) -> AnalysisRequest:
    """Store a request for the games of a search in a space; `filters` are by `stored_parameters`. They are
    listed as the work goes on. Raises AnalysisError and QueryError."""
    if not may_analyse_lists(user, space):
        raise AnalysisError("no-analysis-right")
    columns = _columns(options)
    games_after(_scope(space, filters), stored_filters(dict(filters)), 0, 1)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        _check_open(user)
        request = AnalysisRequest.objects.create(
            **columns,
            user=user,
            space=space,
            priority=Priority.LIST,
            title=title,
            filters=dict(filters),
            after=0,
        )
        note(AuditEvent.ANALYSE, user, f"request {request.pk}: search")
    return request


def _columns(options: SearchOptions) -> dict[str, Any]:
    setting = _setting(options)
    nodes, lines = options.nodes or setting.nodes, options.lines or 1
    if nodes > setting.most_nodes:
        raise AnalysisError("too-many-nodes", nodes=setting.most_nodes)
    if lines > setting.lines:
        raise AnalysisError("too-many-lines", lines=setting.lines)
    return {"engine": setting.name, "nodes": nodes, "lines": lines}


def _setting(options: SearchOptions) -> EngineSetting:
    file = engines()
    setting = file.by_name(options.engine) if options.engine else file.default
    if setting is None:
        raise AnalysisError("no-engine")
    return setting


def _check_open(user: User) -> None:
    if AnalysisRequest.objects.filter(user=user, state=State.OPEN).count() >= OPEN_REQUESTS:
        raise AnalysisError("too-many-analyses")


def remaining_games(user: User | None) -> int:
    """Return how many more games an account may have analysed today."""
    if user is None:
        return 0
    if may_curate(user):
        return LISTED
    recent = AnalysisGame.objects.filter(request__user=user, made__gt=timezone.now() - DAY)
    return max(0, engines().games_a_day - recent.count())


def requests_in(spaces: Iterable[int]) -> QuerySet[AnalysisRequest]:
    """Return the requests in some spaces with their accounts."""
    return AnalysisRequest.objects.filter(space__in=[*spaces]).select_related("user")


def may_cancel(user: AnyUser, request: AnalysisRequest) -> bool:
    """Return whether a user may cancel an open request: one's own, or as a curator any public one."""
    own = isinstance(user, User) and request.user_id == user.pk and may_ask_analysis(user)
    return request.state == State.OPEN and (own or (request.space == PUBLIC and may_curate(user)))


def cancel(user: User, request: AnalysisRequest) -> None:
    """Cancel an open request; verdicts that are stored stay. Raises AnalysisError."""
    if not may_cancel(user, request):
        raise AnalysisError("no-analysis" if request.state != State.OPEN else "no-analysis-right")
    with transaction.atomic():
        _end(AnalysisRequest.objects.filter(pk=request.pk), State.CANCELLED)
        note(AuditEvent.ANALYSE, user, f"request {request.pk}: cancelled")
    request.refresh_from_db()


# --- listing games ---------------------------------------------------------------------------------------


def maintain() -> None:
    """List games of requests that have few open ones, follow the rule of new games, forget old requests."""
    _follow_rule()
    for request in AnalysisRequest.objects.filter(state=State.OPEN, after__isnull=False).order_by("pk"):
        if request.games.filter(state=AnalysisGame.State.OPEN)[:REFILL_BELOW].count() < REFILL_BELOW:
            _list_new(request) if request.priority == Priority.RULE else _list_search(request)
    old = timezone.now() - RETENTION
    AnalysisRequest.objects.filter(finished__lt=old).exclude(state=State.OPEN).delete()
    AnalysisGame.objects.filter(request__priority=Priority.RULE, finished__lt=old).delete()


def _list_search(request: AnalysisRequest) -> None:
    if request.user is None or not may_analyse_lists(request.user, request.space):
        _end(AnalysisRequest.objects.filter(pk=request.pk), State.CANCELLED)
        return
    if not (most := min(LISTED, remaining_games(request.user))):
        return
    try:
        rows, after = games_after(*_search_of(request), request.after or 0, most)
    except QueryError as error:
        # The search takes too long now; the next run tries it again.
        log.warning("the games of request %d are listed later: %s", request.pk, error)
        return
    _add(request, [row.id for row in rows if row.kind == SHOGI.name], after)


def _search_of(request: AnalysisRequest) -> tuple[Scope, GameFilters]:
    filters = request.filters or {}
    return _scope(request.space, filters), stored_filters(filters)


def _scope(space: int, filters: Mapping[str, Any]) -> Scope:
    """Return the scope of a search: the games of one space, also those of a collection that is elsewhere. Who
    made the request could read that."""
    collection = str(filters.get("collection") or "")
    return Scope((space,), (int(collection),) if collection.isdecimal() else ())


def _end(requests: QuerySet[AnalysisRequest], state: State) -> None:
    requests.filter(state=State.OPEN).update(state=state, finished=timezone.now())


def _list_new(request: AnalysisRequest) -> None:
    try:
        page = changes_after(PUBLIC_SCOPE, request.after or 0, LISTED)
    except InvalidCursorError:  # the archive was restored, and numbers its changes anew
        _add(request, [], last_change())
        return
    new = [one.id for one in page.games if one.change != "gone"]
    rows = Game.objects.filter(pk__in=new, kind=SHOGI.name, space=PUBLIC)
    _add(request, sorted(rows.values_list("pk", flat=True)), page.last)


def _add(request: AnalysisRequest, games: list[int], after: int | None) -> None:
    with transaction.atomic():
        still = AnalysisRequest.objects.select_for_update().filter(pk=request.pk, after=request.after)
        if not still.exists():
            return
        rows = [AnalysisGame(request=request, game=pk) for pk in games]
        # A game that has changed is looked at again.
        AnalysisGame.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["request", "game"], update_fields=["state"]
        )
        AnalysisRequest.objects.filter(pk=request.pk).update(after=after)
    if after is None:
        finish_request(request)


def _follow_rule() -> None:
    """Open, or cancel, the request of new games, as the settings say."""
    file = engines()
    opened = AnalysisRequest.objects.filter(priority=Priority.RULE, state=State.OPEN)
    setting = file.default if file.new_public_games else None
    if setting is None:
        _end(opened, State.CANCELLED)
    elif not opened.filter(engine=setting.name, nodes=setting.nodes).exists():
        _end(opened, State.CANCELLED)
        AnalysisRequest.objects.create(
            engine=setting.name,
            nodes=setting.nodes,
            priority=Priority.RULE,
            title="",
            after=last_change(),
        )
