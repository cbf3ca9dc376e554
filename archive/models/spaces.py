"""Libraries of persons and groups, their members, and shared games."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from archive.models.games import Game


class Space(models.Model):
    """A library that only its members read: a person's own or a group's. The public space has no row."""

    class Kind(models.TextChoices):
        PERSON = "person", _("own library")
        GROUP = "group", _("group")

    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.TextField(blank=True)
    """The name of a group; empty for a person's library."""
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name or f"{self.kind} {self.pk}"


class LeftSpace(models.Model):
    """The number of times that games left a space, which invalidates cached counts of it."""

    space = models.BigIntegerField(primary_key=True)
    times = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.space}: {self.times}"


class Membership(models.Model):
    """A member of a space. Owners of a group invite and dismiss members."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    owner = models.BooleanField(default=False)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "user"], name="member_of_space")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.space_id}"


class Invitation(models.Model):
    """A link for joining a group. Only a hash of its key is stored."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="invitations")
    key = models.CharField(max_length=64, unique=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    owner = models.BooleanField(default=False)
    """Whether its users become owners."""
    left = models.SmallIntegerField(default=1, db_default=1)
    """The number of people who may still use it."""
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return f"into {self.space_id} until {self.expires}"


class Share(models.Model):
    """Access to one game for a person, or for everybody with a link, outside of its space.

    It covers the game, its record and its pictures, not lists and counts. Only a hash of the link's key is
    stored.
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
