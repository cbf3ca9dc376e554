"""Webhooks: arrivals of games, subscriptions, and deliveries."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Arrival(models.Model):
    """A game that was stored in a space or moved there; written in the same transaction.

    Transactions commit in another order than they begin, so ids do not show which arrivals are new. `number`
    does: one process at a time assigns it to committed arrivals.
    """

    game = models.BigIntegerField(db_index=True)
    space = models.BigIntegerField()
    at = models.DateTimeField(default=timezone.now)
    moved = models.BooleanField(default=False)
    number = models.BigIntegerField(null=True, unique=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="arrival_unnumbered", condition=models.Q(number=None)),
            models.Index(fields=["space", "id"], name="arrival_moved", condition=models.Q(moved=True)),
        ]

    def __str__(self) -> str:
        return f"game {self.game} in {self.space}"


class Hook(models.Model):
    """A URL that receives new games which its owner may read (`archive.hooks`)."""

    class Off(models.TextChoices):
        FAILING = "failing", _("it failed for too long")
        GONE = "gone", _("the receiver says that it is gone (410)")
        RIGHTS = "rights", _("you may no longer read there")
        QUERY = "query", _("the query is no longer valid")
        SLOW = "slow", _("the query takes too long")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="hooks")
    address = models.TextField()
    query = models.TextField(blank=True)
    """In the search language; empty for all games."""
    scope = models.TextField()
    """Comma-separated names of spaces, as in URLs."""
    salt = models.CharField(max_length=32)
    """The hook's secret is derived from this and the site's secret."""
    made = models.DateTimeField(auto_now_add=True)
    marker = models.BigIntegerField(default=0)
    """The number of the last processed arrival."""
    disabled = models.CharField(max_length=10, blank=True, choices=Off.choices)
    """Why it is switched off; empty if it is on."""
    failing_since = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"hook {self.pk} of {self.user_id}"


class HookDelivery(models.Model):
    """The games of one request to a hook. A delivery without `next_try` is finished."""

    id = models.UUIDField(primary_key=True, default=uuid4)
    hook = models.ForeignKey(Hook, on_delete=models.CASCADE, related_name="deliveries")
    made = models.DateTimeField(default=timezone.now)
    games = models.JSONField(default=list)
    """Ids; the other data is read when the request is sent."""
    test = models.BooleanField(default=False)
    tries = models.IntegerField(default=0)
    next_try = models.DateTimeField(null=True, default=timezone.now)
    last_try = models.DateTimeField(null=True)
    status = models.SmallIntegerField(null=True)
    """The status of the last response."""
    error = models.CharField(max_length=20, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["next_try"], name="delivery_waiting", condition=~models.Q(next_try=None)),
        ]

    def __str__(self) -> str:
        return f"{self.pk} for hook {self.hook_id}"
