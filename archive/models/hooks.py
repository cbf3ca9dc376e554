# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""What tells others of new games: which came when, who wants to be told, and what they were told."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Arrival(models.Model):
    """A game that came into a space: it was stored there, or moved there. Written with the game.

    Transactions end in another order than they begin in, so neither this id nor the game's tells which games
    are still unseen. `number` does: it is given to what is committed, by one at a time.
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
    """An address that is told of new games which its owner may read (`archive.hooks`)."""

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
    """Names of spaces as addresses have them, by commas."""
    salt = models.CharField(max_length=32)
    """Of it and of the archive's own secret the hook's is made."""
    made = models.DateTimeField(auto_now_add=True)
    marker = models.BigIntegerField(default=0)
    """The number of the last arrival that was looked at."""
    disabled = models.CharField(max_length=10, blank=True, choices=Off.choices)
    """Why it is switched off; empty where it is on."""
    failing_since = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"hook {self.pk} of {self.user_id}"


class HookDelivery(models.Model):
    """Games that a hook is told of in one request. It waits as long as it has a time for its next try."""

    id = models.UUIDField(primary_key=True, default=uuid4)
    hook = models.ForeignKey(Hook, on_delete=models.CASCADE, related_name="deliveries")
    made = models.DateTimeField(default=timezone.now)
    games = models.JSONField(default=list)
    """Their ids; what is told of them is looked up when it is sent."""
    test = models.BooleanField(default=False)
    tries = models.IntegerField(default=0)
    next_try = models.DateTimeField(null=True, default=timezone.now)
    last_try = models.DateTimeField(null=True)
    status = models.SmallIntegerField(null=True)
    """What was answered last."""
    error = models.CharField(max_length=20, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["next_try"], name="delivery_waiting", condition=~models.Q(next_try=None)),
        ]

    def __str__(self) -> str:
        return f"{self.pk} for hook {self.hook_id}"
