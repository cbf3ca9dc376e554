"""Corrections of games, players and events: propose, decide, compare, restore."""

from collections.abc import Iterable
from typing import Any, Final

import orjson
from django.db.models import Q, QuerySet
from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import account_of
from archive.api.bodies.corrections import (
    CorrectionActionBody,
    CorrectionBody,
    NameCorrectionBody,
    TakeDownBody,
    TakeDownNameBody,
)
from archive.api.corrections import REFUSALS, correction_info
from archive.api.endpoints import body, endpoint
from archive.api.games import existing_game
from archive.api.operations import CURSORS, Example, Operation
from archive.api.pagination import cursor_number, limit_of, next_url
from archive.api.serializers import CorrectionsQuery
from archive.api.shapes import corrections as shapes
from archive.curation import corrections, names, taking_down
from archive.curation.errors import CurationError
from archive.curation.masks import sides_for
from archive.curation.policy import Subject
from archive.models import NAMED, Correction, Game, NameKind, Player, User
from archive.queries.names import people
from archive.queries.paging import page_before
from archive.queries.scope import scope_of

_PAGE: Final = 50


_PROPOSING: Final = (
    "no-right", "reason-missing", "unreadable-record", "unplayable", "nothing-changed", "malformed",
    "no-address", "unknown-player", "too-large", "changed-since",
    "no-node", "no-variation", "same-game", "too-many-proposals",
)  # fmt: skip


_NAMING: Final = (
    "no-right", "reason-missing", "malformed", "too-large", "unknown-field", "invalid-value", "invalid-day",
    "no-kana", "no-latin", "fact-changed", "merged-already", "merged-with-itself", "unknown-target",
    "too-many-merged", "has-name", "other-has-name", "other-game", "in-a-circle", "too-many-proposals",
    "name-taken-down",
)  # fmt: skip
_MOST_LISTED: Final = 1000


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
            REFUSALS.problems(*_PROPOSING),
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
    game = existing_game(request, pk)
    if request.method == "POST":
        fields, user = body(CorrectionBody, request), account_of(request)
        try:
            row = _propose(user, game, fields)
        except CurationError as error:
            raise REFUSALS.problem(error) from error
        return Response(correction_info(request, row, game), status=201)
    rows = corrections.history(game).prefetch_related("events")
    return Response(shapes.Corrections([correction_info(request, row, game) for row in rows[:_MOST_LISTED]]))


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
    page, following = page_before(rows.prefetch_related("events"), cursor_number(query), limit)
    subjects = _subjects(request, page)
    results = [
        correction_info(request, row, subjects[row.subject, row.subject_id])
        for row in page
        if (row.subject, row.subject_id) in subjects
    ]
    return Response(shapes.CorrectionsPage(results, next_url(request, following)))


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
            REFUSALS.problems(
                "no-right", "no-curator", "reason-missing", "same-game", "not-open", "not-applied"
            ),
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
    subject = _subject(request, row)
    if request.method == "POST":
        fields, user = body(CorrectionActionBody, request), account_of(request)
        of_game = row.subject == Correction.Subject.GAME
        try:
            perform = corrections.perform if of_game else names.perform
            row = perform(fields["action"], user, row, fields["reason"])
        except CurationError as error:
            raise REFUSALS.problem(error) from error
    return Response(correction_info(request, row, subject))


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
            REFUSALS.problems("no-curator", "same-game"),
            text="Restore this state: undo all later corrections.",
            examples=(Example("Of a stranger", {"pk": 1, "number": 0}, status=401),),
        ),
    },
)
def version(request: Request, pk: int, number: int) -> Response:
    """Return a game after its corrections up to a number; POST undoes all later ones."""
    game = existing_game(request, pk)
    if request.method == "POST":
        try:
            undone = corrections.restore(account_of(request), game, number)
        except CurationError as error:
            raise REFUSALS.problem(error) from error
        return Response(shapes.RestoredVersion(game.pk, undone))
    state = corrections.version(game, number, sides_for(request.user, game))
    return Response(shapes.GameVersion(game.pk, number, dict(state.record)))


@endpoint(
    "POST",
    operation=Operation(
        {204: None},
        REFUSALS.problems("no-right", "reason-missing"),
        TakeDownBody,
        examples=(Example("Of a stranger", {"pk": 1}, body={"reason": "a request"}, status=401),),
    ),
)
def take_down(request: Request, pk: int) -> Response:
    """Take a game down: its address answers 410, and files that bring it again are held."""
    game, fields, user = existing_game(request, pk), body(TakeDownBody, request), account_of(request)
    try:
        taking_down.take_down(user, game, fields["reason"], hide_bytes=fields["hide"])
    except CurationError as error:
        raise REFUSALS.problem(error) from error
    return Response(status=204)


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.RestoredGame},
        REFUSALS.problems("no-right", "not-taken-down"),
        examples=(Example("Of a stranger", {"pk": 1}, status=401),),
    ),
)
def restore(request: Request, pk: int) -> Response:
    """Restore a game that was taken down. It has a new id, to which the former one leads."""
    try:
        game = taking_down.restore(account_of(request), pk, scope_of(request))
    except CurationError as error:
        raise REFUSALS.problem(error) from error
    return Response(shapes.RestoredGame(game, reverse("api:game", [game], request=request)))


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.CorrectionInfo},
        REFUSALS.problems("no-right", "reason-missing", "invalid-value", "merged-already", "name-taken-down"),
        TakeDownNameBody,
        examples=(Example("Of a stranger", {"player_id": 1}, body={"reason": "a request"}, status=401),),
    ),
)
def take_down_name(request: Request, player_id: int) -> Response:
    """Put initials in the place of a player's name everywhere, and hide the files of the player's games."""
    player, fields, user = _player(request, player_id), body(TakeDownNameBody, request), account_of(request)
    try:
        correction = taking_down.take_down_name(user, player, fields["reason"], fields["initials"])
    except CurationError as error:
        raise REFUSALS.problem(error) from error
    return Response(correction_info(request, correction, _player(request, player_id)))


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.CorrectionInfo},
        REFUSALS.problems("no-right", "not-taken-down"),
        examples=(Example("Of a stranger", {"player_id": 1}, status=401),),
    ),
)
def restore_name(request: Request, player_id: int) -> Response:
    """Restore a player's name that was taken down."""
    player, user = _player(request, player_id), account_of(request)
    try:
        correction = taking_down.restore_name(user, player)
    except CurationError as error:
        raise REFUSALS.problem(error) from error
    return Response(correction_info(request, correction, _player(request, player_id)))


def _player(request: Request, pk: int) -> Player:
    for row in people.shown_rows(scope_of(request), "player", {pk}):
        if isinstance(row, Player):
            return row
    raise Http404


def _readable(request: Request) -> QuerySet[Correction]:
    """Return the corrections in the spaces of the visitor; of names only to those who may correct them, or
    whose games are shown (`_subjects`)."""
    rows = Correction.objects.filter(space__in=scope_of(request).spaces)
    return rows.exclude(Q(subject=Correction.Subject.GAME) & ~Q(subject_id__in=Game.objects.values("pk")))


def _subjects(request: Request, rows: Iterable[Correction]) -> dict[tuple[str, int], Subject]:
    """Return the games and names of corrections that the visitor may see."""
    ids: dict[str, set[int]] = {kind: set() for kind in Correction.Subject.values}
    for row in rows:
        ids[row.subject].add(row.subject_id)
    scope = scope_of(request)
    subjects: dict[tuple[str, int], Subject] = {
        ("game", pk): game for pk, game in Game.objects.in_bulk(ids["game"]).items()
    }
    for kind in KINDS:
        subjects |= {(kind, row.pk): row for row in people.shown_rows(scope, kind, ids[kind])}
    return subjects


def _subject(request: Request, row: Correction) -> Subject:
    if row.subject == Correction.Subject.GAME:
        return existing_game(request, row.subject_id)
    subject = _subjects(request, [row]).get((row.subject, row.subject_id))
    if subject is None:
        raise Http404
    return subject


KINDS: Final = tuple(NAMED)


def _of_names(name: str, part: str, operation: dict[str, Any], reason: str) -> dict[str, Operation]:
    """Return the operations on the corrections of a player or an event."""
    body = {"operations": [operation], "reason": reason}
    return {
        "GET": Operation(
            {200: shapes.Corrections},
            text=f"List the corrections of {name} with their history.",
            examples=(Example(f"Of {name} without any", {part: 1}),),
        ),
        "POST": Operation(
            {201: shapes.CorrectionInfo},
            REFUSALS.problems(*_NAMING),
            NameCorrectionBody,
            text=f"Propose a correction of {name}. It applies at once if the visitor may decide about it.",
            examples=(Example("Of a stranger", {part: 1}, body=body, status=401),),
        ),
    }


_LATIN: Final = {"op": "field", "name": "latin", "old": "", "new": "Ohashi Soin"}
_PLACE: Final = {"op": "field", "name": "place", "old": "", "new": "江戸城"}


@endpoint("GET", "POST", operation=_of_names("a player", "player_id", _LATIN, "the usual spelling"))
def of_player(request: Request, player_id: int) -> Response:
    """List the corrections of a player; POST proposes one."""
    return _of_name(request, "player", player_id)


@endpoint("GET", "POST", operation=_of_names("an event", "event_id", _PLACE, "御城将棋留"))
def of_event(request: Request, event_id: int) -> Response:
    """List the corrections of an event; POST proposes one."""
    return _of_name(request, "event", event_id)


@endpoint("GET", "POST", operation=_of_names("a place", "place_id", _LATIN | {"new": "Edo Castle"}, "江戸城"))
def of_place(request: Request, place_id: int) -> Response:
    """List the corrections of a place; POST proposes one."""
    return _of_name(request, "place", place_id)


def _of_name(request: Request, kind: NameKind, pk: int) -> Response:
    rows = people.shown_rows(scope_of(request), kind, {pk})
    if not rows:
        raise Http404
    row = rows[0]
    if request.method == "POST":
        fields = body(NameCorrectionBody, request)
        try:
            correction = names.correct(account_of(request), row, fields["operations"], fields["reason"])
        except CurationError as error:
            raise REFUSALS.problem(error) from error
        return Response(correction_info(request, correction, row), status=201)
    past = names.history(row).prefetch_related("events")[:_MOST_LISTED]
    return Response(shapes.Corrections([correction_info(request, one, row) for one in past]))
