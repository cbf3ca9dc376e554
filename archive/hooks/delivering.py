"""Deliveries of hooks: the new games of a hook are put into a delivery, which is then sent.

A delivery is stored before it is sent, with the ids of its games. So a killed process loses nothing: the next
one sends the delivery again under the same id. A hook has one delivery of games at a time, so games arrive in
order. A process claims the hook that it works on; nothing is sent within a transaction.
"""

from __future__ import annotations

import random
import secrets
import time
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from archive.hooks import sending
from archive.hooks.addresses import look_up, target_of
from archive.hooks.arrivals import last_number
from archive.hooks.errors import HookError
from archive.hooks.own_hooks import LISTED_DELIVERIES, disable_hook
from archive.hooks.sending import PostResult
from archive.hooks.signing import secret_of, signature
from archive.http.limits.throttling import LimitReachedError
from archive.models import Arrival, Hook, HookDelivery
from archive.project.site_address import site_address
from archive.queries.games.filters import GameFilters
from archive.queries.games.game_json import GameInfo, moment_text
from archive.queries.games.listing import GameRow, games_among
from archive.queries.patterns.pattern_slots import is_waiting_for_columns
from archive.queries.scope import Scope, spaces_of
from archive.queries.search.errors import LATER, STATUSES, TOO_SLOW, QueryError
from archive.shapes.encoding import encode

MOST: Final = 100
"""Games of one delivery."""
BATCHES: Final = (1_000, 50)
"""Arrivals that are examined together; the smaller number after a timeout."""
TURN_SECONDS: Final = 20.0
"""Time for one hook before others have their turn."""
CLAIM_SECONDS: Final = 120
"""How long a claim lasts after each request, which takes a tenth of that."""
PAUSES: Final = (60, 300, 1_800, 7_200, 21_600)
"""Seconds after each failure; the last one is repeated."""
JITTER: Final = 0.1
GONE: Final = 410

Off = Hook.Off


def due_hooks() -> dict[int, int]:
    """Return the hooks that have work to do and are not claimed: the ids of their accounts by their own."""
    now = timezone.now()
    waiting = HookDelivery.objects.filter(hook=OuterRef("pk")).exclude(next_try=None)
    due, head = Exists(waiting.filter(next_try__lte=now)), Exists(waiting.filter(test=False))
    free = Hook.objects.filter(disabled="").filter(Q(claimed_until=None) | Q(claimed_until__lte=now))
    with_work = free.filter(due | (Q(marker__lt=last_number()) & ~head))
    return dict(with_work.order_by("pk").values_list("pk", "user"))


def deliver(pk: int, seconds: float = TURN_SECONDS) -> None:
    """Work on a hook until there is nothing to do, or its turn is over; do nothing if it is claimed."""
    token = secrets.token_hex(16)
    free = Q(claimed_until=None) | Q(claimed_until__lte=timezone.now())
    if not _claim(Hook.objects.filter(free, pk=pk, disabled=""), token):
        return
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until and _step(pk, token):
            pass
    finally:
        _mine(pk, token).update(claimed_by="", claimed_until=None)


def _claim(hooks: QuerySet[Hook], token: str) -> bool:
    until = timezone.now() + timedelta(seconds=CLAIM_SECONDS)
    return bool(hooks.update(claimed_by=token, claimed_until=until))


def _mine(pk: int, token: str) -> QuerySet[Hook]:
    return Hook.objects.filter(pk=pk, claimed_by=token)


def _step(pk: int, token: str) -> bool:
    """Send the due delivery, or prepare one; return whether there may be more to do."""
    hook = _mine(pk, token).filter(disabled="").select_related("user").first()
    if hook is None:
        return False
    scope = scope_of_hook(hook)
    if scope is None:
        disable_hook(hook, Off.RIGHTS)
        return False
    waiting = hook.deliveries.exclude(next_try=None).order_by("made")
    delivery = waiting.filter(next_try__lte=timezone.now()).first()
    if delivery is None:
        return not waiting.filter(test=False).exists() and _prepare(hook, scope, token)
    if not _claim(_mine(pk, token), token):
        return False
    _send(hook, scope, delivery)
    return True


def scope_of_hook(hook: Hook) -> Scope | None:
    """Return the scope of a hook; None if its owner may not read all of it now."""
    if not hook.user.is_active:
        return None
    readable = spaces_of(hook.user)
    names = hook.scope.split(",")
    if not set(names) <= readable.keys():
        return None
    return Scope(tuple(sorted({readable[name] for name in names})), account=hook.user_id)


# --- deliveries ------------------------------------------------------------------------------------------


def _prepare(hook: Hook, scope: Scope, token: str) -> bool:
    """Put the next arrivals that match a hook into a delivery; return whether there were any arrivals."""
    for count in BATCHES:
        arrivals = list(Arrival.objects.filter(number__gt=hook.marker).order_by("number")[:count])
        if not arrivals:
            return False
        new = [one for one in arrivals if one.space in scope.spaces and one.at >= hook.made]
        games = sorted({one.game for one in new})
        try:
            if is_waiting_for_columns(scope, hook.query, games):
                return False
            rows = games_among(scope, GameFilters(q=hook.query or None), games)
        except QueryError as error:
            if error.code == TOO_SLOW and count != BATCHES[-1]:
                continue
            if error.code not in LATER:
                disable_hook(hook, Off.SLOW if error.status == STATUSES[TOO_SLOW] else Off.QUERY)
            return False
        _advance(hook, token, arrivals, {row.id for row in rows} & {one.game for one in new})
        return True
    return False


def _advance(hook: Hook, token: str, arrivals: list[Arrival], matches: set[int]) -> None:
    """Store a delivery of the first matching games, and the number of the last arrival that it covers."""
    numbers: dict[int, int] = {}
    for one in arrivals:
        if one.game in matches and one.number is not None:
            numbers.setdefault(one.game, one.number)
    games = list(numbers)[:MOST]
    last = arrivals[-1].number if len(games) == len(numbers) else numbers[games[-1]]
    with transaction.atomic():
        if _mine(hook.pk, token).update(marker=last) and games:
            HookDelivery.objects.create(hook=hook, games=games)


def _send(hook: Hook, scope: Scope, delivery: HookDelivery) -> None:
    """Send a delivery once, with those of its games that its owner may read now, and store the outcome."""
    rows = {row.id: row for row in games_among(scope, GameFilters(), delivery.games)}
    games = [rows[pk] for pk in delivery.games if pk in rows]
    if not games and not delivery.test:
        _end(delivery, PostResult(error="nothing-left"))
        return
    timestamp = int(time.time())
    body = body_of(hook, delivery, games)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "kifu-archive",
        "X-Kifu-Delivery": str(delivery.pk),
        "X-Kifu-Timestamp": str(timestamp),
        "X-Kifu-Signature": signature(secret_of(hook.salt), timestamp, body),
    }
    try:
        target = target_of(hook.address)
        outcome = sending.post(target, look_up(target, hook.user_id), headers, body)
    except HookError as error:
        outcome = PostResult(error=error.code)
    except LimitReachedError as error:
        # A limit of our own is no failure of the receiver.
        again = timezone.now() + timedelta(seconds=error.seconds)
        HookDelivery.objects.filter(pk=delivery.pk).update(next_try=again)
        return
    _store_outcome(hook, delivery, outcome)


def body_of(hook: Hook, delivery: HookDelivery, games: list[GameRow]) -> bytes:
    """Return the JSON of a delivery."""
    spaces = {space: name for name, space in spaces_of(hook.user).items()}
    members = {
        "hook": hook.pk,
        "delivery": str(delivery.pk),
        "made": moment_text(delivery.made),
        "test": delivery.test,
        "games": [
            GameInfo.from_row(row, site_address() + reverse("api:game", args=[row.id]), spaces[row.space])
            for row in games
        ],
    }
    return encode(members)


# --- outcomes --------------------------------------------------------------------------------------------


def _store_outcome(hook: Hook, delivery: HookDelivery, outcome: PostResult) -> None:
    now = timezone.now()
    if outcome.good or delivery.test:
        if outcome.good:
            Hook.objects.filter(pk=hook.pk).update(failing_since=None)
        _end(delivery, outcome)
        return
    since = hook.failing_since or now
    Hook.objects.filter(pk=hook.pk).update(failing_since=since)
    tries = delivery.tries + 1
    again = now + timedelta(seconds=pause(tries, outcome.wait))
    _tried(delivery, outcome, next_try=again, tries=tries)
    if outcome.status == GONE:
        disable_hook(hook, Off.GONE)
    elif tries > len(PAUSES) and now - since >= timedelta(days=settings.ARCHIVE_HOOKS_DAYS):
        # The number of tries counts, too: days in which the archive is down are no failures of the receiver.
        disable_hook(hook, Off.FAILING)


def pause(tries: int, wait: int = 0) -> float:
    """Return the seconds until the next try after a number of failures.

    The receiver's `wait` extends the pause, up to the longest one; some jitter spreads the tries of many
    hooks.
    """
    usual = PAUSES[min(tries, len(PAUSES)) - 1]
    return max(usual, min(wait, PAUSES[-1])) * random.uniform(1, 1 + JITTER)


def _end(delivery: HookDelivery, outcome: PostResult) -> None:
    _tried(delivery, outcome, next_try=None, tries=delivery.tries + 1)
    finished = HookDelivery.objects.filter(hook=delivery.hook_id, next_try=None).order_by("-made")
    old = list(finished.values_list("pk", flat=True)[LISTED_DELIVERIES:])
    HookDelivery.objects.filter(pk__in=old).delete()


def _tried(delivery: HookDelivery, outcome: PostResult, **values: object) -> None:
    HookDelivery.objects.filter(pk=delivery.pk).update(
        last_try=timezone.now(), status=outcome.status, error=outcome.error, **values
    )
