"""The archive server: stores, indexes, searches and replays game records.

Importing the package makes its Celery application the current one, where every `shared_task` finds it.
"""

from archive.celery import app as celery_app

__all__ = ["celery_app"]
