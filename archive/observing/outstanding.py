"""Outstanding work after an update: games and uploads that an earlier version processed."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from archive.columns.building import lag
from archive.derive import formations
from archive.index.engine import engine
from archive.index.schema import INDEX_VERSION
from archive.models import Game, Upload
from archive.models.uploads import READING

INDEX: Final = "index"
READINGS: Final = "reading"
FORMATIONS: Final = "formations"
COLUMNS: Final = "columns"

COUNTING_SECONDS: Final = 2.0
"""The time limit for the counts; later ones are left out."""

WAITS_SECONDS: Final = 600.0
"""New games wait some seconds for their columns; games that wait longer are outstanding work."""


def outstanding() -> dict[str, int]:
    """Return the number of games, or uploads for `READINGS`, by kind of work, in the order of processing."""
    counts: dict[str, int] = {}
    with suppress(TimeoutError), engine().time_limit(COUNTING_SECONDS):
        counts[INDEX] = Game.objects.exclude(index_version=INDEX_VERSION).count()
        counts[READINGS] = Upload.objects.filter(state=Upload.State.DONE).exclude(reader=READING).count()
        counts[FORMATIONS] = Game.objects.exclude(formations_version=formations.VERSION).count()
        waiting = lag()
        counts[COLUMNS] = waiting.games if waiting.seconds > WAITS_SECONDS else 0
    return {name: n for name, n in counts.items() if n}


def as_text(work: dict[str, int]) -> str:
    """Return outstanding work as a sentence for the console."""
    things = ", ".join(
        f"{name} of {n} {'uploads' if name == READINGS else 'games'}" for name, n in work.items()
    )
    return f"Left to be done after an update: {things}. `manage.py catch_up` does it while the archive runs."
