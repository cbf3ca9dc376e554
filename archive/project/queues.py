"""The queues of the workers' messages. Each worker serves those of ARCHIVE_WORKER_QUEUES in turn.

An upload yields after about a second and is sent again (`archive.intake.tasks`), so a new upload waits for
turns of others, not for complete large uploads. Turns of a dump are longer.
"""

from pathlib import Path
from typing import Any, Final

INTERACTIVE: Final = "interactive"
"""Small and new uploads, and the sweep, which shows idle workers that the broker works."""

BULK: Final = "bulk"
"""Large uploads after their first turn."""

MAINTENANCE: Final = "maintenance"
"""Tasks that nobody waits for, or that need folders: deletions, moves, dumps, columns, the watched folder."""

QUEUES: Final = (INTERACTIVE, BULK, MAINTENANCE)

NETWORK: Final = "network"
"""First opinions of the neural network, which workers of their own form, and no others."""

OPINIONS: Final = "archive.opinions"
"""The task of this queue."""

ANALYSIS: Final = "analysis"
"""Turns of engines, which workers of their own serve, and no others."""


def folders(data_dir: Path) -> dict[str, Any]:
    """Create the folders of the embedded broker; return its transport options."""
    queue, control = data_dir / "broker" / "queue", data_dir / "broker" / "control"
    for folder in (queue, control):
        folder.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(queue),
        "data_folder_out": str(queue),
        "control_folder": str(control),
        "polling_interval": 0.1,
    }
