"""Repertoires of the visitor's account, and its cards."""

from collections.abc import Iterable
from typing import Any, Final

import orjson
from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import owner_of
from archive.api.bodies.training import (
    CardBody,
    LinesBody,
    RenamedRepertoireBody,
    RepertoireBody,
    ReviewBody,
    TrainingBody,
)
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.games import existing_game
from archive.api.negotiation import JSON
from archive.api.operations import CURSORS, POSITIONS, READING, Example, Operation, merge_problems
from archive.api.pagination import PAGE, cursor_number, limit_of, next_url
from archive.api.positions import position_url
from archive.api.refusals import Refusals
from archive.api.serializers import (
    DEFAULT_CARDS,
    RepertoireMovesQuery,
    RepertoireRecordQuery,
    TrainingQuery,
)
from archive.api.shapes import training as shapes
from archive.export.record_files import DOWNLOADS
from archive.http.limits.text_limits import check_body, check_text, limited_reading
from archive.models import Repertoire, RepertoireMove, TrainingCard, User
from archive.queries.collections import collection_shown
from archive.queries.paging import page_before
from archive.queries.scope import read_private, readable_scope
from archive.training import cards as card_store
from archive.training import repertoires as repertoire_store
from archive.training.departures import GameDeparture, departures_of
from archive.training.errors import TrainingError
from archive.training.moves import Played, moves_from, moves_of, spot_of
from archive.training.sources import moves_of_collection, moves_of_text
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi, to_usi

_REFUSALS: Final = Refusals(
    TrainingError,
    {
        "repertoire-title": 400,
        "nothing-to-add": 400,
        "wrong-card": 400,
        "too-many-repertoires": 409,
        "too-many-moves": 409,
        "too-many-cards": 409,
    },
    {"repertoire-title": "title", "wrong-card": "move"},
)
_STRANGER: Final = Example("Of a stranger", status=401)
_STRANGERS: Final = Example("Of a stranger", {"repertoire_id": 1}, status=401)
_STRANGERS_MOVE: Final = Example("Of a stranger", {"repertoire_id": 1, "move_id": 1}, status=401)
_STRANGERS_CARD: Final = Example("Of a stranger", {"card_id": 1}, status=401)
_STRANGERS_GAME: Final = Example("Of a stranger", {"pk": 1}, status=401)
_START: Final = SHOGI.codec.encode(SHOGI.rules.initial())


def _owner(request: Request) -> User:
    user = owner_of(request)
    read_private(request._request)
    return user


# --- repertoires -------------------------------------------------------------------------------------------


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.Repertoires}, text="List the repertoires of the account.", examples=(_STRANGER,)
        ),
        "POST": Operation(
            {201: shapes.RepertoireInfo},
            _REFUSALS.problems("repertoire-title", "too-many-repertoires"),
            RepertoireBody,
            text="Create a repertoire without moves.",
            examples=(Example("Of a stranger", body={"title": "四間飛車", "side": "black"}, status=401),),
        ),
    },
)
def repertoires(request: Request) -> Response:
    """List the repertoires of the account; POST creates one."""
    user = _owner(request)
    if request.method == "POST":
        fields = body(RepertoireBody, request)
        color = SHOGI.rules.sides.index(fields["side"])
        made = _REFUSALS.run(lambda: repertoire_store.create(user, fields["title"], color))
        return Response(_repertoire_info(request, _own(user, made.pk)), status=201)
    found = repertoire_store.own_repertoires(user)
    return Response(shapes.Repertoires([_repertoire_info(request, one) for one in found]))


@endpoint(
    "GET",
    "POST",
    "DELETE",
    operation={
        "GET": Operation({200: shapes.RepertoireInfo}, text="Return a repertoire.", examples=(_STRANGERS,)),
        "POST": Operation(
            {200: shapes.RepertoireInfo},
            _REFUSALS.problems("repertoire-title"),
            RenamedRepertoireBody,
            text="Change the title of a repertoire.",
            examples=(Example("Of a stranger", {"repertoire_id": 1}, body={"title": "矢倉"}, status=401),),
        ),
        "DELETE": Operation(
            {204: None},
            text="Remove a repertoire; its cards keep their progress for other repertoires.",
            examples=(_STRANGERS,),
        ),
    },
)
def repertoire(request: Request, repertoire_id: int) -> Response:
    """Return a repertoire; POST changes its title, DELETE removes it."""
    user = _owner(request)
    found = _own(user, repertoire_id)
    if request.method == "DELETE":
        repertoire_store.remove(user, found)
        return Response(status=204)
    if request.method == "POST":
        fields = body(RenamedRepertoireBody, request)
        _REFUSALS.run(lambda: repertoire_store.rename(found, fields["title"]))
    return Response(_repertoire_info(request, found))


def _own(user: User, pk: int) -> Repertoire:
    return get_object_or_404(repertoire_store.own_repertoires(user), pk=pk)


def _repertoire_info(request: Request, one: Repertoire) -> shapes.RepertoireInfo:
    return shapes.RepertoireInfo(
        id=one.pk,
        url=reverse("api:repertoire", [one.pk], request=request),
        page_url=reverse("repertoire", [one.pk], request=request),
        moves_url=reverse("api:repertoire-moves", [one.pk], request=request),
        title=one.title,
        side=SHOGI.rules.sides[one.color],
        own_moves=one.own_moves,  # type: ignore[attr-defined]  # of `own_repertoires`
        all_moves=one.all_moves,  # type: ignore[attr-defined]
        made=one.made,
    )


@endpoint(
    "GET",
    "POST",
    query={"GET": RepertoireMovesQuery},
    operation={
        "GET": Operation(
            {200: shapes.RepertoireMovesPage},
            {400: CURSORS},
            text="List the moves of a repertoire.",
            examples=(_STRANGERS,),
        ),
        "POST": Operation(
            {200: shapes.AddedMoves},
            merge_problems(
                READING,
                POSITIONS,
                {400: ("wrong-line",)},
                _REFUSALS.problems("nothing-to-add", "too-many-moves", "too-many-cards"),
                {410: ("gone",)},
            ),
            LinesBody,
            text="Add lines to a repertoire; its own moves get cards.",
            examples=(
                Example("Of a stranger", {"repertoire_id": 1}, body={"moves": "7g7f 3c3d"}, status=401),
            ),
        ),
    },
)
def moves(request: Request, repertoire_id: int, query: dict[str, Any] | None = None) -> Response:
    """List the moves of a repertoire; POST adds lines."""
    user = _owner(request)
    if request.method == "POST":
        check_body(request, settings.ARCHIVE_MAX_CONVERT_BYTES)
        fields = body(LinesBody, request)
        found = _own(user, repertoire_id)
        with limited_reading():
            played = _REFUSALS.run(lambda: list(_played(request, fields)))
        added = _REFUSALS.run(lambda: repertoire_store.add_lines(user, found, played))
        return Response(shapes.AddedMoves(added.moves, added.cards))
    query = query or {}
    limit, before = limit_of(query, PAGE), cursor_number(query)
    rows = RepertoireMove.objects.filter(repertoire=_own(user, repertoire_id)).order_by("-pk")
    page, following = page_before(rows, before, limit)
    infos = [_move_info(request, one) for one in page]
    return Response(shapes.RepertoireMovesPage(infos, next_url(request, following)))


def _played(request: Request, fields: dict[str, Any]) -> Iterable[Played]:
    """Return the moves of a body. Raises KifuError, TrainingError, Http404, GoneError."""
    plies = fields["plies"]
    if "moves" in fields:
        return _line(fields.get("code", ""), fields["moves"].split()[:plies])
    if "game_id" in fields:
        game = existing_game(request, fields["game_id"])
        if game.kind != SHOGI.name:
            raise TrainingError("nothing-to-add")
        return moves_of(game.jkf, plies)
    if "collection_id" in fields:
        collection = collection_shown(request._request, fields["collection_id"])
        return moves_of_collection(readable_scope(request._request), collection.pk, plies)
    text = fields.get("text", "")
    check_text(text, settings.ARCHIVE_MAX_CONVERT_BYTES)
    if not text.strip():
        raise TrainingError("nothing-to-add")
    return moves_of_text(text, plies)


def _line(code: str, names: list[str]) -> Iterable[Played]:
    """Return the moves of a line. Raises KifuError."""
    position = SHOGI.codec.decode(code or _START)
    packed = [from_usi(name) for name in names]
    line = list(moves_from(position, packed))
    if len(line) < len(packed):
        raise ApiError("wrong-line", f"move {len(line) + 1} is against the rules", field="moves")
    return line


def _move_info(request: Request, row: RepertoireMove) -> shapes.RepertoireMoveInfo:
    spot = spot_of(SHOGI.codec.decode(row.code))
    return shapes.RepertoireMoveInfo(
        id=row.pk,
        code=row.code,
        position_url=position_url(SHOGI, row.code, request),
        move=to_usi(spot.of_position(row.move)),
        own=row.own,
    )


@endpoint(
    "GET",
    "DELETE",
    operation={
        "GET": Operation(
            {200: shapes.RepertoireMoveInfo},
            text="Return a move of a repertoire.",
            examples=(_STRANGERS_MOVE,),
        ),
        "DELETE": Operation(
            {200: shapes.RemovedMoves},
            text="Remove a move of a repertoire, and the moves that only it leads to.",
            examples=(_STRANGERS_MOVE,),
        ),
    },
)
def move(request: Request, repertoire_id: int, move_id: int) -> Response:
    """Return a move of a repertoire; DELETE removes it."""
    user = _owner(request)
    found = _own(user, repertoire_id)
    if request.method == "DELETE":
        removed = repertoire_store.remove_move(user, found, move_id)
        if not removed:
            raise Http404
        return Response(shapes.RemovedMoves(removed))
    return Response(_move_info(request, get_object_or_404(RepertoireMove, pk=move_id, repertoire=found)))


def _types(name: str, **_parts: Any) -> list[str]:
    return [DOWNLOADS[name].partition(";")[0]] if name in DOWNLOADS else [JSON, "text/plain"]


@endpoint(
    "GET",
    query=RepertoireRecordQuery,
    types=_types,
    operation=Operation(
        {200: dict[str, Any]},
        {404: ("unknown-format",)},
        examples=(Example("Of a stranger", {"repertoire_id": 1, "name": "jkf"}, status=401),),
    ),
)
def record(request: Request, repertoire_id: int, name: str, query: dict[str, Any]) -> HttpResponse:
    """Send the lines of a repertoire as a file with variations. An unknown format is 404."""
    found = _own(_owner(request), repertoire_id)
    if name not in SHOGI.formats.names:
        text = f"records are written as {', '.join(SHOGI.formats.names)}, not {name!r}"
        raise ApiError("unknown-format", text, 404)
    rows = list(RepertoireMove.objects.filter(repertoire=found).order_by("pk"))
    roots = list(repertoire_store.roots_of(rows).items())
    number = query.get("tree", "0")
    if not number.isascii() or not number.isdigit() or int(number[:4]) >= len(roots):
        raise Http404
    tree = repertoire_store.tree_of(rows, *roots[int(number)])
    with limited_reading():
        content = _written(tree | {"header": {"表題": found.title}}, name)
    headers = {"Content-Disposition": f'attachment; filename="repertoire-{found.pk}.{name}"'}
    return HttpResponse(content, content_type=DOWNLOADS[name], headers=headers)


def _written(tree: Any, name: str) -> bytes:
    writer = SHOGI.formats.writer(name)
    if writer.is_json:
        return orjson.dumps(tree)
    return writer.dump(tree).encode(writer.encoding)


# --- cards -------------------------------------------------------------------------------------------------


@endpoint(
    "GET",
    "POST",
    query={"GET": TrainingQuery},
    operation={
        "GET": Operation(
            {200: shapes.TrainingInfo},
            {400: ("invalid-limit",)},
            text="Return the cards that come next, with numbers of all.",
            examples=(_STRANGER,),
        ),
        "POST": Operation(
            {200: shapes.TrainingInfo},
            {},
            TrainingBody,
            text="Set the most new cards of one day.",
            examples=(Example("Of a stranger", body={"new_cards": 10}, status=401),),
        ),
    },
)
def training(request: Request, query: dict[str, Any] | None = None) -> Response:
    """Return the cards that come next; POST sets the number of new ones a day."""
    user = _owner(request)
    if request.method == "POST":
        user.new_cards = body(TrainingBody, request)["new_cards"]
        user.save(update_fields=["new_cards"])
    counts = card_store.counts(user)
    due = card_store.due_cards(user, limit_of(query or {}, DEFAULT_CARDS, PAGE))
    return Response(
        shapes.TrainingInfo(
            due=counts.due,
            new=counts.new,
            learned=counts.learned,
            total=counts.total,
            new_cards=user.new_cards,
            next_due=card_store.next_due(user),
            results=_card_infos(request, user, due),
        )
    )


@endpoint(
    "POST",
    operation=Operation(
        {201: shapes.CardInfo},
        _REFUSALS.problems("wrong-card", "too-many-cards"),
        CardBody,
        examples=(
            Example("Of a stranger", body={"kind": "mistake", "code": _START, "move": "7g7f"}, status=401),
        ),
    ),
)
def cards(request: Request) -> Response:
    """Add the card of a mistake or a problem; one that is there already keeps its progress."""
    user, fields = _owner(request), body(CardBody, request)
    game = existing_game(request, fields["game_id"]).pk if "game_id" in fields else None
    accepted = fields.get("accepted", [])
    kind, code = TrainingCard.Kind(fields["kind"]), fields["code"]
    made = _REFUSALS.run(
        lambda: card_store.add(user, kind, code, fields["move"], accepted, game, fields.get("ply"))
    )
    return Response(_card_infos(request, user, [made])[0], status=201)


@endpoint(
    "GET",
    "DELETE",
    operation={
        "GET": Operation({200: shapes.CardInfo}, text="Return a card.", examples=(_STRANGERS_CARD,)),
        "DELETE": Operation(
            {204: None}, text="Remove a card with its progress.", examples=(_STRANGERS_CARD,)
        ),
    },
)
def card(request: Request, card_id: int) -> Response:
    """Return a card; DELETE removes it."""
    user = _owner(request)
    if request.method == "DELETE":
        if not card_store.remove(user, card_id):
            raise Http404
        return Response(status=204)
    found = get_object_or_404(TrainingCard, pk=card_id, user=user)
    return Response(_card_infos(request, user, [found])[0])


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.CardInfo},
        {},
        ReviewBody,
        examples=(Example("Of a stranger", {"card_id": 1}, body={"grade": "good"}, status=401),),
    ),
)
def review(request: Request, card_id: int) -> Response:
    """Review a card: FSRS decides by the grade when it is due again."""
    user, fields = _owner(request), body(ReviewBody, request)
    reviewed = card_store.review(user, card_id, fields["grade"])
    if reviewed is None:
        raise Http404
    return Response(_card_infos(request, user, [reviewed])[0])


def _card_infos(request: Request, user: User, found: list[TrainingCard]) -> list[shapes.CardInfo]:
    return [_card_info(request, one) for one in card_store.details_of(user, found)]


def _card_info(request: Request, details: card_store.CardDetails) -> shapes.CardInfo:
    one, lead = details.card, details.lead
    return shapes.CardInfo(
        id=one.pk,
        url=reverse("api:card", [one.pk], request=request),
        kind=one.kind,
        code=one.code,
        position_url=position_url(SHOGI, one.code, request),
        answers=details.answers,
        other_moves=details.others,
        lead=lead.move if lead else None,
        game_id=one.game,
        ply=one.ply,
        suspended=one.suspended,
        state="new" if one.due is None else TrainingCard.State(one.state).name.lower(),
        due=one.due,
        stability=one.stability,
        difficulty=one.difficulty,
        last_review=one.last_review,
        reviews=one.reviews,
        lapses=one.lapses,
    )


# --- games -------------------------------------------------------------------------------------------------


@endpoint(
    "GET",
    operation=Operation(
        {200: shapes.Departures}, examples=(Example("Of a stranger", {"pk": 1}, status=401),)
    ),
)
def departures(request: Request, pk: int) -> Response:
    """Return where a game of the account's owner leaves the account's repertoires."""
    user, game = _owner(request), existing_game(request, pk)
    found = departures_of(readable_scope(request._request), user, [game], {game.pk: game.jkf})
    return Response(shapes.Departures([_departure_info(request, one) for one in found]))


def _departure_info(request: Request, found: GameDeparture) -> shapes.DepartureInfo:
    left = found.departure
    played, expected = left.names()
    return shapes.DepartureInfo(
        repertoire_id=found.repertoire.pk,
        ply=left.ply,
        code=left.code,
        position_url=position_url(SHOGI, left.code, request),
        own=left.own,
        move=played,
        expected=expected,
    )
