# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""What processes tell of themselves, for whoever watches over the archive (`archive.observing`)."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class HeardProcess(models.Model):
    """A process that works without being asked by visitors, and when it was heard of last."""

    class Role(models.TextChoices):
        WORKER = "worker", _("worker")
        SCHEDULER = "scheduler", _("scheduler")

    name = models.CharField(max_length=200, primary_key=True)
    """Its role, its number and its machine; a worker's child has its worker's."""
    role = models.CharField(max_length=10, choices=Role.choices)
    version = models.CharField(max_length=20)
    started = models.DateTimeField()
    seen = models.DateTimeField()
    worked = models.DateTimeField(null=True)
    """When it ended its last task."""

    def __str__(self) -> str:
        return self.name


class Tally(models.Model):
    """How often something has happened, in all processes since the archive began, and how long it took."""

    what = models.CharField(max_length=20)
    label = models.CharField(max_length=100)
    outcome = models.CharField(max_length=20)
    n = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["what", "label", "outcome"], name="tally_of")]

    def __str__(self) -> str:
        return f"{self.what} {self.label} {self.outcome}: {self.n}"
