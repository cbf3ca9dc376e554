"""The Celery task of dumps: a turn of the one that is due, or nothing."""

import logging

from django.conf import settings
from kombu.exceptions import OperationalError as BrokerError

from archive.dumps import publishing
from archive.dumps.making import DumpIsMadeError
from archive.intake.tasks import LimitedTask
from archive.project.celery import app
from archive.project.queues import MAINTENANCE

log = logging.getLogger(__name__)


@app.task(name="archive.dump", base=LimitedTask)
def dump() -> None:
    """Forget what is to be forgotten, and go on with the dump that is due for a turn."""
    try:
        if settings.ARCHIVE_DUMPS_FORGET:
            publishing.forget()
        done = not publishing.is_due() or publishing.make(publishing.TURN_SECONDS) is not None
    except DumpIsMadeError:
        return
    if not done:
        _send()


def _send() -> None:
    """Have a worker go on. What the broker does not take is found at the next look."""
    try:
        dump.apply_async(queue=MAINTENANCE)
    except (BrokerError, OSError) as error:
        log.warning("no message for the dump: %s", error)
