"""Marks of curators on rows of the bench."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class BenchMark(models.Model):
    """A curator's word that a row of the bench is fine as it is, or waits. `archive.curation.marks` says how
    long a mark holds."""

    kind = models.CharField(max_length=10)
    """The kind of row (`archive.curation.bench.KINDS`)."""
    subject = models.BigIntegerField()
    other = models.BigIntegerField(default=0)
    """The second player of a pair; 0 for rows about one thing."""
    text = models.TextField(blank=True)
    """The name that is fine, of a player."""
    made = models.DateTimeField()
    until = models.DateTimeField(null=True)
    """When a row that was put off comes back; NULL for one that is fine."""
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    account_name = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "subject", "other"], name="bench_mark")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
