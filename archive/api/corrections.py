"""Corrections as JSON, and the problems that refuse them."""

from collections.abc import Iterable
from typing import Final

from rest_framework.request import Request
from rest_framework.reverse import reverse

from archive.api.refusals import Refusals
from archive.api.shapes import corrections as shapes
from archive.curation.errors import CurationError
from archive.curation.masks import mask_correction
from archive.curation.policy import Subject, possible_actions
from archive.models import Correction, CorrectionEvent, User
from archive.queries.scope import space_name

REFUSALS: Final = Refusals(
    CurationError,
    {
        "no-right": 403,
        "no-curator": 403,
        "reason-missing": 400,
        "unreadable-record": 400,
        "unplayable": 400,
        "nothing-changed": 400,
        "malformed": 400,
        "no-address": 400,
        "unknown-player": 400,
        "too-large": 400,
        "changed-since": 409,
        "no-node": 409,
        "no-variation": 409,
        "same-game": 409,
        "too-many-proposals": 409,
        "not-open": 409,
        "not-applied": 409,
        "not-taken-down": 404,
        "name-taken-down": 409,
        "unknown-field": 400,
        "invalid-value": 400,
        "invalid-day": 400,
        "no-kana": 400,
        "no-latin": 400,
        "no-table": 400,
        "fact-changed": 409,
        "merged-already": 409,
        "merged-with-itself": 409,
        "not-merged": 409,
        "unknown-target": 409,
        "too-many-merged": 409,
        "has-name": 409,
        "other-has-name": 409,
        "other-game": 409,
        "in-a-circle": 409,
        "batch-edit": 400,
        "no-games": 400,
        "too-many-games": 400,
        "too-many-batches": 409,
        "batch-unfinished": 409,
    },
)


def correction_info(request: Request, row: Correction, subject: Subject) -> shapes.CorrectionInfo:
    """Return a correction of a game or a name with its history."""
    signed_in = isinstance(request.user, User)
    mask_correction(request.user, row, subject)
    ids = {kind: row.subject_id if row.subject == kind else None for kind in Correction.Subject.values}
    return shapes.CorrectionInfo(
        id=row.pk,
        url=reverse("api:correction", [row.pk], request=request),
        game_id=ids["game"],
        player_id=ids["player"],
        event_id=ids["event"],
        place_id=ids["place"],
        space=space_name(request, subject.space),
        state=row.state,
        number=row.number,
        operations=row.operations,
        failed_operation=row.failed_operation,
        reason=row.reason,
        author=row.author_name if signed_in else None,
        made=row.made,
        due=row.due,
        events=_events(sorted(row.events.all(), key=lambda event: event.pk), signed_in=signed_in),
        may=possible_actions(request.user, row, subject),
    )


def _events(events: Iterable[CorrectionEvent], *, signed_in: bool) -> list[shapes.CorrectionEventInfo]:
    return [
        shapes.CorrectionEventInfo(
            event.event, event.at, (event.account_name or None) if signed_in else None, event.text
        )
        for event in events
    ]
