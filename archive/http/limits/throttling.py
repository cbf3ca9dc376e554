"""Charge requests to their clients: for pages in a middleware (`archive.http.throttles`), for the API in
REST framework, after authentication."""

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from archive.accounts.roles import role_of
from archive.http.limits.addresses import HasMeta, client_address, client_network, parse_address
from archive.http.limits.counting import counter, key_of
from archive.http.limits.places import RETRY_SECONDS, places
from archive.http.limits.rules import (
    DAILY_FILES,
    DAILY_GAMES,
    SOURCES,
    UPLOADS,
    Rule,
    RuleOfRoles,
    charges,
    may_take_long,
)

_STATES: Final = "archive.http.limits"
_DEFERRED: Final = "archive.http.limits.deferred"
_UNCHANGED: Final = "archive.http.limits.unchanged"
_PLACE: Final = "archive.http.limits.place"

CHEAP: Final = 2
"""Units of `WORK` up to which a 304 is free even if its answer had to be computed."""


class LimitReachedError(Throttled):
    """A quota is used up for some seconds; answered with 429."""

    def __init__(self, seconds: float, detail: str | None = None) -> None:
        self.seconds = max(1, math.ceil(seconds))
        text = detail or _("Too many requests from your address. Try again in %(seconds)s seconds.")
        super().__init__(detail=text % {"seconds": self.seconds})
        self.wait = self.seconds


@dataclass(frozen=True, slots=True)
class QuotaState:
    """The state of a client's quota after a request, for the `RateLimit` headers."""

    rule: Rule
    quota: int
    left: int
    seconds: int

    @property
    def policy(self) -> str:
        unit = f';qu="{self.rule.unit}"' if self.rule.unit else ""
        return f'"{self.rule.name}";q={self.quota}{unit};w={self.rule.seconds}'

    @property
    def limit(self) -> str:
        return f'"{self.rule.name}";r={self.left};t={self.seconds}'


def charge(request: HasMeta, user: Any, rule: Rule, amount: int) -> None:
    """Count a request against a rule. Raises LimitReachedError if its quota was used up before: the request
    that exceeds a quota still passes, since one larger than the quota never could otherwise."""
    quota = _quota(request, user, rule)
    if not settings.ARCHIVE_THROTTLE or not quota:
        return
    count = counter().add(key_of(rule.name, _client_name(request, user)), amount, rule.seconds)
    left = max(0, quota - count.total)
    state = QuotaState(rule, quota, left, max(1, math.ceil(count.seconds)))
    request.META.setdefault(_STATES, {})[rule] = state
    if count.total - amount >= quota:
        raise LimitReachedError(count.seconds)


def charge_uploads(request: HasMeta, user: Any, files: int) -> None:
    """Count the files of an upload. Raises LimitReachedError, also if the client's uploads of the day had too
    many games."""
    charge(request, user, DAILY_GAMES, 0)
    charge(request, user, DAILY_FILES, files)
    charge(request, user, UPLOADS, files)


def games_counter(request: HasMeta, user: Any) -> str:
    """Return the key of the counter of games that a client uploads. It does not reveal the client."""
    return key_of(DAILY_GAMES.name, _client_name(request, user)).hex()


def visitor_key(request: HasMeta, user: Any) -> str:
    """Return a key of the client, which does not reveal the client."""
    return key_of("visitor", _client_name(request, user)).hex()


def charge_games(key: str, games: int) -> None:
    """Add games that were stored from an upload to the counter of a key of `games_counter`."""
    if settings.ARCHIVE_THROTTLE and key and games:
        counter().add(bytes.fromhex(key), games, DAILY_GAMES.seconds)


def charge_list(request: HasMeta, user: Any) -> None:
    """Count a list of all entries of an upload."""
    charge(request, user, SOURCES, 1)


def charge_route(request: HttpRequest, user: Any) -> None:
    """Count a request against all rules of its route.

    A conditional request is counted after its answer (`settle_charges`), since 304 is free. Raises
    LimitReachedError if a quota was used up before, or another slow search of the visitor runs.
    """
    costs = charges(request)
    deferred = _is_conditional(request)
    for rule, amount in costs:
        charge(request, user, rule, 0 if deferred else amount)
    if deferred:
        request.META[_DEFERRED] = (user, costs)
    if settings.ARCHIVE_THROTTLE and may_take_long(request):
        _take_place(request, visitor_key(request, user))


def _take_place(request: HttpRequest, visitor: str) -> None:
    if not places.take(visitor):
        text = _("Another search of yours is still running. Try again in %(seconds)s seconds.")
        raise LimitReachedError(RETRY_SECONDS, text)
    request.META[_PLACE] = visitor


def leave_place(request: HttpRequest) -> None:
    """Let the visitor's next slow search begin, if this request was one."""
    if (visitor := request.META.pop(_PLACE, None)) is not None:
        places.leave(visitor)


def _is_conditional(request: HttpRequest) -> bool:
    """Return whether a request sends an entity tag. `*` is none: it would make every request free."""
    return request.method in ("GET", "HEAD") and request.headers.get("If-None-Match", "*").strip() != "*"


def mark_unchanged(request: HttpRequest) -> None:
    """Mark a request whose 304 needed no computed answer."""
    request.META[_UNCHANGED] = True


def settle_charges(request: HttpRequest, status: int) -> None:
    """Count a conditional request after its answer. 304 is free, unless an expensive answer was computed."""
    user, costs = request.META.pop(_DEFERRED, (None, ()))
    if status == 304 and (_UNCHANGED in request.META or sum(amount for _rule, amount in costs) <= CHEAP):
        return
    for rule, amount in costs:
        # Other requests of the client may have used up the quota meanwhile; the next one is refused.
        with suppress(LimitReachedError):
            charge(request, user, rule, amount)


def quota_states(request: HasMeta) -> list[QuotaState]:
    """Return the state of each quota that this request was charged to."""
    return [*request.META.get(_STATES, {}).values()]


def _client_name(request: HasMeta, user: Any) -> str:
    if user.is_authenticated:
        return f"user {user.pk}"
    return f"address {client_network(client_address(request))}"


def _quota(request: HasMeta, user: Any, rule: Rule) -> int:
    """Return the quota of a client; 0 is no limit."""
    if isinstance(rule, RuleOfRoles) and (role := role_of(user)) is not None:
        return rule.of_role(role)
    return rule.quota * _factor(request, user)


def _factor(request: HasMeta, user: Any) -> int:
    """Return the client's quota as a multiple of that of an anonymous remote address."""
    if user.is_authenticated:
        return int(settings.ARCHIVE_THROTTLE_STAFF if user.is_staff else settings.ARCHIVE_THROTTLE_USERS)
    address = parse_address(client_address(request))
    return int(settings.ARCHIVE_THROTTLE_LOOPBACK) if address and address.is_loopback else 1


class RouteThrottle(BaseThrottle):
    """Charges API requests, after authentication and before a body is read."""

    def allow_request(self, request: Request, view: Any) -> bool:
        charge_route(request._request, request.user)
        return True
