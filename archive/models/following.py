"""Searches, names and positions that accounts follow, their notes on positions, and the names
under which they play."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from archive.models.names import Player
from archive.models.spaces import Space

TITLE_LENGTH = 200
"""Characters of the title of a follow."""


class Follow(models.Model):
    """Games of which an account wants to see new ones (`archive.following`). Nobody else reads it."""

    class Kind(models.TextChoices):
        SEARCH = "search", _("search")
        PLAYER = "player", _("player")
        EVENT = "event", _("event")
        PLACE = "place", _("place")
        POSITION = "position", _("position")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="follows")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    target = models.BigIntegerField(null=True)
    """The id of the player, event or place."""
    game = models.CharField(max_length=20, blank=True)
    """The kind of game of the position."""
    code = models.TextField(blank=True)
    """The code of the position."""
    search = models.JSONField(null=True)
    """The parameters of the search, by `archive.queries.games.filters.stored_parameters`."""
    title = models.CharField(max_length=TITLE_LENGTH, blank=True)
    scope = models.TextField(default="all")
    """Comma-separated names of spaces, as in URLs."""
    seen = models.BigIntegerField(default=0)
    """The number of the last change of the archive (`GameChange`) that the account has seen."""
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["user", "id"], name="follow_of_user")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of {self.user_id}"


class PositionNote(models.Model):
    """A note on a position, or a bookmark if it has no text. Its author and the members of its space read it,
    wherever the position is shown."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="position_notes")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="position_notes"
    )
    game = models.CharField(max_length=20)
    """The kind of game."""
    code = models.TextField()
    text = models.TextField(blank=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["code", "game"], name="note_on_position")]

    def __str__(self) -> str:
        return f"{self.pk} by {self.author_id}"


class OwnName(models.Model):
    """A name under which an account's owner plays (`archive.queries.names.own_names`). Nobody else reads
    it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="own_names")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+", db_index=False)
    """The row that was chosen; it may be merged with others since."""
    site = models.TextField(blank=True, default="")
    """The place (`Game.site`) of the games; empty for games anywhere."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "player", "site"], name="own_name_once")]

    def __str__(self) -> str:
        return f"{self.player_id} is {self.user_id}"
