"""The queues of the workers' messages. Each worker serves those of ARCHIVE_WORKER_QUEUES in turn.

An upload gives way after about a second and is sent again (`archive.intake.tasks`): what has just come waits
for turns, not for uploads, however large those are that work has begun on. A dump's turns are longer.
"""

from pathlib import Path
from typing import Any, Final

INTERACTIVE: Final = "interactive"
"""Uploads that are small or new, and the sweep: whoever is idle hears from it that the broker is there."""

BULK: Final = "bulk"
"""Uploads that go on after their first turn."""

MAINTENANCE: Final = "maintenance"
"""What nobody waits for, and what needs folders: deletions, moves, dumps, looking through the watched one."""

QUEUES: Final = (INTERACTIVE, BULK, MAINTENANCE)


def folders(data_dir: Path) -> dict[str, Any]:
    """Make the folders of the embedded broker below `data_dir`; return its options."""
    queue, control = data_dir / "broker" / "queue", data_dir / "broker" / "control"
    for folder in (queue, control):
        folder.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(queue),
        "data_folder_out": str(queue),
        "control_folder": str(control),
        "polling_interval": 0.1,
    }
