"""Celery tasks: proposals that nobody objected to, and edits of many games."""

from functools import partial
from typing import Any

from django.db import transaction

from archive.curation import batches, corrections, names
from archive.intake.tasks import PASSING, RETRIES, LimitedTask, send_task
from archive.intake.worker import TURN_SECONDS
from archive.project.celery import app
from archive.project.queues import BULK


@app.task(name="archive.corrections", base=LimitedTask)
def apply_due() -> None:
    """Apply the proposals whose time for objections is over, and send messages again for batches that nobody
    works on."""
    corrections.apply_due()
    names.apply_due()
    for batch in batches.unfinished():
        send_batch(batch)


@app.task(name="archive.batch", base=LimitedTask, bind=True, max_retries=RETRIES)
def work_on_batch(task: Any, batch: int) -> None:
    """Go on with a batch for a turn, and send itself again for the rest."""
    try:
        done = batches.work(batch, TURN_SECONDS)
    except PASSING as error:
        raise task.retry(exc=error, countdown=2**task.request.retries) from error
    if not done:
        send_batch(batch)


def send_batch(batch: int) -> None:
    """Send a message about a batch."""
    send_task(work_on_batch, f"batch {batch}", batch, queue=BULK)


def enqueue_batch(batch: int) -> None:
    """Send a message about a batch once the transaction is committed."""
    transaction.on_commit(partial(send_batch, batch), robust=True)
