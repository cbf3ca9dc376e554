"""Collections of games in an order of their own."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from archive.models.games import Game
from archive.models.spaces import Space


class Collection(models.Model):
    """A list of games with notes, which the members of its space edit.

    It may have parts: collections without parts of their own, with the same space and visibility.
    """

    class Visibility(models.TextChoices):
        PRIVATE = "private", _("only members")
        LINK = "link", _("who has the link")
        PUBLIC = "public", _("everybody")

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="collections")
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="parts")
    place = models.IntegerField(default=0)
    """The order among the parts of a collection, from 1; 0 for other collections."""
    title = models.TextField()
    description = models.TextField(blank=True)
    visibility = models.CharField(max_length=7, choices=Visibility.choices, default=Visibility.PRIVATE)
    key = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - NULL is "no link"
    """A hash of the link's key."""
    search = models.JSONField(null=True)
    """The parameters of the search whose new games are added; NULL if there is none."""
    searched = models.BigIntegerField(default=0)
    """The largest id among the games that the search has examined."""
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)
    """When it or its games last changed."""

    class Meta:
        indexes = [
            models.Index(
                fields=["changed"],
                condition=models.Q(visibility="public", parent=None),
                name="collection_public",
            ),
            models.Index(
                fields=["id"], condition=models.Q(search__isnull=False), name="collection_searching"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class CollectionGame(models.Model):
    """A game of a collection. If it is deleted, the row is; if it becomes one with another game, so does the
    row (`archive.store.collected`)."""

    GAP: Final = 2**16
    """Between the positions of neighbours, so that a move changes one row."""
    PART: Final = 2**40
    """Above all positions of a collection."""

    collection = models.ForeignKey(
        Collection, on_delete=models.CASCADE, related_name="collected", db_index=False
    )
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="collected")
    position = models.BigIntegerField()
    """Unique in the collection and positive."""
    note = models.TextField(blank=True)
    ply = models.IntegerField(default=0)
    """The ply that is shown first."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "game"], name="game_of_collection"),
        ]
        indexes = [models.Index(fields=["collection", "position"], name="collection_order")]

    def __str__(self) -> str:
        return f"{self.game_id} in {self.collection_id}"
