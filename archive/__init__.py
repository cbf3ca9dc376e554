"""The archive server: stores, indexes, searches and replays game records.

Importing the package makes its Celery application the current one, so that `shared_task` finds it in every
process.
"""

from __future__ import annotations

from archive.celery import app as celery_app

__all__ = ["celery_app"]
