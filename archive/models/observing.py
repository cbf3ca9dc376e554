"""Heartbeats and counts of processes, for monitoring (`archive.observing`)."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class ProcessRole(models.TextChoices):
    WORKER = "worker", _("worker")
    ANALYST = "analyst", _("engine worker")
    NETWORK = "network", _("network worker")
    SCHEDULER = "scheduler", _("scheduler")


class HeardProcess(models.Model):
    """A worker or scheduler and its last heartbeat."""

    name = models.CharField(max_length=200, primary_key=True)
    """Role, process id and host; a worker's child has the worker's name."""
    role = models.CharField(max_length=10, choices=ProcessRole.choices)
    version = models.CharField(max_length=20)
    started = models.DateTimeField()
    seen = models.DateTimeField()
    worked = models.DateTimeField(null=True)
    """When it ended its last task."""

    def __str__(self) -> str:
        return self.name


class Tally(models.Model):
    """The number of events of all processes since the archive began, and their total time."""

    what = models.CharField(max_length=20)
    label = models.CharField(max_length=100)
    outcome = models.CharField(max_length=20)
    n = models.BigIntegerField(default=0)
    seconds = models.FloatField(default=0.0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["what", "label", "outcome"], name="tally_of")]

    def __str__(self) -> str:
        return f"{self.what} {self.label} {self.outcome}: {self.n}"
