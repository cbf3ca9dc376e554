"""The Celery tasks of analyses: turns of engines, the first opinion of the neural network, and scales.

The scheduler sends all of them again and again; a turn with work sends the next one.

Messages of turns that wait too long expire, so there are never many of them, however many workers there are.
"""

from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from archive import store
from archive.analysis import opinions, requests, working
from archive.analysis.queue import engines
from archive.intake.tasks import PASSING, RETRIES, LimitedTask, send_task
from archive.intake.worker import TURN_SECONDS
from archive.models import Engine, ProcessRole
from archive.observing.heartbeats import is_running
from archive.project.celery import app
from archive.project.queues import ANALYSIS, OPINIONS

EXPIRES: Final = 15
"""Seconds after which a message of a turn that no worker took is void."""


@app.task(name="archive.analyse", base=LimitedTask, bind=True, max_retries=RETRIES, expires=EXPIRES)
def analyse(task: Any) -> None:
    """Analyse for a turn, and send itself again for the rest."""
    try:
        more = working.turn()
    except PASSING as error:
        raise task.retry(exc=error, countdown=2**task.request.retries) from error
    if more:
        send_turn()


@app.task(name="archive.analyses", base=LimitedTask)
def maintain() -> None:
    """List the games of requests, and start a turn."""
    requests.maintain()
    start_turn()


def start_turn() -> None:
    """Send a message about work, if somebody is there to take it."""
    if engines().engine and is_running(ProcessRole.ANALYST):
        send_turn()


def send_turn() -> None:
    """Send a message about work for engines."""
    send_task(analyse, "analyses", queue=ANALYSIS)


def begin() -> None:
    """Send messages about a new request once the transaction is committed."""
    transaction.on_commit(partial(send_task, maintain, "analyses"), robust=True)
    transaction.on_commit(start_turn, robust=True)


@app.task(name=OPINIONS, base=LimitedTask)
def form_opinions() -> None:
    """Evaluate new games until the scheduler sends the next message."""
    opinions.form_opinions(min(settings.SWEEP_SECONDS, settings.TASK_SECONDS / 2))


@app.task(name="archive.scales", base=LimitedTask)
def fit_scales() -> None:
    """Fit the scales of engines that have analysed enough more games, mark moves anew for a turn, and send
    itself again for the rest."""
    for engine in Engine.objects.exclude(source=Engine.Source.RECORD).order_by("pk"):
        if store.is_fit_due(engine):
            store.fit_engine(engine.pk)
    for engine in Engine.objects.filter(marked_until__isnull=False).order_by("pk"):
        if not store.mark_anew(engine.pk, TURN_SECONDS):
            send_task(fit_scales, "the scales of engines")
            return
