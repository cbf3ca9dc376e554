"""What the visitor's account follows, and notes on positions."""

from typing import Any, Final

from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import owner_of
from archive.api.bodies.following import ChangedNoteBody, FollowBody, NoteBody, OwnNameBody
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.operations import CURSORS, POSITIONS, Example, Operation, merge_problems
from archive.api.pagination import DEFAULT_GAMES, PAGE, cursor_number, limit_of, next_url
from archive.api.positions import position_url
from archive.api.refusals import Refusals
from archive.api.searches import search_of
from archive.api.serializers import NotesQuery
from archive.api.shapes import following as shapes
from archive.api.views.libraries import target_of
from archive.following import follows, news, notes, own_names
from archive.following.errors import FollowError
from archive.models import NAMED, Follow, NameKind, Player, PositionNote, User
from archive.queries.paging import page_before
from archive.queries.scope import (
    UnknownScopeError,
    read_private,
    readable_scope,
    readable_spaces,
    scope_by_names,
    space_name,
)
from kifu_core.games import GAMES

_REFUSALS: Final = Refusals(
    FollowError,
    {
        "follow-title": 400,
        "note-text": 400,
        "own-site": 400,
        "not-a-member": 403,
        "too-many-follows": 409,
        "too-many-notes": 409,
        "too-many-own-names": 409,
    },
    {"follow-title": "title", "note-text": "text", "own-site": "site"},
)
_STRANGER: Final = Example("Of a stranger", status=401)
_STRANGERS_FOLLOW: Final = Example("Of a stranger", {"follow_id": 1}, status=401)
_STRANGERS_NOTE: Final = Example("Of a stranger", {"note_id": 1}, status=401)
_STRANGERS_NAME: Final = Example("Of a stranger", {"own_name_id": 1}, status=401)
_START: Final = GAMES["shogi"].codec.encode(GAMES["shogi"].rules.initial())


def _owner(request: Request) -> User:
    user = owner_of(request)
    read_private(request._request)
    return user


# --- follows -----------------------------------------------------------------------------------------------


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.Follows},
            text="List the saved searches, players, events and positions that the account follows.",
            examples=(_STRANGER,),
        ),
        "POST": Operation(
            {201: shapes.FollowInfo},
            merge_problems(
                {400: ("unknown-space",)}, POSITIONS, _REFUSALS.problems("follow-title", "too-many-follows")
            ),
            FollowBody,
            text="Save a search, or follow a player, an event or a position.",
            examples=(
                Example("Of a stranger", body={"kind": "search", "search": "player=大橋宗銀"}, status=401),
            ),
        ),
    },
)
def own(request: Request) -> Response:
    """List what the account follows, with new games; POST follows something."""
    user = _owner(request)
    if request.method == "POST":
        made = _follow(request, user, body(FollowBody, request))
        return Response(_follow_info(request, made, {made.pk: news.News([], more=False)}), status=201)
    found, readable = list(follows.own_follows(user)), readable_spaces(request._request)
    new = news.news_of(found, readable)
    return Response(shapes.Follows([_follow_info(request, one, new) for one in found]))


def _follow(request: Request, user: User, fields: dict[str, Any]) -> Follow:
    title = fields["title"]
    if fields["kind"] == Follow.Kind.SEARCH:
        search = search_of(fields["search"])
        scope = _scope_name(request, fields["scope"])
        return _REFUSALS.run(lambda: follows.save_search(user, search, title, scope))
    if fields["kind"] == Follow.Kind.POSITION:
        game, code = _position(fields)
        return _REFUSALS.run(lambda: follows.follow_position(user, game, code, title))
    kind: NameKind = fields["kind"]
    spaces = readable_scope(request._request).spaces
    row = NAMED[kind]._default_manager.filter(pk=fields.get("target_id", 0), space__in=spaces).first()
    if row is None:
        raise Http404
    return _REFUSALS.run(lambda: follows.follow_name(user, kind, row.root_id))


def _scope_name(request: Request, name: str) -> str:
    readable = readable_spaces(request._request)
    try:
        scope_by_names(name, readable)
    except UnknownScopeError as error:
        raise ApiError("unknown-space", f"not among {', '.join(readable)}", field="scope") from error
    return name


def _position(fields: dict[str, Any]) -> tuple[str, str]:
    """Return the kind of game and the code of a position. Raises DecodeError."""
    codec = GAMES[fields["game"]].codec
    code = codec.code_of_path(fields["code"])
    codec.decode(code)
    return fields["game"], code


@endpoint(
    "GET",
    "DELETE",
    operation={
        "GET": Operation(
            {200: shapes.FollowInfo}, text="Describe one of the follows.", examples=(_STRANGERS_FOLLOW,)
        ),
        "DELETE": Operation({204: None}, text="End a follow.", examples=(_STRANGERS_FOLLOW,)),
    },
)
def one(request: Request, follow_id: int) -> Response:
    """Describe a follow; DELETE ends it."""
    user = _owner(request)
    if request.method == "DELETE":
        if not follows.unfollow(user, follow_id):
            raise Http404
        return Response(status=204)
    found = get_object_or_404(Follow, pk=follow_id, user=user)
    return Response(_follow_info(request, found, news.news_of([found], readable_spaces(request._request))))


@endpoint("POST", operation=Operation({200: shapes.SeenGames}, examples=(_STRANGERS_FOLLOW,)))
def seen(request: Request, follow_id: int) -> Response:
    """Return the new games of a follow, which count as seen from now on."""
    found = get_object_or_404(Follow, pk=follow_id, user=_owner(request))
    return Response(shapes.SeenGames(news.open_news(found, readable_spaces(request._request))))


def _follow_info(request: Request, follow: Follow, new: dict[int, news.News]) -> shapes.FollowInfo:
    return shapes.FollowInfo(
        id=follow.pk,
        url=reverse("api:follow", [follow.pk], request=request),
        kind=follow.kind,
        title=follow.title,
        target_id=follow.target,
        game=follow.game,
        code=follow.code,
        search=follow.search or {},
        scope=follow.scope,
        made=follow.made,
        new_game_ids=new[follow.pk].games if follow.pk in new else None,
    )


# --- own names ---------------------------------------------------------------------------------------------


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.OwnNames},
            text="List the names under which the account's owner plays.",
            examples=(_STRANGER,),
        ),
        "POST": Operation(
            {201: shapes.OwnNameInfo},
            _REFUSALS.problems("own-site", "too-many-own-names"),
            OwnNameBody,
            text="Note that the account's owner is a player.",
            examples=(Example("Of a stranger", body={"player_id": 1}, status=401),),
        ),
    },
)
def names(request: Request) -> Response:
    """List the account owner's names; POST adds one."""
    user, scope = _owner(request), readable_scope(request._request)
    if request.method == "POST":
        fields = body(OwnNameBody, request)
        row = get_object_or_404(Player, pk=fields["player_id"], space__in=scope.spaces)
        made = _REFUSALS.run(lambda: own_names.add_own_name(user, row, fields["site"]))
        (shown,) = (one for one in own_names.shown_names(scope, user) if one.own == made)
        return Response(_own_name_info(shown), status=201)
    return Response(shapes.OwnNames([_own_name_info(one) for one in own_names.shown_names(scope, user)]))


def _own_name_info(shown: own_names.ShownName) -> shapes.OwnNameInfo:
    player = shown.player
    return shapes.OwnNameInfo(
        id=shown.own.pk,
        player_id=player.pk if player else None,
        name=player.name if player else "",
        site=shown.own.site,
    )


@endpoint(
    "GET",
    "DELETE",
    operation={
        "GET": Operation(
            {200: shapes.OwnNameInfo}, text="Return one of the owner's names.", examples=(_STRANGERS_NAME,)
        ),
        "DELETE": Operation({204: None}, text="Remove a name.", examples=(_STRANGERS_NAME,)),
    },
)
def name(request: Request, own_name_id: int) -> Response:
    """Return one of the account owner's names; DELETE removes it."""
    user = _owner(request)
    if request.method == "DELETE":
        if not own_names.remove_own_name(user, own_name_id):
            raise Http404
        return Response(status=204)
    shown = own_names.shown_names(readable_scope(request._request), user)
    found = next((one for one in shown if one.own.pk == own_name_id), None)
    if found is None:
        raise Http404
    return Response(_own_name_info(found))


# --- notes -------------------------------------------------------------------------------------------------


@endpoint(
    "GET",
    "POST",
    query={"GET": NotesQuery},
    operation={
        "GET": Operation(
            {200: shapes.NotesPage},
            merge_problems({400: CURSORS}, POSITIONS),
            text="List notes on positions that the account may read: its own, and those of its groups.",
            examples=(_STRANGER,),
        ),
        "POST": Operation(
            {201: shapes.NoteInfo},
            merge_problems(
                {400: ("unknown-space",)},
                POSITIONS,
                _REFUSALS.problems("note-text", "not-a-member", "too-many-notes"),
            ),
            NoteBody,
            text="Write a note on a position into a library; without text it is a bookmark.",
            examples=(
                Example("Of a stranger", body={"game": "shogi", "code": _START, "text": "初形"}, status=401),
            ),
        ),
    },
)
def position_notes(request: Request, query: dict[str, Any] | None = None) -> Response:
    """List notes on positions; POST writes one."""
    user = _owner(request)
    if request.method == "POST":
        fields = body(NoteBody, request)
        game, code = _position(fields)
        space = target_of(user, fields["space"])
        written = _REFUSALS.run(lambda: notes.write_note(user, space, game, code, fields["text"]))
        return Response(_note_info(request, written), status=201)
    query = query or {}
    limit, before = limit_of(query, DEFAULT_GAMES, PAGE), cursor_number(query)
    found = notes.readable_notes(user, readable_spaces(request._request))
    if "code" in query:
        game, code = _position(query)
        found = found.filter(game=game, code=code)
    page, following = page_before(found, before, limit)
    return Response(
        shapes.NotesPage([_note_info(request, one) for one in page], next_url(request, following))
    )


@endpoint(
    "GET",
    "POST",
    "DELETE",
    operation={
        "GET": Operation(
            {200: shapes.NoteInfo}, text="Return a note on a position.", examples=(_STRANGERS_NOTE,)
        ),
        "POST": Operation(
            {200: shapes.NoteInfo},
            _REFUSALS.problems("note-text"),
            ChangedNoteBody,
            text="Change the text of an own note.",
            examples=(Example("Of a stranger", {"note_id": 1}, body={"text": "初形"}, status=401),),
        ),
        "DELETE": Operation(
            {204: None},
            text="Remove a note, as its author or as an owner of its library.",
            examples=(_STRANGERS_NOTE,),
        ),
    },
)
def position_note(request: Request, note_id: int) -> Response:
    """Return a note on a position; POST changes its text, DELETE removes it."""
    user = _owner(request)
    if request.method == "DELETE":
        if not notes.remove_note(user, note_id):
            raise Http404
        return Response(status=204)
    if request.method == "POST":
        fields = body(ChangedNoteBody, request)
        if _REFUSALS.run(lambda: notes.change_note(user, note_id, fields["text"])) is None:
            raise Http404
    readable = notes.readable_notes(user, readable_spaces(request._request))
    return Response(_note_info(request, get_object_or_404(readable, pk=note_id)))


def _note_info(request: Request, note: PositionNote) -> shapes.NoteInfo:
    return shapes.NoteInfo(
        id=note.pk,
        url=reverse("api:note", [note.pk], request=request),
        game=note.game,
        code=note.code,
        position_url=position_url(GAMES[note.game], note.code, request),
        text=note.text,
        author=note.author.get_username(),
        space=space_name(request._request, note.space_id),
        changed=note.changed,
        own=note.author_id == request.user.pk,
    )
