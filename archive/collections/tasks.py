"""The Celery task of collections that are kept up to date."""

from archive.collections import searching
from archive.intake.tasks import LimitedTask
from archive.project.celery import app


@app.task(name="archive.collections", base=LimitedTask)
def collections() -> None:
    """Add new games to the collections whose searches they match. The scheduler's next message continues."""
    for pk in searching.behind():
        searching.catch_up(pk)
