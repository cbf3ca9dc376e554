"""The position index and its counters; docs/position-index.md says why they are as they are."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Occurrence(models.Model):
    """The position index (`archive.index.schema`). Its table is made and changed by SQL per engine."""

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
    """A key whose statistics are kept in counters, with its canonical code; `parted` where the years and
    ratings of its rows are counted, too."""

    key = models.BigIntegerField(primary_key=True)
    code = models.TextField()
    parted = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return self.code


class HotMove(models.Model):
    """Counters of a hot key: exactly the GROUP BY of its occurrences.

    `rated` rows have a rating of the side to move; `rating_sum` adds these up. `last_played` is an ordinal.
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
    whose lower rating is in a band. `first_played` is that of the rows with a day, 0 if there are none."""

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
    """Which versions of the index games are in; queries ask every version that is not retired."""

    class State(models.TextChoices):
        FILLING = "filling", _("filling")
        LIVE = "live", _("live")
        RETIRED = "retired", _("retired")

    version = models.SmallIntegerField(primary_key=True)
    state = models.CharField(max_length=10, choices=State.choices)

    def __str__(self) -> str:
        return f"{self.version}: {self.state}"
