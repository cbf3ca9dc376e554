"""Corrections of games: propose, decide, compare, restore."""

from collections.abc import Iterable
from typing import Any, Final

import orjson
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import override
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.operations import CURSORS, Example, Operation, Problems
from archive.api.pagination import cursor_number, limit_of, next_url
from archive.api.serializers import CorrectionActionBody, CorrectionBody, CorrectionsQuery, TakeDownBody
from archive.api.shapes import corrections as shapes
from archive.curation import corrections, taking_down
from archive.curation.errors import CurationError
from archive.models import Correction, CorrectionEvent, Game, User
from archive.queries.games.taken_down import game_called, game_shown
from archive.queries.scope import scope_of, space_name

_STATUSES: Final = {
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
}
"""The HTTP status of each code of a correction that is refused."""
_PAGE: Final = 50


def _problems(*codes: str) -> Problems:
    statuses = {_STATUSES[code] for code in codes}
    return {status: [code for code in codes if _STATUSES[code] == status] for status in sorted(statuses)}


_DECIDING: Final = ("no-curator", "not-open", "not-applied", "not-taken-down")
_PROPOSING: Final = tuple(code for code in _STATUSES if code not in _DECIDING)


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.Corrections},
            text="List the corrections of a game with their history.",
            examples=(Example("Of a game without any", {"pk": 1}),),
        ),
        "POST": Operation(
            {201: shapes.CorrectionInfo},
            _problems(*_PROPOSING),
            CorrectionBody,
            text="Propose a correction. It applies at once if the visitor may decide about it.",
            examples=(
                Example(
                    "Of a stranger",
                    {"pk": 1},
                    body={
                        "operations": [{"op": "header", "name": "棋戦", "old": None, "new": "御城将棋"}],
                        "reason": "御城将棋留",
                    },
                    status=401,
                ),
            ),
        ),
    },
)
def of_game(request: Request, pk: int) -> Response:
    """List the corrections of a game; POST proposes one."""
    game = _game(request, pk)
    if request.method == "POST":
        fields, user = body(CorrectionBody, request), _user(request)
        try:
            row = _propose(user, game, fields)
        except CurationError as error:
            raise _problem(error) from error
        return Response(_info(request, row, game), status=201)
    rows = corrections.history(game).prefetch_related("events")
    return Response(shapes.Corrections([_info(request, row, game) for row in rows[:_MOST_LISTED]]))


_MOST_LISTED: Final = 1000


def _propose(user: User, game: Game, fields: dict[str, Any]) -> Correction:
    if "operations" in fields:
        return corrections.correct_game(user, game, fields["operations"], fields["reason"])
    record = fields["record"]
    text = record.encode() if isinstance(record, str) else orjson.dumps(record)
    return corrections.correct_record(user, game, text, fields["reason"])


@endpoint(
    "GET",
    query=CorrectionsQuery,
    operation=Operation(
        {200: shapes.CorrectionsPage}, {400: CURSORS}, examples=(Example("All", query={"limit": 1}),)
    ),
)
def listed(request: Request, query: dict[str, Any]) -> Response:
    """List the corrections of games in the spaces that the visitor reads, the latest first."""
    limit = limit_of(query, _PAGE)
    rows = _readable(request)
    if "state" in query:
        rows = rows.filter(state=query["state"])
    if (before := cursor_number(query)) is not None:
        rows = rows.filter(pk__lt=before)
    page = list(rows.order_by("-pk").prefetch_related("events")[: limit + 1])
    games = Game.objects.in_bulk({row.subject_id for row in page})
    results = [_info(request, row, games[row.subject_id]) for row in page[:limit] if row.subject_id in games]
    more = str(page[limit - 1].pk) if len(page) > limit else None
    return Response(shapes.CorrectionsPage(results, next_url(request, more)))


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.CorrectionInfo},
            text="Return a correction with its history.",
            examples=(Example("Of none", {"correction_id": 1}, status=404),),
        ),
        "POST": Operation(
            {200: shapes.CorrectionInfo},
            _problems("no-right", "no-curator", "reason-missing", "same-game", "not-open", "not-applied"),
            CorrectionActionBody,
            text="Accept, reject, withdraw or undo a correction, or object to it.",
            examples=(Example("Of none", {"correction_id": 1}, body={"action": "accept"}, status=404),),
        ),
    },
)
def detail(request: Request, correction_id: int) -> Response:
    """Return a correction; POST accepts, rejects, withdraws or undoes it, or objects to it."""
    row = _readable(request).filter(pk=correction_id).first()
    if row is None:
        raise Http404
    game = _game(request, row.subject_id)
    if request.method == "POST":
        fields, user = body(CorrectionActionBody, request), _user(request)
        try:
            row = corrections.perform(fields["action"], user, row, fields["reason"])
        except CurationError as error:
            raise _problem(error) from error
    return Response(_info(request, row, game))


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.GameVersion},
            text="Return a game after its corrections up to a number.",
            examples=(Example("Before all corrections", {"pk": 1, "number": 0}),),
        ),
        "POST": Operation(
            {200: shapes.RestoredVersion},
            _problems("no-curator", "same-game"),
            text="Restore this state: undo all later corrections.",
            examples=(Example("Of a stranger", {"pk": 1, "number": 0}, status=401),),
        ),
    },
)
def version(request: Request, pk: int, number: int) -> Response:
    """Return a game after its corrections up to a number; POST undoes all later ones."""
    game = _game(request, pk)
    if request.method == "POST":
        try:
            undone = corrections.restore(_user(request), game, number)
        except CurationError as error:
            raise _problem(error) from error
        return Response(shapes.RestoredVersion(game.pk, undone))
    state = corrections.version(game, number)
    return Response(shapes.GameVersion(game.pk, number, dict(state.record)))


@endpoint(
    "POST",
    operation=Operation(
        {204: None},
        _problems("no-right", "reason-missing"),
        TakeDownBody,
        examples=(Example("Of a stranger", {"pk": 1}, body={"reason": "a request"}, status=401),),
    ),
)
def take_down(request: Request, pk: int) -> Response:
    """Take a game down: its address answers 410, and files that bring it again are held."""
    game, fields, user = _game(request, pk), body(TakeDownBody, request), _user(request)
    try:
        taking_down.take_down(user, game, fields["reason"], hide_bytes=fields["hide"])
    except CurationError as error:
        raise _problem(error) from error
    return Response(status=204)


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.RestoredGame},
        _problems("no-right", "not-taken-down"),
        examples=(Example("Of a stranger", {"pk": 1}, status=401),),
    ),
)
def restore(request: Request, pk: int) -> Response:
    """Restore a game that was taken down. It has a new id, to which the former one leads."""
    try:
        game = taking_down.restore(_user(request), pk, scope_of(request))
    except CurationError as error:
        raise _problem(error) from error
    return Response(shapes.RestoredGame(game, reverse("api:game", [game], request=request)))


def _game(request: Request, pk: int) -> Game:
    game = game_shown(request, pk)
    if game is None:
        game_called(request, pk)
        raise Http404
    return game


def _user(request: Request) -> User:
    if not isinstance(request.user, User):
        raise NotAuthenticated("sign in, or send a token")
    return request.user


def _readable(request: Request) -> QuerySet[Correction]:
    rows = Correction.objects.filter(subject=Correction.Subject.GAME, space__in=scope_of(request).spaces)
    return rows.filter(subject_id__in=Game.objects.values("pk"))


def _problem(error: CurationError) -> ApiError:
    with override("en"):
        return ApiError(error.code, error.text, _STATUSES[error.code])


def _info(request: Request, row: Correction, game: Game) -> shapes.CorrectionInfo:
    signed_in = isinstance(request.user, User)
    return shapes.CorrectionInfo(
        id=row.pk,
        url=reverse("api:correction", [row.pk], request=request),
        game_id=game.pk,
        space=space_name(request, game.space),
        state=row.state,
        number=row.number,
        operations=row.operations,
        failed_operation=row.failed_operation,
        reason=row.reason,
        author=row.author_name if signed_in else None,
        made=row.made,
        due=row.due,
        events=_events(sorted(row.events.all(), key=lambda event: event.pk), signed_in=signed_in),
        may=corrections.possible_actions(request.user, row, game),
    )


def _events(events: Iterable[CorrectionEvent], *, signed_in: bool) -> list[shapes.CorrectionEventInfo]:
    return [
        shapes.CorrectionEventInfo(
            event.event, event.at, (event.account_name or None) if signed_in else None, event.text
        )
        for event in events
    ]
