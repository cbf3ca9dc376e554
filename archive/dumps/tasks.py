"""The Celery task of dumps."""

import logging

from django.conf import settings
from kombu.exceptions import OperationalError as BrokerError

from archive.dumps import publishing
from archive.dumps.unfinished import DumpInProgressError
from archive.intake.tasks import LimitedTask
from archive.project.celery import app
from archive.project.queues import MAINTENANCE

log = logging.getLogger(__name__)


@app.task(name="archive.dump", base=LimitedTask)
def dump() -> None:
    """Delete outdated dumps if the settings say so, and work on the dump that is due for one turn."""
    try:
        if settings.ARCHIVE_DUMPS_FORGET:
            publishing.delete_outdated()
        done = not publishing.is_due() or publishing.make(publishing.TURN_SECONDS) is not None
    except DumpInProgressError:
        return
    if not done:
        try:
            dump.apply_async(queue=MAINTENANCE)
        except (BrokerError, OSError) as error:
            # The scheduler sends the next message.
            log.warning("no message for the dump: %s", error)
