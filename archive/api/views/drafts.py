"""The drafts of the visitor's account."""

from typing import Any, Final

from django.http import Http404
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import owner_of
from archive.api.bodies.drafts import DraftBody, NewDraftBody, SavedDraftBody
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.operations import READING, Example, Operation, merge_problems
from archive.api.shapes.drafts import DraftInfo, DraftRecord, Drafts, SavedDraft
from archive.api.views.libraries import target_of
from archive.derive.issues import as_json, as_stored
from archive.drafts import own_drafts, saving
from archive.drafts.errors import TEXTS, DraftError
from archive.http.limits.text_limits import limited_reading
from archive.http.limits.throttling import charge_uploads, games_counter
from archive.intake.permissions import may_upload
from archive.models import Draft, User, codec
from archive.queries.scope import read_private

_RECORD: Final = {
    "header": {"先手": "甲"},
    "moves": [{}, {"move": {"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}}}],
}
_STATUSES: Final = {"too-many-drafts": 409, "draft-changed": 412}
_STRANGERS: Final = Example("Of a stranger", {"draft_id": 1}, status=401)


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: Drafts},
            text="List the drafts of the account.",
            examples=(Example("Of a stranger", status=401),),
        ),
        "POST": Operation(
            {201: DraftRecord},
            merge_problems(READING, {409: ("too-many-drafts",)}),
            NewDraftBody,
            text="Store a record as a new draft.",
            examples=(Example("Of a stranger", body={"record": _RECORD}, status=401),),
        ),
    },
)
def drafts(request: Request) -> Response:
    """List the drafts of the account; POST stores a new one."""
    user = _owner(request)
    if request.method != "POST":
        return Response(Drafts([DraftInfo(**_info(request, one)) for one in own_drafts.own_drafts(user)]))
    fields = body(NewDraftBody, request)
    record = own_drafts.read_record(fields["record"])
    try:
        draft = own_drafts.create_draft(user, record, fields.get("game_id"))
    except DraftError as error:
        raise _problem_of(error) from error
    return Response(_with_record(request, draft), status=201)


@endpoint(
    "GET",
    "PUT",
    "DELETE",
    operation={
        "GET": Operation({200: DraftRecord}, text="Return a draft.", examples=(_STRANGERS,)),
        "PUT": Operation(
            {200: DraftInfo},
            merge_problems(READING, {412: ("draft-changed",)}),
            DraftBody,
            text="Replace the record of a draft, if `version` is its present version.",
            examples=(
                Example("Of a stranger", {"draft_id": 1}, body={"record": _RECORD, "version": 1}, status=401),
            ),
        ),
        "DELETE": Operation({204: None}, text="Remove a draft. Games as which it was saved stay."),
    },
)
def draft(request: Request, draft_id: int) -> Response:
    """Return a draft; PUT replaces its record, DELETE removes it."""
    user = _owner(request)
    if request.method == "DELETE":
        if not own_drafts.remove_draft(user, draft_id):
            raise Http404
        return Response(status=204)
    if request.method == "PUT":
        fields = body(DraftBody, request)
        _replace(user, draft_id, fields)
        return Response(DraftInfo(**_info(request, _own(user, draft_id))))
    return Response(_with_record(request, _own(user, draft_id)))


def _replace(user: User, draft_id: int, fields: dict[str, Any]) -> None:
    record = own_drafts.read_record(fields["record"])
    try:
        if not own_drafts.replace_draft(user, draft_id, record, fields["version"]):
            raise Http404
    except DraftError as error:
        raise _problem_of(error) from error


@endpoint(
    "POST",
    operation=Operation(
        {200: SavedDraft, 202: SavedDraft},
        merge_problems(READING, {400: ("unknown-space", "wrong-moves")}),
        SavedDraftBody,
        examples=(Example("Of a stranger", {"draft_id": 1}, body={"space": "mine"}, status=401),),
    ),
)
def save(request: Request, draft_id: int) -> Response:
    """Send the record of a draft to a space, as an upload; 202 if it is new, 200 if the space had it.

    Moves that break the rules are errors with their ply.
    """
    user = _owner(request)
    if not may_upload(request):
        raise PermissionDenied("this account, or this token, is not for uploads")
    fields, own = body(SavedDraftBody, request), _own(user, draft_id)
    space = target_of(user, fields["space"])
    with limited_reading():
        data, errors = saving.file_of(own)
    if errors:
        raise ApiError(
            "wrong-moves",
            "some moves break the rules",
            errors=[as_json(as_stored(error)) for error in errors],
        )
    charge_uploads(request, user, 1)
    upload, created = saving.save(user, own, data, space, games_counter(request, user))
    answer = SavedDraft(
        upload_id=upload.pk,
        upload_url=reverse("api:upload", [upload.pk], request=request),
        replaced_upload_id=own.upload if own.upload != upload.pk else None,
    )
    return Response(answer, status=202 if created else 200)


def _owner(request: Request) -> User:
    user = owner_of(request)
    read_private(request._request)
    return user


def _own(user: User, draft_id: int) -> Draft:
    draft = Draft.objects.filter(pk=draft_id, user=user).first()
    if draft is None:
        raise Http404
    return draft


def _problem_of(error: DraftError) -> ApiError:
    return ApiError(error.code, TEXTS[error.code], _STATUSES[error.code])


def _info(request: Request, draft: Draft) -> dict[str, Any]:
    return {
        "id": draft.pk,
        "url": reverse("api:draft", [draft.pk], request=request),
        "title": draft.title,
        "game_id": draft.game,
        "upload_id": draft.upload,
        "version": draft.version,
        "changed": draft.changed,
    }


def _with_record(request: Request, draft: Draft) -> DraftRecord:
    return DraftRecord(**_info(request, draft), record=dict(codec.unpack(draft.record)))
