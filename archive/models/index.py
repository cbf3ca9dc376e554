"""The position index and its counters, explained in docs/position-index.md."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Occurrence(models.Model):
    """A row of the position index (`archive.index.schema`). Each engine has its own SQL for this table."""

    pk = models.CompositePrimaryKey("key", "played", "slot", "ply", "move")
    key = models.BigIntegerField()
    played = models.IntegerField()
    slot = models.IntegerField()
    ply = models.SmallIntegerField()
    move = models.SmallIntegerField()
    flags = models.SmallIntegerField()
    result = models.SmallIntegerField()

    def __str__(self) -> str:
        return f"{self.key} in {self.slot} at {self.ply}"


class HotPosition(models.Model):
    """A key with counters, and its canonical code. If `parted`, its rows are also counted by year and
    rating."""

    key = models.BigIntegerField(primary_key=True)
    code = models.TextField()
    parted = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return self.code


class HotMove(models.Model):
    """Counters of a hot key: exactly the GROUP BY of its occurrences.

    `rated` counts rows with a rating of the side to move, `rating_sum` is their sum. `last_played` is an
    ordinal.
    """

    pk = models.CompositePrimaryKey("key", "flags", "move", "result")
    key = models.BigIntegerField()
    flags = models.SmallIntegerField()
    move = models.SmallIntegerField()
    result = models.SmallIntegerField()
    n = models.BigIntegerField()
    rated = models.BigIntegerField()
    rating_sum = models.BigIntegerField()
    last_played = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.key} {self.move}: {self.n}"


class HotPart(models.Model):
    """Counters of a part of a hot key's rows (`archive.index.part_counters`): those of a year, or of games
    whose lower rating is in a band. `first_played` ignores rows without a day; 0 if all are."""

    pk = models.CompositePrimaryKey("key", "part", "flags", "move", "result")
    key = models.BigIntegerField()
    part = models.SmallIntegerField()
    flags = models.SmallIntegerField()
    move = models.SmallIntegerField()
    result = models.SmallIntegerField()
    n = models.BigIntegerField()
    rated = models.BigIntegerField()
    rating_sum = models.BigIntegerField()
    first_played = models.IntegerField()
    last_played = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.key} {self.part} {self.move}: {self.n}"


class IndexState(models.Model):
    """A version of the index; queries read every version that is not retired."""

    class State(models.TextChoices):
        FILLING = "filling", _("filling")
        LIVE = "live", _("live")
        RETIRED = "retired", _("retired")

    version = models.SmallIntegerField(primary_key=True)
    state = models.CharField(max_length=10, choices=State.choices)

    def __str__(self) -> str:
        return f"{self.version}: {self.state}"
