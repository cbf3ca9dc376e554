"""Limits of requests: what a request costs is charged to who asks. On pages a middleware does so
(`archive.http.throttles`), on the API REST framework, which knows who asks."""

import ipaddress
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
from archive.http.limits.addresses import HasMeta, client_address, neighbourhood
from archive.http.limits.counting import counter, key_of
from archive.http.limits.places import COME_AGAIN_SECONDS, places
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

_NOTED: Final = "archive.http.limits"
_OWED: Final = "archive.http.limits.owed"
_KNOWN: Final = "archive.http.limits.known"
_PLACE: Final = "archive.http.limits.place"

CHEAP: Final = 2
"""Units of `WORK` up to which a 304 costs nothing even where its answer had to be made to know it."""


class LimitReachedError(Throttled):
    """A quota is used up for so many seconds: 429, a problem detail or a page."""

    def __init__(self, seconds: float, detail: str | None = None) -> None:
        self.seconds = max(1, math.ceil(seconds))
        text = detail or _("Too many requests from your address. Try again in %(seconds)s seconds.")
        super().__init__(detail=text % {"seconds": self.seconds})
        self.wait = self.seconds


@dataclass(frozen=True, slots=True)
class Standing:
    """A visitor's standing with a rule after a request: what is told in the headers."""

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
    """Count a request against a rule; raise LimitReachedError where its quota was used up before.

    The request that uses up a quota still passes, however large it is: one larger than the quota never could.
    """
    quota = _quota(request, user, rule)
    if not settings.ARCHIVE_THROTTLE or not quota:
        return
    count = counter().add(key_of(rule.name, _who(request, user)), amount, rule.seconds)
    left = max(0, quota - count.total)
    standing = Standing(rule, quota, left, max(1, math.ceil(count.seconds)))
    request.META.setdefault(_NOTED, {})[rule] = standing
    if count.total - amount >= quota:
        raise LimitReachedError(count.seconds)


def charge_uploads(request: HasMeta, user: Any, files: int) -> None:
    """Count the files of an upload, once it is known how many there are.

    Raises LimitReachedError also where as many games as may be came of what was sent in a day.
    """
    charge(request, user, DAILY_GAMES, 0)
    charge(request, user, DAILY_FILES, files)
    charge(request, user, UPLOADS, files)


def payer(request: HasMeta, user: Any) -> str:
    """Return the name of the counter of the games that come of what somebody sends; nobody reads out of it
    who that is."""
    return key_of(DAILY_GAMES.name, _who(request, user)).hex()


def visitor(request: HasMeta, user: Any) -> str:
    """Return a name of whoever asks; nobody reads out of it who that is."""
    return key_of("visitor", _who(request, user)).hex()


def charge_games(name: str, games: int) -> None:
    """Count games that came of what was sent, under the name that `payer` gave then."""
    if settings.ARCHIVE_THROTTLE and name and games:
        counter().add(bytes.fromhex(name), games, DAILY_GAMES.seconds)


def charge_list(request: HasMeta, user: Any) -> None:
    """Count a list of all entries, once it is known that one is wanted and not a page."""
    charge(request, user, SOURCES, 1)


def charge_route(request: HttpRequest, user: Any) -> None:
    """Count a request against all rules of its route.

    One that has the tag of an answer is counted when it is known what became of it (`settle`): what has not
    changed costs nothing. Raises LimitReachedError where a quota was used up before, and where another search
    of the visitor's runs.
    """
    asked = charges(request)
    later = _has_tag(request)
    for rule, amount in asked:
        charge(request, user, rule, 0 if later else amount)
    if later:
        request.META[_OWED] = (user, asked)
    if settings.ARCHIVE_THROTTLE and may_take_long(request):
        _take_place(request, visitor(request, user))


def _take_place(request: HttpRequest, who: str) -> None:
    if not places.take(who):
        text = _("Another search of yours is still running. Try again in %(seconds)s seconds.")
        raise LimitReachedError(COME_AGAIN_SECONDS, text)
    request.META[_PLACE] = who


def leave_place(request: HttpRequest) -> None:
    """Let the visitor's next search begin, after a request that was one."""
    if (who := request.META.pop(_PLACE, None)) is not None:
        places.leave(who)


def _has_tag(request: HttpRequest) -> bool:
    """Return whether a request names an answer that it has; `*` names none and would make all free."""
    return request.method in ("GET", "HEAD") and request.headers.get("If-None-Match", "*").strip() != "*"


def costs_nothing(request: HttpRequest) -> None:
    """Note that a request was answered with 304 before anything was made."""
    request.META[_KNOWN] = True


def settle(request: HttpRequest, status: int) -> None:
    """Count a request that came with a tag, now that its answer has this status; 304 is free.

    But for what is dear and had to be made to know that: who asked for it again and again would pay nothing.
    """
    user, asked = request.META.pop(_OWED, (None, ()))
    if status == 304 and (_KNOWN in request.META or sum(amount for _rule, amount in asked) <= CHEAP):
        return
    for rule, amount in asked:
        with suppress(LimitReachedError):  # others of this visitor came in between; the next is refused
            charge(request, user, rule, amount)


def standings(request: HasMeta) -> list[Standing]:
    """Return how the visitor stands with each rule that this request was charged against."""
    found: dict[Rule, Standing] = request.META.get(_NOTED, {})
    return [*found.values()]


def _who(request: HasMeta, user: Any) -> str:
    if user.is_authenticated:
        return f"user {user.pk}"
    return f"address {neighbourhood(client_address(request))}"


def _quota(request: HasMeta, user: Any, rule: Rule) -> int:
    """Return how much somebody may ask for; 0 for no limit."""
    if isinstance(rule, RuleOfRoles) and (role := role_of(user)) is not None:
        return rule.of_role(role)
    return rule.quota * _factor(request, user)


def _factor(request: HasMeta, user: Any) -> int:
    """Return how many times as much as an anonymous address of elsewhere."""
    if user.is_authenticated:
        return int(settings.ARCHIVE_THROTTLE_STAFF if user.is_staff else settings.ARCHIVE_THROTTLE_USERS)
    try:
        here = ipaddress.ip_address(client_address(request)).is_loopback
    except ValueError:
        return 1
    return int(settings.ARCHIVE_THROTTLE_LOOPBACK) if here else 1


class RouteThrottle(BaseThrottle):
    """REST framework's hook: after it has found out who asks, before a body is read."""

    def allow_request(self, request: Request, view: Any) -> bool:
        charge_route(request._request, request.user)
        return True
