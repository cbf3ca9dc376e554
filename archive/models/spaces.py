# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""Whose games are whose: libraries of persons and groups, who is in them, and what they share."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from archive.models.games import Game


class Space(models.Model):
    """A library of games that only its members read: a person's own, or a group's. The public one, which
    everybody reads, has no row."""

    class Kind(models.TextChoices):
        PERSON = "person", _("own library")
        GROUP = "group", _("group")

    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.TextField(blank=True)
    """What a group is called; empty for a person's own."""
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name or f"{self.kind} {self.pk}"


class LeftSpace(models.Model):
    """How often games have left a space: numbers of it that were counted before hold no longer."""

    space = models.BigIntegerField(primary_key=True)
    times = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.space}: {self.times}"


class Membership(models.Model):
    """Somebody who reads a space. Owners of a group ask others in and send members away."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    owner = models.BooleanField(default=False)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "user"], name="member_of_space")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.space_id}"


class Invitation(models.Model):
    """A link by which people become members of a group. Only a hash of its key is kept."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="invitations")
    key = models.CharField(max_length=64, unique=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    owner = models.BooleanField(default=False)
    """Whether it makes an owner."""
    left = models.SmallIntegerField(default=1, db_default=1)
    """How many people may still use it."""
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return f"into {self.space_id} until {self.expires}"


class Share(models.Model):
    """A game that somebody may read who does not read its space: a person, or whoever has a link.

    It gives the game itself, its record and its pictures, and no place in lists and counts. Of a link's key
    only a hash is kept.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="shares")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="shared_games"
    )
    key = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - NULL is "no link"
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "user"], name="share_with_user")]

    def __str__(self) -> str:
        return f"game {self.game_id} for {self.user_id or 'whoever has the link'}"
