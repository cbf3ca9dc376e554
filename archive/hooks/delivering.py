"""From new games to requests: what a hook has not been told of yet is put into a delivery, and sent.

A delivery is a row before it is sent, with the ids of its games; so who is killed anywhere loses nothing, and
whoever goes on sends it again under the same id. A hook has one delivery of games at a time, so games come in
order. Who works on a hook has claimed it; nothing is sent within a transaction.
"""

from __future__ import annotations

import json
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
from archive.hooks.keeping import SHOWN, disable
from archive.hooks.sending import Outcome
from archive.hooks.signing import secret_of, signature
from archive.http.limits.throttling import LimitReachedError
from archive.models import Arrival, Hook, HookDelivery
from archive.project.site_address import site_address
from archive.queries.games.filters import GameFilters
from archive.queries.games.game_json import moment_text, row_json
from archive.queries.games.listing import GameRow, games_among
from archive.queries.patterns.pattern_slots import is_waiting_for_columns
from archive.queries.scope import Scope, spaces_of
from archive.queries.search.errors import LATER, STATUSES, TOO_SLOW, QueryError

MOST: Final = 100
"""Games of one delivery."""
READ: Final = (1_000, 50)
"""Arrivals that are looked at together; fewer where that takes too long."""
TURN_SECONDS: Final = 20.0
"""So long one hook is worked on, then others have their turn."""
CLAIM_SECONDS: Final = 120
"""How long a claim lasts after each sending, which takes a tenth of it."""
PAUSES: Final = (60, 300, 1_800, 7_200, 21_600)
"""Seconds after each failure; the last one is for all that follow."""
JITTER: Final = 0.1
GONE: Final = 410

Off = Hook.Off


def due_hooks() -> dict[int, int]:
    """Return the ids of the hooks that there is something to do for and that nobody works on, each with that
    of its account."""
    now = timezone.now()
    waiting = HookDelivery.objects.filter(hook=OuterRef("pk")).exclude(next_try=None)
    due, head = Exists(waiting.filter(next_try__lte=now)), Exists(waiting.filter(test=False))
    free = Hook.objects.filter(disabled="").filter(Q(claimed_until=None) | Q(claimed_until__lte=now))
    found = free.filter(due | (Q(marker__lt=last_number()) & ~head))
    return dict(found.order_by("pk").values_list("pk", "user"))


def deliver(pk: int, seconds: float = TURN_SECONDS) -> None:
    """Work on a hook until there is nothing to do now, or its turn is over; do nothing where others do."""
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
    """Send what is due, or find what is to be sent; return whether there may be more to do."""
    hook = _mine(pk, token).filter(disabled="").select_related("user").first()
    if hook is None:
        return False
    scope = scope_of_hook(hook)
    if scope is None:
        disable(hook, Off.RIGHTS)
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
    """Return what a hook tells of, of which its owner may read all now; None where that is not so."""
    if not hook.user.is_active:
        return None
    readable = spaces_of(hook.user)
    names = hook.scope.split(",")
    if not set(names) <= readable.keys():
        return None
    return Scope(tuple(sorted({readable[name] for name in names})))


# --- what is sent ----------------------------------------------------------------------------------------


def _prepare(hook: Hook, scope: Scope, token: str) -> bool:
    """Look at the next arrivals, and put the games that a hook is to tell of into a delivery; return whether
    there were any arrivals."""
    for count in READ:
        arrivals = list(Arrival.objects.filter(number__gt=hook.marker).order_by("number")[:count])
        if not arrivals:
            return False
        new = [one for one in arrivals if one.space in scope.spaces and one.at >= hook.made]
        games = sorted({one.game for one in new})
        try:
            if is_waiting_for_columns(scope, hook.query, games):
                return False
            rows = games_among(scope, _filters(hook), games)
        except QueryError as error:
            if error.code == TOO_SLOW and count != READ[-1]:
                continue
            if error.code not in LATER:
                disable(hook, Off.SLOW if error.status == STATUSES[TOO_SLOW] else Off.QUERY)
            return False
        _advance(hook, token, arrivals, {row.id for row in rows} & {one.game for one in new})
        return True
    return False


def _filters(hook: Hook) -> GameFilters:
    return GameFilters(q=hook.query or None)


def _advance(hook: Hook, token: str, arrivals: list[Arrival], found: set[int]) -> None:
    """Store a delivery of the first of the games found, and up to which arrival the hook is done."""
    numbers: dict[int, int] = {}
    for one in arrivals:
        if one.game in found and one.number is not None:
            numbers.setdefault(one.game, one.number)
    games = list(numbers)[:MOST]
    last = arrivals[-1].number if len(games) == len(numbers) else numbers[games[-1]]
    with transaction.atomic():
        if _mine(hook.pk, token).update(marker=last) and games:
            HookDelivery.objects.create(hook=hook, games=games)


def _send(hook: Hook, scope: Scope, delivery: HookDelivery) -> None:
    """Send a delivery once, with those of its games that its owner may read now, and note what became of
    it."""
    rows = {row.id: row for row in games_among(scope, GameFilters(), delivery.games)}
    told = [rows[pk] for pk in delivery.games if pk in rows]
    if not told and not delivery.test:
        _end(delivery, Outcome(error="nothing-left"))
        return
    timestamp = int(time.time())
    body = body_of(hook, delivery, told)
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
        outcome = Outcome(error=error.code)
    except LimitReachedError as error:
        # It waits for us: that is no failure of the receiver's.
        again = timezone.now() + timedelta(seconds=error.seconds)
        HookDelivery.objects.filter(pk=delivery.pk).update(next_try=again)
        return
    _note(hook, delivery, outcome)


def body_of(hook: Hook, delivery: HookDelivery, games: list[GameRow]) -> bytes:
    """Return the JSON of a delivery."""
    spaces = {space: name for name, space in spaces_of(hook.user).items()}
    told = {
        "hook": hook.pk,
        "delivery": str(delivery.pk),
        "made": moment_text(delivery.made),
        "test": delivery.test,
        "games": [
            row_json(row, site_address() + reverse("api:game", args=[row.id]), spaces[row.space])
            for row in games
        ],
    }
    return json.dumps(told, ensure_ascii=False).encode()


# --- what became of it -----------------------------------------------------------------------------------


def _note(hook: Hook, delivery: HookDelivery, outcome: Outcome) -> None:
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
        disable(hook, Off.GONE)
    elif tries > len(PAUSES) and now - since >= timedelta(days=settings.ARCHIVE_HOOKS_DAYS):
        # Days in which an archive stands still are no failures of the receiver's.
        disable(hook, Off.FAILING)


def pause(tries: int, wait: int = 0) -> float:
    """Return how many seconds a delivery rests after so many failures: as long as the receiver asks for, up
    to the longest pause, and a little more or less, so that not all come back at once."""
    usual = PAUSES[min(tries, len(PAUSES)) - 1]
    return max(usual, min(wait, PAUSES[-1])) * random.uniform(1, 1 + JITTER)


def _end(delivery: HookDelivery, outcome: Outcome) -> None:
    """Note that a delivery is over, and forget the oldest that are."""
    _tried(delivery, outcome, next_try=None, tries=delivery.tries + 1)
    over = HookDelivery.objects.filter(hook=delivery.hook_id, next_try=None).order_by("-made")
    old = list(over.values_list("pk", flat=True)[SHOWN:])
    HookDelivery.objects.filter(pk__in=old).delete()


def _tried(delivery: HookDelivery, outcome: Outcome, **values: object) -> None:
    HookDelivery.objects.filter(pk=delivery.pk).update(
        last_try=timezone.now(), status=outcome.status, error=outcome.error, **values
    )
