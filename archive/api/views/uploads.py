"""Uploads: send records, follow their reading, download the bytes."""

from collections.abc import Iterable
from typing import Any, TypeVar
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponseBase, StreamingHttpResponse
from msgspec import UNSET, convert
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive import store
from archive.accounts.audit import note_upload_deleted
from archive.api.bodies.records import UploadBody
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.findings import stored_issue
from archive.api.operations import CURSORS, Example, Operation
from archive.api.pagination import PAGE, cursor_number, limit_of, next_url, total_info
from archive.api.serializers import UploadsQuery
from archive.api.shapes import uploads as shapes
from archive.api.views.libraries import target_of
from archive.http.limits.throttling import charge_uploads, games_counter
from archive.intake import uploads
from archive.intake.permissions import (
    comes_from_elsewhere,
    deletable,
    may_delete,
    may_upload,
    sender_key,
    session_key,
)
from archive.intake.walk import clean_name
from archive.models import Upload
from archive.queries.games.taken_down import check_bytes, has_hidden, hide_names, upload_shown
from archive.queries.games.upload_progress import (
    counts_of_uploads,
    entry_counts,
    number_of_uploads,
    uploads_of,
)
from archive.queries.scope import readable_scope, reads, space_name

Info = TypeVar("Info", bound=shapes.UploadListed)


@endpoint(
    "GET",
    "POST",
    query={"GET": UploadsQuery},
    operation={
        "GET": Operation(
            {200: shapes.UploadsPage},
            {400: CURSORS},
            text="List the uploads of the account, or of this session if there is no account, newest first.",
            examples=(Example("Of a stranger"),),
        ),
        "POST": Operation(
            {200: shapes.ReceivedUploads, 202: shapes.ReceivedUploads},
            {400: ("nothing-to-upload", "empty", "unknown-space"), 413: ("too-large",)},
            UploadBody,
            examples=(
                Example(
                    "A text", body={"text": "手合割：平手\n   1 ２六歩(27)\n", "name": "a.kif"}, status=202
                ),
                Example("A space that is not there", body={"text": "x", "space": "group-99"}, status=400),
            ),
        ),
    },
)
def own(request: Request, query: dict[str, Any] | None = None) -> Response:
    """Store one upload per `file`, or one for `text`; 202 if any of them is new.

    A refused file does not affect the others; if all are refused, the error of the first is the answer. GET
    lists earlier uploads.
    """
    return _create(request) if query is None else _own(request, query)


def _own(request: Request, query: dict[str, Any]) -> Response:
    scope, limit = readable_scope(request), limit_of(query, PAGE, PAGE)
    sender = (request.user.pk, session_key(request))
    sent = uploads_of(scope, *sender, cursor_number(query), limit + 1)
    shown = sent[:limit]
    hide_names(request, shown)
    counts, may = counts_of_uploads(scope, [one.pk for one in shown]), deletable(request, shown)
    return Response(
        shapes.UploadsPage(
            total=total_info(number_of_uploads(scope, *sender)),
            results=[
                _upload_info(shapes.UploadListed, one, counts[one.pk], request, deletable=one.pk in may)
                for one in shown
            ],
            next_url=next_url(request, str(shown[-1].pk) if len(sent) > limit else None),
        )
    )


def _upload_info(
    kind: type[Info], upload: Upload, counts: dict[str, int], request: Request, **members: Any
) -> Info:
    return kind(
        id=upload.pk,
        url=reverse("api:upload", [upload.pk], request=request),
        name=upload.name,
        size=upload.size,
        sha256=upload.sha256,
        received=upload.received,
        finished=upload.finished,
        state=upload.state,
        space=space_name(request, upload.space),
        reason=stored_issue(upload.reason) if upload.reason else None,
        entries=convert(counts, shapes.EntryCounts),
        **members,
    )


def _create(request: Request) -> Response:
    if not may_upload(request):
        if request.user.is_authenticated:
            raise PermissionDenied("this account, or this token, is not for uploads")
        raise NotAuthenticated("sign in to upload; this archive takes no anonymous uploads from here")
    parts, sent_space = _parts(request)
    space = target_of(request.user, sent_space)
    charge_uploads(request, request.user, len(parts))
    received, refused = [], []
    for name, chunks in parts:
        try:
            received.append(_receive(name, chunks, request, space))
        except ApiError as error:
            refused.append((name, error))
    if not received:
        raise refused[0][1]
    # The space has the name that was sent, since a token for uploads alone cannot read libraries.
    answer = shapes.ReceivedUploads(
        [_received(upload, created, sent_space or "public", request) for upload, created in received],
        [shapes.RefusedFile(clean_name(name), error.code, str(error.detail)) for name, error in refused]
        or UNSET,
    )
    return Response(answer, status=202 if any(created for _, created in received) else 200)


def _parts(request: Request) -> tuple[list[tuple[str, Iterable[bytes]]], str]:
    fields = body(UploadBody, request, several=["file"])
    files, space = request.FILES.getlist("file"), fields.get("space", "")
    if files:
        return [(file.name or "", file.chunks()) for file in files], space
    text = fields.get("text")
    if not text:
        raise ApiError("nothing-to-upload", "send one or more files as `file`, or a record as `text`")
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > settings.ARCHIVE_MAX_TEXT_BYTES:
        raise ApiError("too-large", f"a text has at most {settings.ARCHIVE_MAX_TEXT_BYTES} bytes", 413)
    return [(fields.get("name") or "text", [data])], space


def _receive(name: str, chunks: Iterable[bytes], request: Request, space: int) -> tuple[Upload, bool]:
    try:
        sender, counter = sender_key(request), games_counter(request, request.user)
        return uploads.receive(name, chunks, request.user, "api", sender, space, counter)
    except store.UploadTooLarge as error:
        raise ApiError("too-large", f"a file has at most {error} bytes", 413) from error
    except store.UploadEmpty as error:
        raise ApiError("empty", "the file is empty") from error


def _received(upload: Upload, created: bool, space: str, request: Request) -> shapes.ReceivedUpload:
    return shapes.ReceivedUpload(
        id=upload.pk,
        state=upload.state,
        space=space,
        url=reverse("api:upload", [upload.pk], request=request),
        duplicate=not created,
    )


@endpoint(
    "GET",
    "DELETE",
    operation={
        "GET": Operation(
            {200: shapes.UploadInfo},
            text="Return the state and the counts of an upload.",
            examples=(
                Example("An upload", {"pk": 1}),
                Example("One that is not there", {"pk": 99999}, status=404),
            ),
        ),
        "DELETE": Operation(
            {202: None, 204: None},
            text="Delete an upload: 204 if it is gone, 202 while a worker continues.",
        ),
    },
)
def detail(request: Request, pk: int) -> Response:
    """Return the state and the counts of an upload; DELETE deletes it."""
    if request.method == "DELETE":
        return _delete(request, pk)
    upload = upload_shown(request, pk)
    hide_names(request, [upload])
    counts = entry_counts(readable_scope(request), upload.pk)
    return Response(
        _upload_info(
            shapes.UploadInfo,
            upload,
            counts,
            request,
            deletable=may_delete(request, upload),
            paths=upload.paths or [],
            expected=upload.expected,
            moving_to=None if upload.moving_to is None else space_name(request, upload.moving_to),
            hidden=has_hidden(upload),
            entries_url=reverse("api:upload-entries", [pk], request=request),
            source_url=reverse("api:upload-source", [pk], request=request),
        )
    )


def _delete(request: Request, pk: int) -> Response:
    """Delete an upload: 204 if it is gone, 202 while a worker continues, also for a repeated request."""
    upload = Upload.objects.filter(pk=pk).first()
    # A session without an account has no CSRF token.
    foreign = not request.user.is_authenticated and comes_from_elsewhere(request)
    if upload is None or foreign or not reads(request, upload.space) or not may_delete(request, upload):
        upload_shown(request, pk)
        if not request.user.is_authenticated:
            raise NotAuthenticated("sign in to delete an upload")
        raise PermissionDenied("an upload is deleted by who sent it, or by who has the right to")
    note_upload_deleted(request.user, pk)
    return Response(status=204 if uploads.withdraw(pk) else 202)


@endpoint(
    "GET",
    types=["application/octet-stream"],
    operation=Operation({200: None}, examples=(Example("The bytes as they came", {"pk": 1}),)),
)
def source(request: Request, pk: int) -> HttpResponseBase:
    """Send the bytes as they were received."""
    upload = upload_shown(request, pk)
    check_bytes(request, upload)
    return source_response(upload)


def source_response(upload: Upload) -> StreamingHttpResponse:
    """Return an upload's bytes as a download, which browsers never display, whatever the bytes are."""
    response = StreamingHttpResponse(upload.stream(), content_type="application/octet-stream")
    response["Content-Length"] = str(upload.size)
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(upload.name, safe='')}"
    return response
