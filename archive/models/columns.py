# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""Which games are in the files of columns (`archive.columns`), which still have to be, which are no more.

A slot waits, or is in one file that is in use, or in none: who gives a game another slot or takes it away
says so in the same transaction.
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
    """What it plays (`archive.columns.lines`), for whoever writes the file; null where its record has to be
    opened for that."""

    def __str__(self) -> str:
        return f"{self.slot} of {self.space}"


class ColumnGone(models.Model):
    """A slot that is no game's any more, though a file may have it: every question leaves it out."""

    slot = models.IntegerField(primary_key=True)
    space = models.BigIntegerField(null=True)
    """Of the game it was; null where it went before this was noted, and may have been of any."""
    waited = models.BooleanField()
    """Whether it was in no file when it went; it is in one only if that was just being made."""

    class Meta:
        indexes = [
            models.Index(fields=["slot"], name="columngone_waited", condition=models.Q(waited=True)),
        ]

    def __str__(self) -> str:
        return str(self.slot)


class ColumnSegment(models.Model):
    """A file of columns: its place, what is in it, and how to tell that it is whole."""

    space = models.BigIntegerField()
    name = models.CharField(max_length=60, unique=True)
    """Of the file, in the folder of its space; no other file ever gets it."""
    first = models.IntegerField()
    last = models.IntegerField()
    """The lowest and the highest slot."""
    games = models.IntegerField()
    rows = models.IntegerField()
    size = models.BigIntegerField()
    """Bytes."""
    sha256 = models.CharField(max_length=64)
    version = models.SmallIntegerField()
    """Of the columns (`archive.columns.schema`)."""
    made = models.DateTimeField(default=timezone.now)
    retired = models.DateTimeField(null=True)
    """Since when others have its games; after a while its file is deleted."""

    def __str__(self) -> str:
        return f"{self.space}/{self.name}"
