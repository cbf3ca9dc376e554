"""The Celery tasks of analyses: turns of engines, and the first opinion of the neural network.

The scheduler sends all of them again and again; a turn with work sends the next one.

Messages of turns that wait too long expire, so there are never many of them, however many workers there are.
"""

from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from archive.analysis import opinions, requests, working
from archive.analysis.queue import engines
from archive.intake.tasks import PASSING, RETRIES, LimitedTask, send_task
from archive.models import ProcessRole
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
