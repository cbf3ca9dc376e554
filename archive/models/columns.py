"""The files of columns (`archive.columns`), slots that wait for one, and slots that must be skipped in one.

A transaction that gives a game another slot, or deletes it, also updates these tables.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from kifu_core.classes import PUBLIC


class ColumnWaiting(models.Model):
    """The slot of a game that is in no file yet."""

    slot = models.IntegerField(unique=True)
    space = models.BigIntegerField(default=PUBLIC)
    since = models.DateTimeField(default=timezone.now)
    lines = models.BinaryField(null=True)
    """The game's packed lines (`archive.columns.lines`) for the file; if NULL they are derived from its
    record."""

    def __str__(self) -> str:
        return f"{self.slot} of {self.space}"


class ColumnGone(models.Model):
    """A slot without a game that a file may still have: searches skip it."""

    slot = models.IntegerField(primary_key=True)
    space = models.BigIntegerField(null=True)
    """The space of the former game; NULL if unknown."""
    waited = models.BooleanField()
    """Whether it was in no file when its game went. It is in one only if that was being written then."""

    class Meta:
        indexes = [
            models.Index(fields=["slot"], name="columngone_waited", condition=models.Q(waited=True)),
        ]

    def __str__(self) -> str:
        return str(self.slot)


class ColumnSegment(models.Model):
    """A file of columns, its contents and its checksum."""

    space = models.BigIntegerField()
    name = models.CharField(max_length=60, unique=True)
    """The unique name of the file, in the folder of its space."""
    first = models.IntegerField()
    last = models.IntegerField()
    """The lowest and the highest slot."""
    games = models.IntegerField()
    rows = models.IntegerField()
    size = models.BigIntegerField()
    """In bytes."""
    sha256 = models.CharField(max_length=64)
    version = models.SmallIntegerField()
    """The version of the columns (`archive.columns.schema`)."""
    made = models.DateTimeField(default=timezone.now)
    retired = models.DateTimeField(null=True)
    """When other files replaced it; the file is deleted later."""

    def __str__(self) -> str:
        return f"{self.space}/{self.name}"
