"""Requests for analyses, and the work of volunteers."""

from typing import Any, Final

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.analysis import own_verdicts, progress, queue, requests, volunteers
from archive.analysis.errors import AnalysisError
from archive.analysis.progress import Progress
from archive.analysis.queue import Work
from archive.analysis.requests import SearchOptions
from archive.analysis.tasks import begin
from archive.api.accounts import account_of
from archive.api.bodies.analyses import (
    AnalysisBody,
    MadeAnalysisBody,
    OwnVerdictBody,
    WantedAnalysisBody,
    WorkBody,
)
from archive.api.endpoints import body, endpoint
from archive.api.errors import query_error
from archive.api.operations import POSITIONS, QUERIES, Example, Operation, merge_problems
from archive.api.positions import shogi_position
from archive.api.refusals import Refusals
from archive.api.searches import space_and_search_of
from archive.api.shapes import analyses as shapes
from archive.models import AnalysisRequest
from archive.queries.collections import collection_shown
from archive.queries.games.taken_down import game_shown
from archive.queries.scope import readable_spaces, space_name
from archive.queries.search.errors import QueryError
from kifu_core.games import SHOGI

_REFUSALS: Final = Refusals(
    AnalysisError,
    {
        "no-engine": 404,
        "no-analysis-right": 403,
        "too-many-nodes": 400,
        "too-many-lines": 400,
        "not-analysable": 409,
        "too-many-analyses": 409,
        "analysis-quota": 409,
        "no-analysis": 409,
        "volunteer-disabled": 403,
        "claim-lost": 409,
        "bad-analysis": 400,
        "too-many-verdicts": 409,
    },
    {"too-many-nodes": "nodes", "too-many-lines": "lines", "no-engine": "engine", "bad-analysis": "verdicts"},
)
_WANTED: Final = ("no-engine", "no-analysis-right", "too-many-nodes", "too-many-lines", "too-many-analyses")


def _search_options(fields: dict[str, Any]) -> SearchOptions:
    return SearchOptions(fields["engine"], fields.get("nodes", 0), fields.get("lines", 0))


# --- requests --------------------------------------------------------------------------------------------


@endpoint(
    "POST",
    operation=Operation(
        {201: shapes.AnalysisRequestInfo},
        _REFUSALS.problems(*_WANTED, "not-analysable", "analysis-quota"),
        WantedAnalysisBody,
        examples=(Example("Of a stranger", {"pk": 1}, body={}, status=401),),
    ),
)
def of_game(request: Request, pk: int) -> Response:
    """Have a game analysed, before all lists; an equal open request is the same one."""
    user, fields = account_of(request), body(WantedAnalysisBody, request)
    game = game_shown(request._request, pk, record=False)
    if game is None:
        raise Http404
    made = _REFUSALS.run(lambda: requests.request_game(user, game, _search_options(fields)))
    begin()
    return Response(_info(request, progress.of(made)), status=201)


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.AnalysisRequests},
            text="List the requests of the spaces that the visitor reads, open ones first.",
            examples=(Example("Without any"),),
        ),
        "POST": Operation(
            {201: shapes.AnalysisRequestInfo},
            merge_problems(_REFUSALS.problems(*_WANTED), QUERIES),
            AnalysisBody,
            text="Have the games of a search, or of a collection, analysed.",
            examples=(Example("Of a stranger", body={"search": "player=大橋宗銀"}, status=401),),
        ),
    },
)
def listed(request: Request) -> Response:
    """List requests for analyses; POST makes one."""
    if request.method == "POST":
        user, fields = account_of(request), body(AnalysisBody, request)
        space, filters = space_and_search_of(request, fields)
        if collection := filters.get("collection"):
            collection_shown(request._request, int(collection))
        try:
            made = _REFUSALS.run(
                lambda: requests.request_search(
                    user, space, filters, fields["search"], _search_options(fields)
                )
            )
        except QueryError as error:
            raise query_error(error, "search") from error
        begin()
        return Response(_info(request, progress.of(made)), status=201)
    return Response(
        shapes.AnalysisRequests(
            [_info(request, one) for one in progress.listed(readable_spaces(request._request).values())]
        )
    )


@endpoint(
    "GET",
    "DELETE",
    operation={
        "GET": Operation(
            {200: shapes.AnalysisRequestInfo},
            text="Return a request for an analysis, and how far it is.",
            examples=(Example("Of none", {"analysis_id": 1}, status=404),),
        ),
        "DELETE": Operation(
            {204: None},
            _REFUSALS.problems("no-analysis", "no-analysis-right"),
            text="Cancel a request; verdicts that are stored stay.",
            examples=(Example("Of none", {"analysis_id": 1}, status=404),),
        ),
    },
)
def detail(request: Request, analysis_id: int) -> Response:
    """Return a request for an analysis; DELETE cancels it."""
    row = requests.requests_in(readable_spaces(request._request).values()).filter(pk=analysis_id).first()
    if row is None:
        raise Http404
    if request.method == "DELETE":
        user, shown = account_of(request), row
        _REFUSALS.run(lambda: requests.cancel(user, shown))
        return Response(status=204)
    return Response(_info(request, progress.of(row)))


def _info(request: Request, one: Progress) -> shapes.AnalysisRequestInfo:
    row: AnalysisRequest = one.request
    return shapes.AnalysisRequestInfo(
        id=row.pk,
        url=reverse("api:analysis", [row.pk], request=request),
        title=row.title,
        space=space_name(request._request, row.space),
        user=row.user.username if row.user and progress.sees_account(request.user, row) else None,
        engine=row.engine,
        nodes=row.nodes,
        lines=row.lines,
        state=row.state,
        urgency=AnalysisRequest.Priority(row.priority).name.lower(),
        games=one.games,
        games_done=one.games_done,
        complete=row.after is None,
        remaining=one.remaining,
        ahead=one.ahead,
        may_cancel=requests.may_cancel(request.user, row),
        made=row.made,
        finished=row.finished,
    )


# --- volunteers ------------------------------------------------------------------------------------------

_CLAIM: Final = "0" * 32


@endpoint(
    "POST",
    operation=Operation(
        {202: shapes.AnalysisWork, 204: None},
        _REFUSALS.problems("no-engine", "no-analysis-right", "volunteer-disabled"),
        WorkBody,
        examples=(Example("Of a stranger", body={}, status=401),),
    ),
)
def acquire(request: Request) -> Response:
    """Claim positions of public games to analyse; 204 if there are none."""
    user, fields = account_of(request), body(WorkBody, request)
    work = _REFUSALS.run(lambda: volunteers.acquire(user, fields["engine"]))
    return Response(status=204) if work is None else Response(_work(work), status=202)


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.StoredAnalysis},
        _REFUSALS.problems("no-analysis-right", "volunteer-disabled", "claim-lost", "bad-analysis"),
        MadeAnalysisBody,
        examples=(Example("Of a stranger", {"claim": _CLAIM}, body={"verdicts": []}, status=401),),
    ),
)
def submit(request: Request, claim: str) -> Response:
    """Store verdicts on positions that one has claimed, whole or in part."""
    user, fields = account_of(request), body(MadeAnalysisBody, request)
    stored = _REFUSALS.run(lambda: volunteers.submit(user, claim, fields["verdicts"]))
    more = fields["more"] and not queue.claims_of(user, claim)
    work = _REFUSALS.run(lambda: volunteers.acquire(user)) if more else None
    return Response(shapes.StoredAnalysis(stored, None if work is None else _work(work)))


@endpoint(
    "POST",
    operation=Operation(
        {204: None},
        _REFUSALS.problems("claim-lost"),
        examples=(Example("Of a stranger", {"claim": _CLAIM}, status=401),),
    ),
)
def abort(request: Request, claim: str) -> Response:
    """Give the positions of a claim back."""
    user = account_of(request)
    _REFUSALS.run(lambda: volunteers.abort(user, claim))
    return Response(status=204)


def _work(work: Work) -> shapes.AnalysisWork:
    engine = work.engine
    return shapes.AnalysisWork(
        id=work.token,
        engine=shapes.WorkEngine(
            name=engine.name,
            version=engine.version,
            network=engine.network,
            options=dict(engine.options),
            hash_mb=engine.hash_mb,
            threads=engine.threads,
        ),
        position=work.line.start,
        moves=list(work.line.moves[: work.plies[-1]]),
        plies=list(work.plies),
        nodes=work.nodes,
        lines=work.lines,
        seconds=int(queue.LEASE.total_seconds()),
    )


# --- own verdicts ----------------------------------------------------------------------------------------


@endpoint(
    "POST",
    operation=Operation(
        {204: None},
        merge_problems(
            POSITIONS, _REFUSALS.problems("no-analysis-right", "too-many-verdicts", "bad-analysis")
        ),
        OwnVerdictBody,
        examples=(
            Example(
                "Of a stranger",
                body={
                    "position": SHOGI.codec.encode(SHOGI.rules.initial()),
                    "engine": "An engine",
                    "nodes": 1000,
                    "lines": [{"cp": 30, "moves": "7g7f 3c3d"}],
                },
                status=401,
            ),
        ),
    ),
)
def own(request: Request) -> Response:
    """Store the verdict of an engine of one's own in one's library, such as the one in the browser."""
    user, fields = account_of(request), body(OwnVerdictBody, request)
    position = shogi_position(fields["position"])
    _REFUSALS.run(lambda: own_verdicts.save(user, position, fields))
    return Response(status=204)
