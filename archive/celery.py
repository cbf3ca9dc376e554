"""The Celery application: messages only say "look at upload N", the database knows the rest."""

from __future__ import annotations

import os

from celery import Celery

from archive import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.settings")
broker.register()

app = Celery("archive")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["archive.ingest"])
