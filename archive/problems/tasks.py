"""The Celery task of problems: the search for new ones, and their examination, in turns."""

from archive.intake.tasks import LimitedTask, send_task
from archive.problems import examining, finding
from archive.project.celery import app
from archive.project.queues import MAINTENANCE


@app.task(name="archive.problems", base=LimitedTask)
def problems() -> None:
    """Search changed games and examine mates for a turn, and send itself again for the rest."""
    if finding.scan() or examining.examine_waiting():
        send_task(problems, "problems", queue=MAINTENANCE)
