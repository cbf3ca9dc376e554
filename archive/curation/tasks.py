"""The Celery task of proposals that nobody objected to."""

from archive.curation import corrections, names
from archive.intake.tasks import LimitedTask
from archive.project.celery import app


@app.task(name="archive.corrections", base=LimitedTask)
def apply_due() -> None:
    """Apply the proposals whose time for objections is over."""
    corrections.apply_due()
    names.apply_due()
