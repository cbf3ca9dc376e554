"""The Celery tasks: each takes at most an id and calls one function.

No task runs longer than ARCHIVE_TASK_SECONDS. In the prefork pool Celery kills its process. The solo pool has
no limits: there the worker ends itself, and its supervisor starts it again.

Workers serve the queues in turn (`archive.project.queues`). A large upload goes to the end of its queue after
each turn. So an upload waits only for the turns of uploads that were started before.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from celery import Signature, Task
from celery.exceptions import WorkerShutdown
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from django.db.utils import DatabaseError, InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError

from archive import store
from archive.accounts import audit
from archive.columns import building
from archive.columns.folder import ColumnsLockedError
from archive.index.availability import UndecidedError, is_unreachable
from archive.intake import resume, watched_folder, worker
from archive.intake.memory_limit import RESTART, is_to_be_replaced, shut_down
from archive.intake.time_limits import deadly_limit
from archive.models import WITHOUT_OPINION, AuditEvent, Game
from archive.observing import logs
from archive.project.celery import app
from archive.project.queues import BULK, INTERACTIVE, MAINTENANCE, NETWORK, OPINIONS

MOVED_GAMES: Final = 50
"""Games that one task moves to another space, or deletes with theirs: about a second."""
BULK_BYTES: Final = 1024 * 1024
"""The size from which an upload begins in the queue of bulk uploads."""

_MANY: Final = 100
"""Games without a first opinion: with so many, the worker of the network is at work."""

RETRIES: Final = 6
PASSING: Final = (OperationalError, InterfaceError, OSError, UndecidedError)
"""Temporary errors, after which a task is retried: the database, or a server with a part of it, is locked,
away or restarting, or a disk is full."""

log = logging.getLogger(__name__)


if TYPE_CHECKING:
    AnyTask = Task[..., Any]
else:
    AnyTask = Task  # is no generic class at run time


class LimitedTask(AnyTask):
    """A task that, in the solo pool, ends its process after too much time or memory."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.request.called_directly or self.request.is_eager or settings.WORKER_POOL != "solo":
            return super().__call__(*args, **options)
        try:
            with deadly_limit(settings.TASK_SECONDS):
                return super().__call__(*args, **options)
        finally:
            if is_to_be_replaced():
                log.warning("this worker has taken much memory: it ends, to be started again")
                shut_down(RESTART)


@app.task(name="archive.process_upload", base=LimitedTask, bind=True, max_retries=RETRIES)
def process_upload(task: Any, upload_id: int) -> None:
    """Work on one upload for a turn, and together with a small one on others; if it is finished or another
    worker has it, on small ones that wait."""
    try:
        # The task's id is the token of its claims, so a retry still has them.
        more = worker.work_with_others(upload_id, task.request.id or "directly")
    except PASSING as error:
        raise task.retry(exc=error, countdown=2**task.request.retries) from error
    wake_network()
    # Uploads without an open walk were not begun; they wait with the new ones.
    sent = [send(pk, BULK if resume.is_open(pk) else INTERACTIVE) for pk in more]
    alone = task.request.called_directly or task.request.is_eager or settings.WORKER_POOL != "solo"
    if not (all(sent) or alone):
        # After a broken connection a solo worker may wait for ever, so it is restarted.
        raise WorkerShutdown(1)


@app.task(name="archive.move_upload", base=LimitedTask, bind=True, max_retries=RETRIES)
def move_upload(task: Any, upload_id: int) -> None:
    """Move some of the games of an upload, and send itself again for the rest."""
    try:
        with logs.context(upload=upload_id):
            done = store.move_upload(upload_id, MOVED_GAMES)
    except PASSING as error:
        raise task.retry(exc=error, countdown=2**task.request.retries) from error
    if not done:
        send_move(upload_id)


@app.task(name="archive.settle_names", base=LimitedTask, bind=True, max_retries=RETRIES)
def settle_names(task: Any) -> None:
    """Give games to their merged players and events for a turn, and send itself again for the rest."""
    try:
        done = store.settle_names()
    except PASSING as error:
        raise task.retry(exc=error, countdown=2**task.request.retries) from error
    if not done:
        send_names()


@app.task(name="archive.sweep", base=LimitedTask)
def sweep() -> None:
    """Send messages again for work that nobody does: after lost messages, killed workers, a broker's
    absence."""
    for upload_id in store.sweep():
        send(upload_id, INTERACTIVE)
    store.end_abandoned(MOVED_GAMES)
    for upload_id in store.unfinished_deletions():
        send_deletion(upload_id)
    for upload_id in store.unfinished_moves():
        send_move(upload_id)
    if not store.settle_names():
        send_names()
    audit.forget_addresses()
    # Also anonymous sessions of visitors who began to sign in with a passkey.
    SessionStore.clear_expired()


@app.task(name="archive.delete_upload", base=LimitedTask, bind=True, max_retries=RETRIES)
def delete_upload(task: Any, upload_id: int) -> None:
    """Continue the deletion of an upload for a turn."""
    try:
        with logs.context(upload=upload_id):
            done = store.delete_upload(upload_id, worker.TURN_SECONDS)
    except PASSING as error:
        raise task.retry(exc=error, countdown=2**task.request.retries) from error
    if not done:
        send_deletion(upload_id)


@app.task(name="archive.watch", base=LimitedTask)
def watch() -> None:
    """Store the new files in the watched folder."""
    if ids := watched_folder.scan():
        audit.note(AuditEvent.IMPORT, None, f"{len(ids)} files of the watched folder")
    for upload_id in ids:
        send(upload_id, BULK)


@app.task(name="archive.columns", base=LimitedTask)
def columns() -> None:
    """Write columns for a turn, and send itself again for the rest."""
    if not building.has_work():
        return
    try:
        done = building.build(worker.TURN_SECONDS, patient=True)
    except ColumnsLockedError:
        return
    except DatabaseError as error:
        if not is_unreachable(error):
            raise
        log.warning("the columns wait for a server with a part of the tables: %s", error)
        return
    if not done:
        send_columns()


def send_task(
    task: Task[..., Any] | Signature[Any], subject: str, *args: int, queue: str = MAINTENANCE
) -> bool:
    """Send a task; return whether the broker accepted it. If it is away, the next sweep sends the task."""
    try:
        task.apply_async(args, queue=queue)
    except (BrokerError, OSError) as error:
        log.warning("no message for %s: %s", subject, error)
        return False
    return True


def send(upload_id: int, queue: str) -> bool:
    """Send a worker a message about an upload; return whether the broker accepted it."""
    return send_task(process_upload, f"upload {upload_id}", upload_id, queue=queue)


def wake_network() -> None:
    """Send the worker of the neural network a message about new games. It needs none while many wait."""
    if settings.ARCHIVE_NETWORK and 0 < Game.objects.filter(WITHOUT_OPINION)[:_MANY].count() < _MANY:
        send_task(app.signature(OPINIONS), "first opinions", queue=NETWORK)


def send_columns() -> None:
    """Send a message about the columns."""
    send_task(columns, "the columns")


def send_names() -> None:
    """Send a message about games of merged players and events that wait."""
    send_task(settle_names, "names")


def send_deletion(upload_id: int) -> None:
    """Send a message about an upload that is being deleted."""
    send_task(delete_upload, f"the deletion of upload {upload_id}", upload_id)


def send_move(upload_id: int) -> None:
    """Send a message about an upload whose games are being moved."""
    send_task(move_upload, f"the move of upload {upload_id}", upload_id)


def enqueue(upload_id: int, size: int = 0) -> None:
    """Send a message about an upload of `size` bytes once the transaction is committed."""
    queue = BULK if size >= BULK_BYTES else INTERACTIVE
    transaction.on_commit(partial(send, upload_id, queue), robust=True)
