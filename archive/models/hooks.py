# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""What tells others of new games: which came when."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


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
