"""Edits of all games of a search."""

from typing import Any, Final, TypeVar

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import account_of
from archive.api.bodies.batches import BatchActionBody, BatchBody, BatchPreviewBody
from archive.api.corrections import REFUSALS
from archive.api.endpoints import body, endpoint
from archive.api.operations import QUERIES, Example, Operation, merge_problems
from archive.api.searches import space_and_search_of
from archive.api.shapes import corrections as shapes
from archive.curation import batches
from archive.curation.batch_edits import BatchEdit
from archive.curation.tasks import enqueue_batch
from archive.models import CorrectionBatch
from archive.queries.scope import space_name

T = TypeVar("T")

_LISTED: Final = 100
_BODY: Final = {
    "search": "player=渡辺",
    "edit": {"kind": "replace", "header": "players", "old": "渡辺", "new": "渡邊"},
}


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.CorrectionBatches},
            text="List the latest edits of many games in the spaces in which the visitor may make some.",
            examples=(Example("Of a stranger", status=401),),
        ),
        "POST": Operation(
            {201: shapes.CorrectionBatchInfo},
            merge_problems(
                REFUSALS.problems(
                    "batch-edit", "reason-missing", "no-games", "too-many-games", "no-curator",
                    "too-many-batches",
                ),
                QUERIES,
            ),
            BatchBody,
            text="Correct all games of a search. `GET corrections/batches/{id}` tells how far it is.",
            examples=(Example("Of a stranger", body={**_BODY, "reason": "将棋年鑑"}, status=401),),
        ),
    },
)  # fmt: skip
def listed(request: Request) -> Response:
    """List edits of many games; POST starts one."""
    user = account_of(request)
    if request.method == "POST":
        fields = body(BatchBody, request)
        space, filters, edit = _batch_request(request, fields)
        batch = REFUSALS.run(lambda: batches.create(user, space, filters, edit, fields["reason"]))
        enqueue_batch(batch.pk)
        return Response(_info(request, batch), status=201)
    rows = batches.shown(user).order_by("-pk")[:_LISTED]
    return Response(shapes.CorrectionBatches([_info(request, row) for row in rows]))


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.CorrectionBatchPreview},
        merge_problems(REFUSALS.problems("batch-edit", "no-curator", "too-many-games"), QUERIES),
        BatchPreviewBody,
        examples=(Example("Of a stranger", body=_BODY, status=401),),
    ),
)
def preview(request: Request) -> Response:
    """Return what an edit of all games of a search would do to the first 200 of them."""
    user = account_of(request)
    space, filters, edit = _batch_request(request, body(BatchPreviewBody, request))
    shown = REFUSALS.run(lambda: batches.preview(user, space, filters, edit))
    fitting = [shapes.PreviewedGame(one.game, [dict(op) for op in one.operations]) for one in shown.fitting]
    return Response(shapes.CorrectionBatchPreview(shown.games, fitting, shown.others))


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.CorrectionBatchInfo},
            text="Return an edit of many games, and how far it is.",
            examples=(Example("Of none", {"batch_id": 1}, status=404),),
        ),
        "POST": Operation(
            {200: shapes.CorrectionBatchInfo},
            REFUSALS.problems("no-curator", "batch-unfinished"),
            BatchActionBody,
            text="Undo an edit of many games.",
            examples=(Example("Of none", {"batch_id": 1}, body={"action": "undo"}, status=404),),
        ),
    },
)
def detail(request: Request, batch_id: int) -> Response:
    """Return an edit of many games; POST undoes it."""
    row = batches.shown(request.user).filter(pk=batch_id).first()
    if row is None:
        raise Http404
    if request.method == "POST":
        body(BatchActionBody, request)
        user, shown = account_of(request), row
        row = REFUSALS.run(lambda: batches.undo(user, shown))
        enqueue_batch(row.pk)
    return Response(_info(request, row))


def _batch_request(request: Request, fields: dict[str, Any]) -> tuple[int, dict[str, Any], BatchEdit]:
    """Return space, search and edit of a body."""
    space, filters = space_and_search_of(request, fields)
    return space, filters, REFUSALS.run(lambda: BatchEdit.of(fields["edit"]))


def _info(request: Request, row: CorrectionBatch) -> shapes.CorrectionBatchInfo:
    return shapes.CorrectionBatchInfo(
        id=row.pk,
        url=reverse("api:batch", [row.pk], request=request),
        space=space_name(request, row.space),
        state=row.state,
        filters=row.filters,
        edit=shapes.BatchEditInfo(**row.edit),
        reason=row.reason,
        author=row.author_name,
        made=row.made,
        games=len(row.games),
        done=row.done,
        corrected=row.corrections.count(),
    )
