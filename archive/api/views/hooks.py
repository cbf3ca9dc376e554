"""The webhooks of the visitor's account."""

from typing import Final

from django.http import Http404
from django.shortcuts import get_object_or_404
from msgspec import UNSET, UnsetType
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.accounts.roles import may_hook
from archive.api.bodies.hooks import HookBody
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError, query_error
from archive.api.operations import QUERIES, Example, Operation
from archive.api.shapes.hooks import DeliveryInfo, HookInfo, Hooks
from archive.hooks import own_hooks
from archive.hooks.errors import TEXTS, HookError
from archive.models import Hook, HookDelivery, User
from archive.queries.scope import read_private, readable_spaces
from archive.queries.search.errors import QueryError

_STRANGER: Final = Example("Of a stranger", status=401)
_STRANGERS_HOOK: Final = Example("Of a stranger", {"hook_id": 1}, status=401)


@endpoint(
    "GET",
    "POST",
    operation={
        "GET": Operation({200: Hooks}, text="List the webhooks of the account.", examples=(_STRANGER,)),
        "POST": Operation(
            {201: HookInfo},
            {400: (*TEXTS, *QUERIES[400])},
            HookBody,
            text="Make a webhook. Its secret is shown here and never again.",
            examples=(
                Example("Of a stranger", body={"target_url": "https://kifu.example/new-games"}, status=401),
            ),
        ),
    },
)
def hooks(request: Request) -> Response:
    """List the webhooks of the account; POST makes a new one."""
    user = _owner(request)
    if request.method != "POST":
        own = Hook.objects.filter(user=user).order_by("pk")
        return Response(Hooks([_hook_info(request, hook) for hook in own]))
    fields = body(HookBody, request)
    try:
        hook, secret = own_hooks.make_hook(
            user, fields["target_url"], fields["query"], fields["scope"], readable_spaces(request)
        )
    except HookError as error:
        mistake = {"field": error.field, "detail": error.english, "message": error.text}
        raise ApiError(error.code, error.english, errors=[mistake] if error.field else None) from error
    except QueryError as error:
        raise query_error(error, "query") from error
    return Response(_hook_info(request, hook, secret), status=201)


@endpoint(
    "GET",
    "DELETE",
    operation={
        "GET": Operation(
            {200: HookInfo}, text="Describe a webhook and its last deliveries.", examples=(_STRANGERS_HOOK,)
        ),
        "DELETE": Operation({204: None}, text="Remove a webhook and its waiting deliveries."),
    },
)
def hook(request: Request, hook_id: int) -> Response:
    """Describe a webhook and its last deliveries; DELETE removes it."""
    user = _owner(request)
    if request.method == "DELETE":
        if not own_hooks.remove_hook(user, hook_id):
            raise Http404
        return Response(status=204)
    return Response(_hook_info(request, get_object_or_404(Hook, pk=hook_id, user=user)))


@endpoint(
    "POST", operation=Operation({202: DeliveryInfo}, {409: ("hook-disabled",)}, examples=(_STRANGERS_HOOK,))
)
def test(request: Request, hook_id: int) -> Response:
    """Send a delivery without games to a webhook soon; nothing is sent if the webhook is switched off."""
    own = get_object_or_404(Hook, pk=hook_id, user=_owner(request))
    if own.disabled:
        raise ApiError("hook-disabled", "this webhook is switched off: enable it first", 409)
    return Response(_delivery_info(own_hooks.request_test(own)), status=202)


@endpoint("POST", operation=Operation({200: HookInfo}, examples=(_STRANGERS_HOOK,)))
def enable(request: Request, hook_id: int) -> Response:
    """Switch a webhook on again, and send its waiting deliveries."""
    user = _owner(request)
    own = get_object_or_404(Hook, pk=hook_id, user=user)
    own_hooks.enable_hook(user, own)
    own.refresh_from_db()
    return Response(_hook_info(request, own))


def _owner(request: Request) -> User:
    if not isinstance(request.user, User):
        raise NotAuthenticated("sign in, or send a token for webhooks")
    if not may_hook(request.user):
        raise PermissionDenied("this token is not for webhooks")
    read_private(request._request)
    return request.user


def _hook_info(request: Request, hook: Hook, secret: str | UnsetType = UNSET) -> HookInfo:
    return HookInfo(
        id=hook.pk,
        url=reverse("api:hook", [hook.pk], request=request),
        target_url=hook.address,
        query=hook.query,
        scope=hook.scope,
        made=hook.made,
        disabled=hook.disabled,
        failing_since=hook.failing_since,
        deliveries=[
            _delivery_info(one) for one in hook.deliveries.order_by("-made")[: own_hooks.LISTED_DELIVERIES]
        ],
        secret=secret,
    )


def _delivery_info(delivery: HookDelivery) -> DeliveryInfo:
    return DeliveryInfo(
        id=str(delivery.pk),
        made=delivery.made,
        games=len(delivery.games),
        test=delivery.test,
        tries=delivery.tries,
        next_try=delivery.next_try,
        last_try=delivery.last_try,
        status=delivery.status,
        error=delivery.error,
    )
