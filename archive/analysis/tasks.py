"""Celery tasks: the first opinion of the neural network."""

from django.conf import settings

from archive.analysis import opinions
from archive.intake.tasks import LimitedTask
from archive.project.celery import app
from archive.project.queues import OPINIONS


@app.task(name=OPINIONS, base=LimitedTask)
def form_opinions() -> None:
    """Evaluate new games until the scheduler sends the next message."""
    opinions.form_opinions(min(settings.SWEEP_SECONDS, settings.TASK_SECONDS / 2))
