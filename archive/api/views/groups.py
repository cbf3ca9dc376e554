"""The spaces that a visitor may read, and groups: their members and invitations."""

from collections.abc import Callable
from typing import Any

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive import libraries
from archive.api.accounts import owner_of
from archive.api.bodies.libraries import GroupBody, InvitationBody, JoinBody, MemberBody
from archive.api.endpoints import body, endpoint
from archive.api.operations import Example, Operation
from archive.api.shapes import site as shapes
from archive.api.views.libraries import REFUSALS
from archive.intake.permissions import may_upload
from archive.libraries import LibraryError
from archive.models import Space, User
from archive.project.site_address import public_address
from archive.queries.games.statistics import counts
from archive.queries.scope import (
    NOWHERE,
    Scope,
    asks_all,
    readable_spaces,
    scope_of,
    selectable_spaces,
)


def _of_a_stranger(**more: Any) -> tuple[Example, ...]:
    return (Example("Of a stranger", status=401, **more),)


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation(
            {200: shapes.Spaces},
            text="List the spaces that the visitor may read: the public one, the own library, groups.",
            examples=(Example("Of a stranger"),),
        ),
        "POST": Operation(
            {201: shapes.SpaceInfo},
            REFUSALS.problems("group-name", "too-many-groups"),
            GroupBody,
            text="Create a group, of which the visitor becomes the owner.",
            examples=_of_a_stranger(body={"name": "研究会"}),
        ),
    },
)
def spaces(request: Request) -> Response:
    """List the spaces that the visitor may read; POST creates a group."""
    if request.method == "POST":
        fields, user = body(GroupBody, request), owner_of(request)
        try:
            group = libraries.create_group(user, fields["name"])
        except LibraryError as error:
            raise REFUSALS.problem(error) from error
        return Response(_space(request, f"group-{group.pk}", group.pk, group.name), status=201)
    readable = selectable_spaces(request)
    titles = libraries.space_names(readable.values())
    return Response(
        shapes.Spaces([_space(request, name, space, titles[space]) for name, space in readable.items()])
    )


def _space(request: Request, name: str, space: int, title: str) -> shapes.SpaceInfo:
    group = name.startswith("group-")
    default = scope_of(request)
    return shapes.SpaceInfo(
        name=name,
        title=title,
        games=counts(Scope((space,))).games,
        is_default=space in default.spaces or (space == NOWHERE and asks_all(request)),
        may_upload=may_upload(request),
        id=space if group else None,
        members_url=reverse("api:space-members", [space], request=request) if group else None,
    )


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.SpaceInfo},
        REFUSALS.problems("no-invitation", "too-many-members"),
        JoinBody,
        examples=_of_a_stranger(body={"key": "x"}),
    ),
)
def join(request: Request) -> Response:
    """Accept an invitation into a group, by the key of its link."""
    fields, user = body(JoinBody, request), owner_of(request)
    try:
        group = libraries.join(user, fields["key"])
    except LibraryError as error:
        raise REFUSALS.problem(error) from error
    return Response(_space(request, f"group-{group.pk}", group.pk, group.name))


@endpoint(
    "POST",
    operation=Operation(
        {204: None},
        REFUSALS.problems("group-name", "not-an-owner"),
        GroupBody,
        examples=_of_a_stranger(parts={"space": 1}, body={"name": "研究会"}),
    ),
)
def rename(request: Request, space: int) -> Response:
    """Rename a group, as an owner."""
    fields, user = body(GroupBody, request), owner_of(request)
    return _changed(lambda group: libraries.rename(user, group, fields["name"]), request, space)


@endpoint(
    "GET",
    operation=Operation(
        {200: shapes.Members}, examples=(Example("Of a stranger", {"space": 1}, status=404),)
    ),
)
def members(request: Request, space: int) -> Response:
    """List the members of a group, for members only."""
    group = _group(request, space)
    return Response(
        shapes.Members(
            name=group.name,
            owner=libraries.owns(request.user, space),
            invitations=libraries.open_invitations(group),
            results=[
                shapes.MemberInfo(one.user_id, one.user.username, one.owner)
                for one in libraries.members(group)
            ],
        )
    )


@endpoint(
    "POST",
    "DELETE",
    operation={
        "POST": Operation(
            {204: None},
            REFUSALS.problems("not-an-owner", "last-owner"),
            MemberBody,
            text="Make a member an owner or an ordinary member, as an owner.",
            examples=_of_a_stranger(parts={"space": 1, "member": 1}, body={"owner": True}),
        ),
        "DELETE": Operation(
            {204: None},
            REFUSALS.problems("not-an-owner", "last-owner", "group-has-games"),
            text="Leave a group, or remove a member, as an owner. A group without members is deleted.",
        ),
    },
)
def member(request: Request, space: int, member: int) -> Response:
    """Make a member an owner or an ordinary member; DELETE removes the member, or leaves the group."""
    if request.method == "DELETE":
        user = owner_of(request)
        return _changed(lambda group: libraries.dismiss(user, group, member), request, space)
    fields, user = body(MemberBody, request), owner_of(request)
    change = libraries.promote if fields["owner"] else libraries.demote
    return _changed(lambda group: change(user, group, member), request, space)


@endpoint(
    "POST",
    "DELETE",
    operation={
        "POST": Operation(
            {201: shapes.InvitationInfo},
            REFUSALS.problems("not-an-owner", "too-many-invitations"),
            InvitationBody,
            text="Make a link that invites to a group, as an owner. It is shown here and never again.",
            examples=_of_a_stranger(parts={"space": 1}, body={"people": 1}),
        ),
        "DELETE": Operation(
            {204: None},
            REFUSALS.problems("not-an-owner"),
            text="End all unused invitations into a group, as an owner.",
        ),
    },
)
def invitations(request: Request, space: int) -> Response:
    """Make a link that invites to a group; DELETE ends all unused ones."""
    if request.method == "DELETE":
        user = owner_of(request)
        return _changed(lambda group: libraries.end_invitations(user, group), request, space)
    fields, user = body(InvitationBody, request), owner_of(request)
    try:
        key = libraries.invite(user, _group(request, space), people=fields["people"])
    except LibraryError as error:
        raise REFUSALS.problem(error) from error
    address = public_address(reverse("join", [key], request=request))
    return Response(shapes.InvitationInfo(key, address, fields["people"]), status=201)


def _group(request: Request, space: int) -> Space:
    """Return a group. Raises Http404 unless the visitor is a member."""
    if not isinstance(request.user, User) or f"group-{space}" not in readable_spaces(request):
        raise Http404
    return Space.objects.get(pk=space)


def _changed(change: Callable[[Space], object], request: Request, space: int) -> Response:
    try:
        change(_group(request, space))
    except LibraryError as error:
        raise REFUSALS.problem(error) from error
    return Response(status=204)
