"""The Celery application. Messages contain only ids; the state of work is in the database.

Only processes that send or receive messages import it.
"""

import os

from celery import Celery
from celery.signals import setup_logging

from archive.project import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
broker.register()

app = Celery("archive")
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def _leave_logging_alone(**_options: object) -> None:
    """Keep the archive's log configuration (archive/observing/logs.py) instead of Celery's."""
