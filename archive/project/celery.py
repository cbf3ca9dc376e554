"""The Celery application: messages only say "look at upload N", the database knows the rest.

It is loaded by what sends messages or works on them, and not by every process of the archive.
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
    """Keep Celery from its own: workers write the same lines as everybody (archive/observing/logs.py)."""
