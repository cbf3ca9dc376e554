"""The spaces of games: publish, share and take back one game, or move the games of an upload."""

from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from msgspec import UNSET
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive import libraries
from archive.accounts.roles import may_dispose
from archive.api.accounts import owner_of
from archive.api.bodies.libraries import LibraryBody, MoveBody
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.operations import Example, Operation
from archive.api.refusals import Refusals
from archive.api.shapes.libraries import LibraryChange, LibraryInfo, MovingInfo, ShareInfo
from archive.intake import tasks
from archive.libraries import ActionResult, LibraryError
from archive.models import Game, User
from archive.project.site_address import public_address
from archive.queries.games.taken_down import game_called, game_shown, upload_shown
from archive.queries.scope import readable_spaces, space_name
from kifu_core.classes import PUBLIC

REFUSALS: Final = Refusals(
    LibraryError,
    {
        "group-name": 400,
        "too-many-groups": 409,
        "too-many-members": 409,
        "too-many-invitations": 409,
        "not-an-owner": 403,
        "last-owner": 409,
        "group-has-games": 409,
        "no-invitation": 404,
        "not-yours": 403,
        "others-sent-it": 403,
        "nobody": 400,
        "unknown-space": 400,
        "too-many-shares": 409,
        "taken-down": 409,
        "still-working": 409,
    },
    {"nobody": "name", "group-name": "name", "unknown-space": "space"},
)


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: LibraryInfo},
            text="Return the space of a game, and what the visitor may do with the game.",
            examples=(Example("Of a stranger", {"pk": 1}),),
        ),
        "POST": Operation(
            {200: LibraryChange},
            REFUSALS.problems("not-yours", "others-sent-it", "nobody", "too-many-shares", "taken-down"),
            LibraryBody,
            text="Publish a game, take it back, share it, or end that.",
            examples=(Example("Of a stranger", {"pk": 1}, body={"action": "publish"}, status=401),),
        ),
    },
)
def of_game(request: Request, pk: int) -> Response:
    """Return the space of a game; POST publishes the game, takes it back, shares it, or ends that."""
    game = game_shown(request, pk, record=False)
    if game is None:
        game_called(request, pk)
        raise Http404
    if request.method != "POST":
        return Response(_library(request, game))
    arguments, user = body(LibraryBody, request), owner_of(request)
    action, share = arguments.pop("action"), arguments.get("share")
    try:
        result = libraries.perform(action, user, game, **arguments)
    except LibraryError as error:
        raise REFUSALS.problem(error) from error
    if not result.ended:
        raise ApiError("not-found", f"nothing of this game is shared under number {share}", 404)
    return Response(_change(request, result))


def _library(request: Request, game: Game) -> LibraryInfo:
    # Looked up for each request, since nobody else may learn the rights of an account.
    reads, user = game.space in readable_spaces(request).values(), request.user
    space = space_name(request, game.space)
    if not isinstance(user, User) or not may_dispose(user) or not reads:
        return LibraryInfo(game.pk, space, may=[], shares=[])
    may = {
        "publish": game.space != PUBLIC and libraries.may_publish(user, game),
        "share": libraries.may_share(user, game),
        "take-back": libraries.may_take_back(user, game),
        "give-back": libraries.may_give_back(user, game),
    }
    shares = game.shares.select_related("user").order_by("user__username") if may["share"] else []
    return LibraryInfo(
        game_id=game.pk,
        space=space,
        may=[name for name, allowed in may.items() if allowed],
        shares=[ShareInfo(one.pk, one.user.username if one.user else None) for one in shares],
    )


def no_target(user: User | AnonymousUser, name: str) -> ApiError:
    """Return the error for a space to which a visitor cannot send games; it names the possible spaces."""
    possible = libraries.upload_targets(user) if isinstance(user, User) else [(PUBLIC, "public", "")]
    names = ", ".join(name for _space, name, _title in possible)
    text = f"space={name!r} is none of where you may send games ({names})"
    return ApiError("unknown-space", text, field="space")


def target_of(user: User | AnonymousUser, name: str) -> int:
    """Return the space to which a visitor sends games, by its name. Raises ApiError."""
    try:
        return libraries.target_space(user, name)
    except LibraryError as error:
        raise no_target(user, name) from error


def _change(request: Request, result: ActionResult) -> LibraryChange:
    game_id = result.game_id
    return LibraryChange(
        game_id=game_id,
        game_url=None if game_id is None else reverse("api:game", [game_id], request=request),
        share_url=public_address(reverse("shared", [result.key], request=request)) if result.key else UNSET,
    )


@endpoint(
    "POST",
    operation=Operation(
        {200: MovingInfo, 202: MovingInfo},
        REFUSALS.problems("not-yours", "unknown-space", "still-working"),
        MoveBody,
        examples=(Example("Of a stranger", {"pk": 1}, body={"space": "mine"}, status=401),),
    ),
)
def move_upload(request: Request, pk: int) -> Response:
    """Begin to move all games of an upload to another space: 202, or 200 if they are there already."""
    upload = upload_shown(request, pk)
    fields, user = body(MoveBody, request), owner_of(request)
    try:
        begun = libraries.move_upload(user, upload, target_of(user, fields["space"]))
    except LibraryError as error:
        raise REFUSALS.problem(error) from error
    if begun:
        tasks.send_move(upload.pk)
    answer = MovingInfo(
        upload_id=upload.pk,
        upload_url=reverse("api:upload", [upload.pk], request=request),
        moving_to=fields["space"] or "public",
    )
    return Response(answer, status=202 if begun else 200)
